// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience bounds what should take no time, so that a fault fails and does not hang.
const patience = time.Minute

// A proxyRun is "toolvet proxy" in front of the fake server, as a process, and its client.
type proxyRun struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string // that the client gets; closed at the end
	asked int
}

// startProxy starts a proxy by a policy, whose server notes its calls in a file.
func startProxy(t *testing.T, dir, policy, calls string) *proxyRun {
	t.Helper()
	return startClient(t, proxyCommand(t, dir, policy, calls))
}

func proxyCommand(t *testing.T, dir, policy, calls string) *exec.Cmd {
	t.Helper()
	for name, text := range map[string]string{
		"server.json":  `{"capabilities":{"tools":{}},"tools":[{"name":"read","inputSchema":{"type":"object"}}]}`,
		"toolvet.yaml": "version: 1\nservers: {fake: {}}\n" + policy,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return exec.Command("toolvet", "proxy", "--policy", filepath.Join(dir, "toolvet.yaml"), "--", "fakeserver", filepath.Join(dir, "server.json"), "calls="+calls)
}

// startClient starts a proxy, and is its client.
func startClient(t *testing.T, cmd *exec.Cmd) *proxyRun {
	t.Helper()
	p := &proxyRun{t: t, cmd: cmd, lines: make(chan string, 1000)}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for in := bufio.NewScanner(stdout); in.Scan(); {
			p.lines <- in.Text()
		}
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("standard error of the proxy:\n%s", stderr.String())
		}
	})
	return p
}

// call asks for a call, and does not wait for its answer. The error says that nobody listens.
func (p *proxyRun) call() error {
	p.asked++
	_, err := fmt.Fprintf(p.stdin, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read","arguments":{}}}`+"\n", p.asked)
	return err
}

var errEnded = errors.New("the proxy has ended")

// answer waits for the next answer.
func (p *proxyRun) answer() (string, error) {
	select {
	case line, ok := <-p.lines:
		if !ok {
			return "", errEnded
		}
		return line, nil
	case <-time.After(patience):
		return "", errors.New("no answer")
	}
}

// kill is what nothing can prepare for.
func (p *proxyRun) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.stdin.Close()
	for range p.lines {
	}
	_ = p.cmd.Wait()
}

// ran is the number of calls that servers noted in a file.
func ran(t *testing.T, calls string) int {
	t.Helper()
	text, err := os.ReadFile(calls)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// eventually waits for what must come.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}
