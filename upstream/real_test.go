// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/upstream"
)

// realServers are servers from npm, the filesystem one confined to dir.
func realServers(t *testing.T, dir string) []upstream.Server {
	t.Helper()
	env := append(os.Environ(), "MEMORY_FILE_PATH="+filepath.Join(t.TempDir(), "memory.json"))
	var servers []upstream.Server
	for name, args := range map[string][]string{"filesystem": {dir}, "everything": {"stdio"}, "memory": nil} {
		servers = append(servers, upstream.Server{Name: name, Dialer: upstream.Command{Args: append(npm.Server(t, name), args...), Env: env}, Timeout: time.Minute})
	}
	return servers
}

func realSet(t *testing.T, cfg upstream.Config) *upstream.Set {
	t.Helper()
	s, err := upstream.NewSet(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

func TestRealServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := realSet(t, upstream.Config{Servers: realServers(t, dir)})
	ctx := t.Context()
	o, err := s.Call(ctx, "filesystem:read_text_file", json.RawMessage(fmt.Sprintf(`{"path":%q}`, file)))
	if err != nil || !strings.Contains(string(o.Raw), "hello") {
		t.Errorf("filesystem: %+v, %v", o, err)
	}
	if o, err := s.Call(ctx, "memory:create_entities", json.RawMessage(`{"entities":[{"name":"a","entityType":"t","observations":["o"]}]}`)); err != nil || !o.Ran {
		t.Errorf("memory: %+v, %v", o, err)
	}
	if r, err := s.Validate(ctx, "everything:get-sum", json.RawMessage(`{"a":1,"b":"2"}`)); err != nil || r.Valid || r.Method != "schema-only" {
		t.Errorf("everything: %+v, %v", r, err)
	}
	progress := 0
	o, err = s.Call(ctx, "everything:trigger-long-running-operation", json.RawMessage(`{"duration":0.2,"steps":4}`),
		upstream.WithProgress(func(json.RawMessage) { progress++ }))
	if err != nil || !o.Ran || progress == 0 {
		t.Errorf("progress: %d times; %+v, %v", progress, o, err)
	}
	for list, want := range map[servers.List]string{servers.Prompts: `"prompts"`, servers.Resources: `"resources"`, servers.ResourceTemplates: `"resourceTemplates"`} {
		if pages, _, err := servers.Of(s).List(ctx, "everything", list); err != nil || len(pages) == 0 || !strings.Contains(string(pages[0]), want) {
			t.Errorf("%s: %.100s, %v", list, pages, err)
		}
	}
	if has, err := s.HasCapability(ctx, "everything", "resources.subscribe"); err != nil || !has {
		t.Errorf("resources.subscribe: %t, %v", has, err)
	}
	if has, err := s.HasCapability(ctx, "filesystem", "experimental.toolValidation.supported"); err != nil || has {
		t.Errorf("toolValidation: %t, %v", has, err)
	}
}

// A spy notes the processes that a Command starts.
type spy struct {
	upstream.Command
	mu   sync.Mutex
	pids []int
}

func (s *spy) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := children(nil)
	transport, err := s.Command.Dial(ctx, stderr)
	if err == nil {
		s.pids = children(before)
	}
	return transport, err
}

// kill is kill -9 of the server's process.
func (s *spy) kill(t *testing.T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, pid := range s.pids {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// A server that is killed while 20 calls wait for it: each has its error, none is made again,
// the next call has another server, and nothing is left behind.
func TestRealKill(t *testing.T) { // not parallel: it counts goroutines and children
	if runtime.GOOS != "linux" {
		t.Skip("children are found in /proc")
	}
	before := runtime.NumGoroutine()
	everything := &spy{Command: upstream.Command{Args: append(npm.Server(t, "everything"), "stdio")}}
	s, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "e", Dialer: everything, Timeout: time.Minute}}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var calls, started sync.WaitGroup
		started.Add(20)
		for range 20 {
			begun := sync.OnceFunc(started.Done)
			calls.Go(func() {
				_, err := s.Call(t.Context(), "e:trigger-long-running-operation", json.RawMessage(`{"duration":600,"steps":6000}`),
					upstream.WithProgress(func(json.RawMessage) { begun() }))
				begun()
				var gone *upstream.GoneError
				if !errors.As(err, &gone) || !gone.Sent || !strings.Contains(err.Error(), "was killed by SIGKILL") {
					t.Errorf("a call that was in flight: %v", err)
				}
			})
		}
		started.Wait()
		everything.kill(t)
		calls.Wait()
	}
	if o, err := s.Call(t.Context(), "e:echo", json.RawMessage(`{"message":"again"}`)); err != nil || !strings.Contains(string(o.Raw), "again") {
		t.Errorf("the next call: %+v, %v", o, err)
	}
	s.Close(t.Context())
	left := 0
	for range 200 {
		if left = runtime.NumGoroutine(); left <= before {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if left > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines more than before:\n%s", left-before, stacks[:runtime.Stack(stacks, true)])
	}
}

// children are the processes that this one has started, but for those that are known.
func children(known []int) []int {
	var found []int
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, task := range tasks {
		text, _ := os.ReadFile(task) // of a thread that is gone
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil && !slices.Contains(known, pid) {
				found = append(found, pid)
			}
		}
	}
	return found
}

// What Validate says is what the validate tool of the proxy says, for the same policy.
func TestParity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse("toolvet.yaml", []byte(fmt.Sprintf(`
version: 1
checks:
  unknown-argument: {severity: error}
servers:
  filesystem:
    roots: [%q]
    tools:
      read_text_file:
        arguments:
          path: {path: {exists: true}}
`, dir)), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	gate := newGate(t, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))
	command := append(npm.Server(t, "filesystem"), dir)
	s := realSet(t, upstream.Config{Gate: func(string) *toolvet.Gate { return gate }, Servers: []upstream.Server{
		{Name: "filesystem", Dialer: upstream.Command{Args: command}, Timeout: time.Minute}}})
	ask := behindProxy(t, gate, command)
	for _, c := range []struct{ tool, arguments string }{
		{"read_text_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "a.txt"))},
		{"read_text_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "b.txt"))},
		{"read_text_file", `{"path":"/etc/passwd"}`},
		{"read_text_file", `{"path":"a.txt","hed":1}`},
		{"read_text_file", `{"pth":"a.txt"}`},
		{"read_text_file", `{}`},
		{"read_text_fle", `{"path":"a.txt"}`},
		{"list_directory", fmt.Sprintf(`{"path":%q}`, dir)},
		{"write_file", `{"path":7}`},
	} {
		want := ask(c.tool, c.arguments)
		r, err := s.Validate(t.Context(), "filesystem:"+c.tool, json.RawMessage(c.arguments))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		theirs := object(t, want)
		delete(theirs, "ttlMs") // the proxy may keep its verdict for so long
		if diff := cmp.Diff(theirs, object(t, raw)); diff != "" {
			t.Errorf("%s %s (-proxy +Validate):\n%s", c.tool, c.arguments, diff)
		}
	}
}

func object(t *testing.T, raw []byte) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// behindProxy starts the proxy and returns what asks its validate tool.
func behindProxy(t *testing.T, gate *toolvet.Gate, command []string) func(tool, arguments string) []byte {
	in, toProxy := io.Pipe()
	fromProxy, out := io.Pipe()
	go func() {
		defer out.Close()
		_, err := stdio.Run(t.Context(), stdio.Config{Command: command, Stdin: in, Stdout: out,
			Config: relay.Config{Server: "filesystem", Gate: func() *toolvet.Gate { return gate }, ServerTimeout: time.Minute}})
		if err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { toProxy.Close() })
	lines := bufio.NewReader(fromProxy)
	id := 0
	request := func(method, params string) json.RawMessage {
		id++
		fmt.Fprintf(toProxy, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			m, err := jsonrpc.DecodeEnvelope(line, call.Limits{})
			if err == nil && m.Method == "" && string(m.ID) == fmt.Sprint(id) {
				return m.Result
			}
		}
	}
	request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	fmt.Fprintln(toProxy, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return func(tool, arguments string) []byte {
		var result struct {
			Structured json.RawMessage `json:"structuredContent"`
		}
		raw := request("tools/call", fmt.Sprintf(`{"name":"validate","arguments":{"tool":%q,"arguments":%s}}`, tool, arguments))
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		return result.Structured
	}
}
