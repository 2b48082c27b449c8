// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package typescript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/npm"
)

// A served is a server behind the proxy, with the tools of the conformance kit.
type served struct {
	name    string
	command []string
	native  bool // it judges dry runs itself, and takes no absolute path
}

// servers are a server without validation, and those with the package on each generation of the SDK.
func servers(dir, toolvet string) []served {
	return []served{
		{"plain", []string{toolvet, "conformance", "serve"}, false},
		{"package on the SDK 1.x", []string{"node", filepath.Join(dir, "build", "fixture", "server.js")}, true},
		{"package on the SDK 2.x", []string{"node", filepath.Join(dir, "build", "fixture", "server2.js")}, true},
	}
}

// A verdict is what a dry run answers.
type verdict struct {
	Valid       bool
	Errors      []string
	Suggestions []string
	Method      string
}

// The calls that both clients try.
const (
	good     = `{"path":"reports","mode":"full"}`
	bad      = `{"path":"reports","mode":"fully"}`
	absolute = `{"path":"/reports","mode":"full"}` // what only the package's own check refuses
)

// clients plays dry runs of the package's client, on both generations of the SDK, through the proxy.
func clients(t *testing.T, dir, toolvet string) {
	type reply struct {
		ID     int
		Result json.RawMessage
		Log    []string
		Error  string
	}
	for _, generation := range []string{"1", "2"} {
		for _, s := range servers(dir, toolvet) {
			t.Run("SDK "+generation+".x, "+s.name, func(t *testing.T) {
				var tasks bytes.Buffer
				ask := func(id int, command []string, task string) {
					args, err := json.Marshal(command[1:])
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintf(&tasks, `{"id":%d,"server":{"command":%q,"args":%s},%s}`+"\n", id, command[0], args, task)
				}
				proxied := slices.Concat([]string{toolvet, "proxy", "--"}, s.command)
				for i, arguments := range []string{good, bad, absolute} {
					ask(i, proxied, `"validate":{"tool":"conformance_write","arguments":`+arguments+`}`)
				}
				for i, path := range []string{"toolValidation", "toolValidation.levels.security", "toolValidation.levels.nonsense"} {
					ask(3+i, proxied, `"hasCapability":"`+path+`"`)
				}
				ask(6, s.command, `"validate":{"tool":"conformance_write","arguments":`+good+`}`)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				cmd := exec.CommandContext(ctx, "node", filepath.Join("build", "fixture", "client.js"), generation)
				cmd.Dir, cmd.Stdin, cmd.WaitDelay = dir, &tasks, time.Second
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				replies := make([]reply, 7)
				for line := range strings.Lines(string(out)) {
					var r reply
					if err := json.Unmarshal([]byte(line), &r); err != nil || r.ID < 0 || r.ID >= len(replies) || r.Error != "" {
						t.Fatalf("%v: %s", err, line)
					}
					replies[r.ID] = r
				}
				for id, want := range []struct {
					valid  bool
					method string
				}{0: {true, "native"}, 1: {false, "schema-only"}, 2: {!s.native, "native"}, 6: {true, direct(s)}} {
					if want.method == "" { // one of the others
						continue
					}
					var v verdict
					if err := json.Unmarshal(replies[id].Result, &v); err != nil {
						t.Fatal(err)
					}
					if v.Valid != want.valid || v.Method != want.method || v.Valid != (len(v.Errors) == 0) || !strings.Contains(strings.Join(replies[id].Log, "\n"), ": "+want.method+": ") {
						t.Errorf("%d: got %s and the log %q, want valid %v by %s", id, replies[id].Result, replies[id].Log, want.valid, want.method)
					}
					if id == 2 && s.native && !slices.Contains(v.Errors, "/path: must not be absolute") {
						t.Errorf("the proxy lost what the server found: %q", v.Errors)
					}
				}
				if got := fmt.Sprintf("%s %s %s", replies[3].Result, replies[4].Result, replies[5].Result); got != "true true false" {
					t.Errorf("hasCapability: %s", got)
				}
			})
		}
	}
}

// direct is the way of a verdict on a server without a proxy in front.
func direct(s served) string {
	if s.native {
		return "native"
	}
	return "schema-only"
}

// inspector lists tools, asks for verdicts and makes calls with the official Inspector, through the proxy, in both eras
// of MCP as far as the server speaks them.
func inspector(t *testing.T, dir, toolvet string) {
	program := npm.Inspector(t)
	for _, era := range []string{"legacy", "auto"} {
		for _, s := range servers(dir, toolvet) {
			t.Run(era+", "+s.name, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				entry := map[string]any{"command": toolvet, "args": slices.Concat([]string{"proxy", "--"}, s.command)}
				config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"it": entry}})
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(home, "mcp.json")
				if err := os.WriteFile(file, config, 0o600); err != nil {
					t.Fatal(err)
				}
				inspect := func(code int, args ...string) (r inspected) {
					t.Helper()
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					args = slices.Concat(program[1:], []string{"--config", file, "--server", "it", "--protocol-era", era, "--connect-timeout", "0"}, args)
					cmd := exec.CommandContext(ctx, program[0], args...)
					cmd.Dir, cmd.WaitDelay = home, time.Second
					cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "MCP_INSPECTOR_SECRET_STORE=memory")
					var told bytes.Buffer
					cmd.Stderr = &told
					out, err := cmd.Output()
					if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code || json.Unmarshal(out, &r) != nil {
						t.Fatalf("%q: %v, want the code %d\n%s\n%s", args, err, code, out, &told)
					}
					r.line = string(out)
					return r
				}
				call := func(code int, tool, arguments string) inspected {
					t.Helper()
					return inspect(code, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments)
				}
				var names []string
				for _, tool := range inspect(0, "--method", "tools/list", "--strict").Tools { // the code is 6 for a schema that few clients read
					names = append(names, tool.Name)
				}
				if want := []string{"conformance_write", "conformance_count", "validate", "validate_batch"}; !slices.Equal(names, want) {
					t.Errorf("it lists %q", names)
				}
				method := "toolvet"
				if s.native {
					method = "toolvet+native"
				}
				for arguments, want := range map[string]string{good: "", bad: "/mode: ", absolute: "/path: must not be absolute"} {
					if arguments == absolute && !s.native {
						want = ""
					}
					v := call(0, "validate", `{"tool":"conformance_write","arguments":`+arguments+`}`).StructuredContent
					if v.Valid != (want == "") || !strings.HasPrefix(strings.Join(v.Errors, "\n"), want) || arguments != bad && v.Method != method {
						t.Errorf("%s: got %+v, want %q", arguments, v, want)
					}
					code := 0
					if want != "" {
						code = refused
					}
					live := call(code, "conformance_write", arguments)
					if live.IsError != (want != "") || (live.Meta.Verdict == nil) != (want == "") || len(live.Content) == 0 {
						t.Errorf("%s: got %s", arguments, live.line)
					} else if want != "" && (live.Meta.Verdict.Valid || !slices.Equal(live.Meta.Verdict.Errors, v.Errors) || !strings.Contains(live.Content[0].Text, strings.TrimSuffix(want, " "))) {
						t.Errorf("%s: got %s, want the errors of the dry run: %q", arguments, live.line, v.Errors)
					}
				}
			})
		}
	}
}

// refused is the Inspector's exit code for a result with isError.
const refused = 5

// An inspected is what the Inspector prints.
type inspected struct {
	Tools             []struct{ Name string }
	Content           []struct{ Text string }
	IsError           bool
	StructuredContent verdict
	Meta              struct {
		Verdict *verdict `json:"io.github.toolvet/verdict"`
	} `json:"_meta"`
	line string
}
