// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A fleet is a group of servers behind one gateway.
type fleet struct {
	dir     string
	members []member
}

// A member is one server, and a call of it.
type member struct {
	name    string
	command []string
	env     string // in the policy
	call    echo
}

// The members in trouble: one from npm is killed, and another hangs.
const (
	killed  = 2
	hanging = 5
)

// newFleet makes a fleet of size servers: in turn filesystem, everything and memory from npm, and the Go echo. Its
// files are in dir.
func newFleet(p programs, everything, dir string, size int) (*fleet, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, err
	}
	if _, err := os.Stat(everything); err != nil {
		return nil, fmt.Errorf("npm ci --prefix internal/test/npm/testdata installs what is missing: %w", err)
	}
	everything, err := filepath.Abs(everything) // a policy's paths are relative to its own
	if err != nil {
		return nil, err
	}
	script := func(server string) string {
		return strings.Replace(everything, "server-everything", "server-"+server, 1)
	}
	text := filepath.Join(dir, "text.txt")
	err = errors.Join(os.WriteFile(text, []byte("hello"), 0o600),
		os.WriteFile(filepath.Join(dir, "start.sh"), []byte(`echo $$ >"$1" && shift && exec "$@"`+"\n"), 0o600))
	if err != nil {
		return nil, err
	}
	f := &fleet{dir: dir}
	for i := range size {
		var m member
		switch i % 4 {
		case 0:
			m = member{name: "files", command: []string{"node", script("filesystem"), dir}, call: toolCall("read_text_file", fmt.Sprintf(`{"path":%q}`, text), `"hello"`)}
		case 1:
			m = member{name: "everything", command: []string{"node", everything, "stdio"}, call: toolCall("echo", `{"message":"hello"}`, `"Echo: hello"`)}
		case 2:
			m = member{name: "memory", command: []string{"node", script("memory")}, env: fmt.Sprintf("MEMORY_FILE_PATH: %q", filepath.Join(dir, fmt.Sprintf("memory%d.json", i))),
				call: toolCall("read_graph", `{}`, `"structuredContent":{"entities":[]`)}
		case 3:
			m = member{name: "echo", command: []string{p.echoServer}, call: toolCall("echo", `{"message":"hello"}`, `"Echo: hello"`)}
		}
		m.name += fmt.Sprint(i)
		m.call.after = []byte(strings.Replace(string(m.call.after), `"name":"`, `"name":"`+m.name+`__`, 1))
		f.members = append(f.members, m)
	}
	return f, nil
}

func toolCall(tool, arguments, want string) echo {
	return echo{
		before: []byte(`{"jsonrpc":"2.0","id":`),
		after:  fmt.Appendf(nil, `,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments),
		want:   []byte(want),
	}
}

// writePolicy writes the policy with the servers, and returns its file. Each server writes its process id into a file
// as it starts.
func (f *fleet) writePolicy() (string, error) {
	text := "version: 1\nservers:\n"
	for i, m := range f.members {
		command, err := json.Marshal(append([]string{"sh", filepath.Join(f.dir, "start.sh"), f.pidFile(i)}, m.command...))
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("  %s: {command: %s, env: {%s}}\n", m.name, command, m.env)
	}
	file := filepath.Join(f.dir, "toolvet.yaml")
	return file, os.WriteFile(file, []byte(text), 0o600)
}

func (f *fleet) pidFile(i int) string { return filepath.Join(f.dir, fmt.Sprintf("pid%d", i)) }

// signal sends a signal, such as KILL, to server i.
func (f *fleet) signal(i int, name string) error {
	pid, err := os.ReadFile(f.pidFile(i))
	if err != nil {
		return err
	}
	if out, err := exec.Command("kill", "-"+name, strings.TrimSpace(string(pid))).CombinedOutput(); err != nil {
		return fmt.Errorf("kill -%s: %w: %s", name, err, out)
	}
	return nil
}
