// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/upstream"
)

// A serveRun is "toolvet serve" in front of three servers that note their starts and calls, with a schedule.
type serveRun struct {
	t        *testing.T
	dir, url string
}

// Tokens of the policy, and their digests.
const (
	annToken, annDigest = "0123456789abcdef0123456789abcdef", "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9"
	bobToken, bobDigest = "abcdefabcdefabcdefabcdefabcdef01", "77a28a027e398f3a3f3370dea23cea6db0f0d3e2819c9c52539d9ee89889f27a"
)

// writePolicy writes the policy; the server a has a variable with this value.
func (s *serveRun) writePolicy(value string) {
	s.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nauthorization: {tokens: [{sha256: %s, subject: ann}, {sha256: %s, subject: bob}]}\n", annDigest, bobDigest)
	fmt.Fprintf(&b, "schedule: {store: %q}\nservers:\n", filepath.Join(s.dir, "jobs.db"))
	for _, name := range []string{"a", "b", "c"} {
		command := fmt.Sprintf("echo $$$$ >> %[1]s/%[2]s.pids; exec fakeserver %[1]s/server.json calls=%[1]s/%[2]s.calls", s.dir, name)
		fmt.Fprintf(&b, "  %s: {command: [sh, -c, %q], env: {VALUE: %q}}\n", name, command, map[string]string{"a": value}[name])
	}
	file := filepath.Join(s.dir, "toolvet.yaml")
	if err := os.WriteFile(file+".new", []byte(b.String()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		s.t.Fatal(err)
	}
}

func startServe(t *testing.T) *serveRun {
	t.Helper()
	s := &serveRun{t: t, dir: t.TempDir()}
	tools := `{"capabilities":{"tools":{}},"tools":[{"name":"read","inputSchema":{"type":"object"}}]}`
	if err := os.WriteFile(filepath.Join(s.dir, "server.json"), []byte(tools), 0o600); err != nil {
		t.Fatal(err)
	}
	s.writePolicy("")
	address := freeAddress()
	s.url = "http://" + address + "/mcp"
	cmd := exec.Command("toolvet", "serve", "--policy", filepath.Join(s.dir, "toolvet.yaml"), "--listen", address)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("standard error of toolvet serve:\n%s", stderr.String())
		}
	})
	eventually(t, "toolvet listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return s
}

// client begins a session.
func (s *serveRun) client(token string) *upstream.Set {
	s.t.Helper()
	text := fmt.Sprintf("version: 1\nservers: {g: {url: %q, credentials: {header: {Authorization: %q}}}}\n", s.url, "Bearer "+token)
	p, err := policy.Parse("client.yaml", []byte(text), suite.Demands()...)
	if err != nil {
		s.t.Fatal(err)
	}
	set, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "g", Dialer: &backend.Dialer{Server: p.Servers[0]}}}})
	if err != nil {
		s.t.Fatal(err)
	}
	return set
}

// call makes a call that must succeed. A server that starts slowly may be missing from the first lists of tools, so
// a call that was not made is tried again.
func (s *serveRun) call(client *upstream.Set, tool, arguments string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		o, err := client.Call(s.t.Context(), "g:"+tool, json.RawMessage(arguments))
		if err == nil && !o.Ran && time.Now().Before(deadline) {
			continue
		}
		if err != nil || !o.Ran || bytes.Contains(o.Raw, []byte(`"isError":true`)) {
			s.t.Errorf("%s: %v, %+v", tool, err, o)
		}
		return
	}
}

// starts counts the processes that were started.
func (s *serveRun) starts() (n int) {
	for _, name := range []string{"a", "b", "c"} {
		n += ran(s.t, filepath.Join(s.dir, name+".pids"))
	}
	return n
}

// calls counts the calls that a server ran.
func (s *serveRun) calls(server string) int { return ran(s.t, filepath.Join(s.dir, server+".calls")) }

// TestServeProcesses holds that sessions and jobs of one principal share one process of each server, which is
// started on demand; that another principal has processes of its own; and that a server that the policy
// reaches another way is replaced for both.
func TestServeProcesses(t *testing.T) {
	t.Parallel()
	s := startServe(t)
	if n := s.starts(); n != 0 {
		t.Fatalf("%d processes before anybody needs one", n)
	}
	ann := s.client(annToken)
	for _, server := range []string{"a", "b"} {
		s.call(ann, "schedule__create", fmt.Sprintf(`{"name":"job-%s","tool":"%[1]s:read","arguments":{},"schedule":"every 1s"}`, server))
	}
	var clients sync.WaitGroup
	for _, server := range []string{"a", "b", "c"} {
		clients.Go(func() {
			one := s.client(annToken)
			defer one.Close(t.Context())
			for range 10 {
				s.call(one, server+"__read", `{}`)
				s.call(one, "schedule__trigger", `{"job":"job-a"}`)
			}
		})
	}
	clients.Wait()
	ann.Close(t.Context())
	alone := s.calls("b") // no client is there
	eventually(t, "jobs run without a client", func() bool { return s.calls("b") >= alone+2 })
	ann = s.client(annToken)
	s.call(ann, "c__read", `{}`)
	if n := s.starts(); n != 3 {
		t.Errorf("%d processes for one principal, want 3", n)
	}

	bob := s.client(bobToken)
	defer bob.Close(t.Context())
	s.call(bob, "a__read", `{}`)
	eventually(t, "another principal has processes", func() bool { return s.starts() == 6 })

	s.writePolicy("changed")
	before := ran(t, filepath.Join(s.dir, "a.pids"))
	eventually(t, "jobs start the changed server", func() bool { return ran(t, filepath.Join(s.dir, "a.pids")) > before })
	called := s.calls("a")
	s.call(ann, "a__read", `{}`)
	s.call(bob, "a__read", `{}`)
	eventually(t, "jobs call the changed server", func() bool { return s.calls("a") >= called+4 })
	if n := s.starts(); n != 8 {
		t.Errorf("%d processes after a change of one server, want 8: one more for each principal", n)
	}
	ann.Close(t.Context())
}
