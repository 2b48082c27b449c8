// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/race"
)

// guard is what the test adds to an example: newServer in place of mcp-go's constructor, with a gate unless BARE is set.
const guard = `package main

import (
	"os"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/mcpgo"
)

func guarded(name, version string, opts ...server.ServerOption) *server.MCPServer {
	s := server.NewMCPServer(name, version, opts...)
	if os.Getenv("BARE") != "" {
		return s
	}
	gate, err := toolvet.New()
	if err == nil {
		err = mcpgo.Install(s, gate)
	}
	if err != nil {
		panic(err)
	}
	return s
}
`

// example builds an example of mcp-go's own, from the source in the module cache.
func example(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/mark3labs/mcp-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "examples", name, "*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("mcp-go has no example %s: %v", name, err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "example.exe")
	files := map[string][]byte{"toolvet_guard.go": []byte(guard)}
	constructors := 0
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		constructors += strings.Count(string(text), "server.NewMCPServer(")
		if !strings.Contains(string(text), "server.NewMCPServer(") {
			files[filepath.Base(source)] = text
			continue
		}
		files[filepath.Base(source)] = []byte(strings.ReplaceAll(string(text), "server.NewMCPServer(", "guarded(") + "\nvar _ = server.NewMCPServer\n")
	}
	if constructors != 1 {
		t.Fatalf("%s makes %d servers", name, constructors)
	}
	args := []string{"build", "-o", program}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, filepath.Join(dir, file))
	}
	build := exec.CommandContext(t.Context(), "go", args...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	return program
}

// A program is a server on stdio.
type program struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
	id    int
}

func start(t *testing.T, name string, env ...string) *program {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name)
	cmd.Env = append(os.Environ(), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // a broken server has failed the test before
	})
	p := &program{t: t, in: in, lines: bufio.NewScanner(out)}
	p.lines.Buffer(nil, 4<<20)
	p.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	return p
}

// moment matches what differs between two runs of an example.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT[^"\\]+|id=[0-9a-f-]{36}|"elicitationId":"[^"]+"|"id":\d+,`)

// ask returns the answer to a request, without what differs between two runs. Notifications may come before it.
func (p *program) ask(method, params string) *answer {
	p.t.Helper()
	p.id++
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", p.id, method, params); err != nil {
		p.t.Fatal(err)
	}
	for p.lines.Scan() {
		if line := p.lines.Text(); strings.Contains(line, fmt.Sprintf(`"id":%d,`, p.id)) {
			a := &answer{line: moment.ReplaceAllString(line, "MOMENT")}
			if err := json.Unmarshal([]byte(line), a); err != nil {
				p.t.Fatalf("%v: %s", err, line)
			}
			return a
		}
	}
	p.t.Fatalf("%s %s: no answer: %v", method, params, p.lines.Err())
	return nil
}

// TestExamples plays good and bad calls against mcp-go's own examples. What is good passes as without the middleware.
func TestExamples(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for name, tt := range map[string]struct{ good, bad []string }{
		"everything": {
			[]string{
				`{"name":"echo","arguments":{"message":"hello"}}`, `{"name":"add","arguments":{"a":1,"b":2.5}}`, `{"name":"getTinyImage","arguments":{}}`,
				`{"name":"get_resource_link","arguments":{}}`, `{"name":"longRunningOperation","arguments":{"duration":0.01,"steps":2},"_meta":{"progressToken":1}}`,
			},
			[]string{
				`{"name":"echo","arguments":{"text":"hello"}}`, `{"name":"add","arguments":{"a":"1","b":2}}`, `{"name":"ad","arguments":{"a":1,"b":2}}`,
				`{"name":"longRunningOperation","arguments":{"duration":"long"}}`,
			},
		},
		"typed_tools": {
			[]string{`{"name":"greeting","arguments":{"name":"Ann","age":42,"is_vip":true,"languages":["en"],"metadata":{"location":"Oslo"},"any_data":{"n":9007199254740993}}}`},
			[]string{`{"name":"greeting","arguments":{"age":42}}`, `{"name":"greeting","arguments":{"name":"Ann","age":151}}`, `{"name":"greeting","arguments":{"name":"Ann","languages":"en"}}`},
		},
		"structured_input_and_output": {
			[]string{
				`{"name":"get_weather","arguments":{"location":"Oslo","units":"celsius"}}`, `{"name":"get_user_profile","arguments":{"userId":"7"}}`,
				`{"name":"manual_structured","arguments":{"location":"Oslo","units":"celsius"}}`,
			},
			[]string{`{"name":"get_weather","arguments":{"units":"celsius"}}`, `{"name":"get_user_profile","arguments":{"userId":7}}`, `{"name":"get_assets","arguments":{"limit":"all"}}`},
		},
		"elicitation": {
			[]string{`{"name":"process_data","arguments":{"data":"short"}}`},
			[]string{`{"name":"process_data","arguments":{"data":["x"]}}`, `{"name":"process_data","arguments":{}}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := example(t, name)
			bare, guarded := start(t, file, "BARE=1"), start(t, file)
			own, all := bare.ask("tools/list", "{}").names(), guarded.ask("tools/list", "{}").names()
			if want := append(own, "validate", "validate_batch"); !slices.Equal(all, want) {
				t.Errorf("the tools are %q, want %q", all, want)
			}
			for _, call := range tt.good {
				if diff := cmp.Diff(bare.ask("tools/call", call).line, guarded.ask("tools/call", call).line); diff != "" {
					t.Errorf("%s: answers differ (-bare +guarded):\n%s", call, diff)
				}
				if v := guarded.dry(call); v == nil || !v.Valid {
					t.Errorf("%s: %v", call, v)
				}
			}
			for _, call := range tt.bad {
				refused := guarded.ask("tools/call", call).refusal(t)
				if v := guarded.dry(call); v == nil || v.Valid || !slices.Equal(v.Errors, refused.Errors) {
					t.Errorf("%s: live %v, dry %v", call, refused, v)
				}
			}
			for _, request := range []string{"prompts/list", "resources/list", "ping"} {
				if diff := cmp.Diff(bare.ask(request, "{}").line, guarded.ask(request, "{}").line); diff != "" {
					t.Errorf("%s: answers differ (-bare +guarded):\n%s", request, diff)
				}
			}
		})
	}
	for _, name := range []string{"multi_round_trip", "inprocess_sampling"} { // these have their client with them
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := example(t, name)
			var said [2]string
			for i, env := range []string{"BARE=1", "BARE="} {
				cmd := exec.CommandContext(t.Context(), file)
				cmd.Env = append(os.Environ(), env)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", env, err, out)
				}
				said[i] = string(out)
			}
			if diff := cmp.Diff(said[0], said[1]); diff != "" || len(said[1]) == 0 {
				t.Errorf("outputs differ (-bare +guarded):\n%s", diff)
			}
		})
	}
}

// dry asks for the verdict on a call.
func (p *program) dry(call string) *verdict {
	p.t.Helper()
	var c struct {
		Name      string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal([]byte(call), &c); err != nil {
		p.t.Fatal(err)
	}
	return p.ask("tools/call", fmt.Sprintf(`{"name":"validate","arguments":{"tool":%q,"arguments":%s}}`, c.Name, c.Arguments)).Result.Structured
}
