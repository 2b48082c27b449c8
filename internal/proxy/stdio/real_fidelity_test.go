// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/validate"
)

// TestFidelity plays the same script to a server and to a proxy in front of it. The
// client gets the same bytes, but for the capability and the tool that the proxy adds.
func TestFidelity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, server, script string
		steps                int // what the client sends, at least
		args                 []string
		env                  string
		endless              bool // the server does not end by itself
	}{
		{name: "everything", server: "everything", script: everythingScript, steps: 60},
		{name: "tasks", server: "everything", script: tasksScript, steps: 6, endless: true},
		{name: "filesystem", server: "filesystem", script: filesystemScript, steps: 35, args: []string{"$DIR"}},
		{name: "memory", server: "memory", script: memoryScript, steps: 14, env: "MEMORY_FILE_PATH=$DIR/memory.jsonl"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// Both runs use the same directory, so that its name is the same.
			dir := filepath.Join(t.TempDir(), "files")
			names := strings.NewReplacer("$DIR", dir)
			command := append([]string{"env", names.Replace(test.env)}, npm.Server(t, test.server)...)
			if test.env == "" {
				command = command[2:]
			}
			for _, arg := range test.args {
				command = append(command, names.Replace(arg))
			}
			gate := newGate(t)

			freshDir(t, dir)
			server, cmd := start(t, command)
			direct := play(t, server, test.script, dir, false)
			if test.endless {
				_ = cmd.Process.Signal(syscall.SIGTERM) // as the proxy does
			}
			direct.end(server)
			freshDir(t, dir)
			p := behind(t, configure(gate, command))
			proxied := play(t, p, test.script, dir, true)
			proxied.end(p)

			if direct.sent < test.steps {
				t.Errorf("the script has %d steps, want %d", direct.sent, test.steps)
			}
			want := withAdditions(t, gate, direct.got)
			if diff := cmp.Diff(want, proxied.got); diff != "" {
				t.Errorf("what the client gets (-direct, with the additions +through the proxy):\n%s", diff)
			}
			if direct.code != proxied.code {
				t.Errorf("exit code %d, want %d", proxied.code, direct.code)
			}
		})
	}
}

func freshDir(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.txt": "one\ntwo\nthree\n", "sub/\u00fcml\u00e4ut \U0001F600.txt": "gr\u00fc\u00dfe\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A recording is what a client got for a script.
type recording struct {
	sent int
	got  []string
	code int
}

// play plays a script, a step a line:
//
//	> LINE          the client sends it
//	< ID or METHOD  the client waits for an answer, a request or a notification;
//	                for several of them in any order
//
// and with a proxy only, not recorded:
//
//	valid LINE, invalid LINE   asks the validate tool, which answers so
//	refused LINE               sends a call, which the proxy refuses
//
// $DIR stands for a directory, $LONG for 120 kB, $TASK for the task of the server that
// was named last.
func play(t *testing.T, p *peer, script, dir string, proxied bool) recording {
	t.Helper()
	long := strings.Repeat("01234567 \u00e4\u00f6\U0001F600 \u2028\u2029 \\n\\\"/ ", 4000)
	var r recording
	task := ""
	for step := range strings.SplitSeq(strings.TrimSpace(script), "\n") {
		op, text, _ := strings.Cut(strings.TrimSpace(step), " ")
		text = strings.NewReplacer("$DIR", dir, "$LONG", long, "$TASK", task).Replace(text)
		switch op {
		case ">":
			r.sent++
			p.send(text)
		case "<":
			got := p.await(strings.Fields(text)...)
			for _, line := range got {
				if m := taskID.FindStringSubmatch(line); m != nil {
					task = m[1]
				}
				r.got = append(r.got, mask(line))
			}
		case "valid", "invalid", "refused":
			if proxied {
				playProxyOnly(t, p, op, text)
			}
		case "#", "":
		default:
			t.Fatalf("script: %q", step)
		}
	}
	return r
}

// end closes the client's side and records what still comes.
func (r *recording) end(p *peer) {
	p.t.Helper()
	rest, code := p.close()
	for _, line := range rest {
		r.got = append(r.got, mask(line))
	}
	r.code = code
}

func playProxyOnly(t *testing.T, p *peer, want, line string) {
	t.Helper()
	id := string(decode(t, line).ID)
	result := p.ask(id, line).callResult(t)
	var validation struct{ Valid *bool }
	if result.StructuredContent != nil {
		if err := json.Unmarshal(result.StructuredContent, &validation); err != nil {
			t.Fatal(err)
		}
	}
	got := "neither"
	switch {
	case result.IsError && validation.Valid == nil:
		got = "refused"
	case !result.IsError && validation.Valid != nil:
		got = map[bool]string{true: "valid", false: "invalid"}[*validation.Valid]
	}
	if got != want {
		t.Errorf("%s: got %s, want %s: %s", line, got, want, result.text())
	}
}

var taskID = regexp.MustCompile(`"taskId":"([^"]+)"`)

// What two runs of the same server differ in, and why.
var masks = []struct{ pattern, with string }{
	// server-everything: resources say when they were made.
	{`created at \d\d?:\d\d:\d\d [AP]M`, "created at TIME"},
	// The same in base64.
	{`"blob":"UmVzb3VyY2Ug[^"]*"`, `"blob":"TIME"`},
	// server-everything: tasks have random names.
	{`"taskId":"[^"]+"`, `"taskId":"ID"`},
	// Tasks say when they were made.
	{`"(createdAt|lastUpdatedAt)":"[^"]+"`, `"$1":"TIME"`},
	// server-everything: the simulated log message is chosen by chance.
	{`"level":"\w+","data":"\w+[- ]level[- ]message"`, `"level":"ANY","data":"ANY"`},
	// server-filesystem: the times of files, which the script writes.
	{`(created|modified|accessed): [^\\]+`, "$1: TIME"},
}

var compiledMasks = func() (all []*regexp.Regexp) {
	for _, m := range masks {
		all = append(all, regexp.MustCompile(m.pattern))
	}
	return all
}()

func mask(line string) string {
	for i, m := range compiledMasks {
		line = m.ReplaceAllString(line, masks[i].with)
	}
	return line
}

// withAdditions is what the proxy is to make of the lines of a server.
func withAdditions(t *testing.T, gate *toolvet.Gate, lines []string) []string {
	t.Helper()
	validator, err := validate.New(validate.Config{})
	if err != nil {
		t.Fatal(err)
	}
	capability := func(tasks bool) string {
		raw, err := json.Marshal(validator.Capability(protocol.ToolName, validate.Door{Levels: inside.Of(gate).Levels(), Progress: true, Tasks: tasks}))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	tools := ""
	for _, definition := range validator.Definitions(protocol.ToolName) {
		raw, err := definition.Encode()
		if err != nil {
			t.Fatal(err)
		}
		tools += "," + string(raw)
	}
	announced := `,"experimental":{"toolValidation":` + capability(false) +
		`},"extensions":{"io.github.toolvet/tool-validation":` + capability(false) + `}`
	discovered := `,"extensions":{"io.modelcontextprotocol/tasks":{},"io.github.toolvet/tool-validation":` + capability(true) +
		`},"experimental":{"toolValidation":` + capability(true) + `}`
	want := make([]string, len(lines))
	for i, line := range lines {
		var m struct {
			Result struct {
				Capabilities json.RawMessage
				Tools        json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		added := announced
		if strings.Contains(line, `"supportedVersions"`) {
			added = discovered
		}
		want[i] = insert(insert(line, m.Result.Capabilities, added), m.Result.Tools, tools)
	}
	return want
}

// insert puts text before the end of an object or array that occurs once in line.
func insert(line string, container json.RawMessage, text string) string {
	if container == nil {
		return line
	}
	whole := string(container)
	return strings.Replace(line, whole, whole[:len(whole)-1]+text+whole[len(whole)-1:], 1)
}
