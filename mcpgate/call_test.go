// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/inputschema"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/mcpgate"
)

// The handler of a good call receives the bytes that the client sent, and the client
// what it gets from a server without a gate.
func TestGoodCallIsUntouched(t *testing.T) {
	t.Parallel()
	calls := []struct{ tool, arguments, received string }{
		{"read", `{ "path" : "a\u002fb" }`, `{ "path" : "a\u002fb" }`},
		{"read", `{"limit":12345678901234567890,"path":"x","more":{"b":1.0,"a":[1e2]}}`, `{"limit":12345678901234567890,"path":"x","more":{"b":1.0,"a":[1e2]}}`},
		{"read", `{"path":"<&> ü 😀 \ud83d\ude00"}`, `{"path":"<&> ü 😀 \ud83d\ude00"}`},
		{"greet", `{"times":2,"name":"Ann"}`, `{"times":2,"name":"Ann"}`},
		{"fail", `{}`, ""},
		{"fail-coded", "", ""},
	}
	eachVersion(t, func(t *testing.T, version string) {
		bare, _ := newServer(nil)
		with, ran := guarded(t, nil)
		direct, judged := open(t, bare, version), open(t, with, version)
		for _, c := range calls {
			want, got := direct.call(c.tool, c.arguments), judged.call(c.tool, c.arguments)
			if diff := cmp.Diff(want.line, got.line); diff != "" {
				t.Errorf("%s %s: answers differ (-bare +guarded):\n%s", c.tool, c.arguments, diff)
			}
			var received []string
			if c.received != "" {
				received = []string{c.tool + " " + c.received}
			}
			if diff := cmp.Diff(received, ran.take(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the handler received something else (-want +got):\n%s", diff)
			}
		}
	})
}

func TestAbsentArgumentsAreAnEmptyObject(t *testing.T) {
	t.Parallel()
	var got []json.RawMessage
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "free", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			got = append(got, req.Params.Arguments)
			return &mcp.CallToolResult{}, nil
		})
	server.AddTool(&mcp.Tool{Name: "needs", InputSchema: json.RawMessage(`{"type":"object","required":["a"]}`)}, nil)
	install(t, server)
	w := open(t, server, "2025-11-25")
	if r := w.call("free", "").tool(t); r.IsError || len(got) != 1 || got[0] != nil {
		t.Errorf("got %+v and arguments %q, want the call run with none", r, got)
	}
	if r := w.call("needs", "").tool(t); !r.IsError {
		t.Errorf("got %+v, want a refusal: a is required", r)
	}
}

func TestBadCallIsRefused(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server, ran := guarded(t, nil)
		w := open(t, server, version)
		for _, arguments := range []string{`{"pth":"a"}`, `{"path":17,"encoding":"utf8"}`, ""} {
			a := w.call("read", arguments)
			checkRefusal(t, a.tool(t), version)
			if strings.Contains(a.line, "utf8") {
				t.Errorf("%s repeats an argument", a.line)
			}
		}
		if got := w.call("greet", `{"times":"many","extra":1}`).tool(t).verdict(t); len(got.Errors) < 3 {
			t.Errorf("got errors %q, want all three at once", got.Errors)
		}
		if got := ran.take(); got != nil {
			t.Errorf("ran %q, want nothing", got)
		}
	})
}

// checkRefusal checks the form of a refusal (SEP-1303).
func checkRefusal(t *testing.T, r toolResult, version string) {
	t.Helper()
	if !r.IsError || len(r.Content) != 1 || !strings.Contains(r.Content[0].Text, "refused") {
		t.Errorf("got %+v, want isError and a text", r)
	}
	if r.Structured != nil {
		t.Errorf("got structuredContent %s: clients would check it against the tool's outputSchema", r.Structured)
	}
	wantType, wantKeys := "", []string{protocol.VerdictKey}
	if version >= modernVersion {
		wantType, wantKeys = "complete", []string{protocol.VerdictKey, mcp.MetaKeyServerInfo}
	}
	if r.ResultType != wantType {
		t.Errorf("got resultType %q, want %q", r.ResultType, wantType)
	}
	var keys []string
	for key := range r.Meta {
		keys = append(keys, key)
	}
	if diff := cmp.Diff(wantKeys, keys, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("keys of _meta differ (-want +got):\n%s", diff)
	}
	conforms(t, protocol.ResultSchema, r.Meta[protocol.VerdictKey])
	if v := r.verdict(t); v.Valid || len(v.Errors) == 0 {
		t.Errorf("got verdict %+v, want reasons", v)
	}
}

// verdict is what a refusal or an answer of the validate tool says.
func (r toolResult) verdict(t testing.TB) protocolResult {
	t.Helper()
	raw := r.Structured
	if r.IsError {
		raw = r.Meta[protocol.VerdictKey]
	}
	if raw == nil {
		t.Fatalf("got %+v, want a verdict", r)
	}
	var v protocolResult
	unmarshal(t, raw, &v)
	return v
}

// A protocolResult is a protocol.Result as a client reads it.
type protocolResult struct {
	Valid                         bool
	Errors, Warnings, Suggestions []string
	Tool, Method, Version         string
	Findings, Skipped             []map[string]any
	Levels                        []string
}

func TestMalformedArgumentsAreAProtocolError(t *testing.T) {
	t.Parallel()
	arguments := map[string]string{
		"duplicate key":        `{"path":"/ok","path":"/etc/` + secret + `"}`,
		"duplicate key inside": `{"path":"a","x":[{"y":1,"y":2}]}`,
		"escaped duplicate":    `{"path":"a","p\u0061th":"b"}`,
		"invalid UTF-8":        "{\"path\":\"\xff\"}",
		"lone surrogate":       `{"path":"\ud800"}`,
		"number out of range":  `{"path":"a","limit":1e999}`,
		"too deep":             `{"path":"a","x":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
		"string":               `"` + secret + `"`,
		"array":                `[]`,
		"null":                 `null`,
	}
	for _, version := range []string{"2025-11-25", modernVersion} {
		server, ran := guarded(t, nil)
		w := open(t, server, version)
		for name, args := range arguments {
			a := w.call("read", args)
			code := -32602
			if name == "invalid UTF-8" {
				code = -32700 // it is no JSON
			}
			if a.Error == nil || int(a.Error.Code) != code || strings.Contains(a.line, secret) {
				t.Errorf("%s: got %s, want the error %d without the value", name, a.line, code)
			}
			if got := ran.take(); got != nil {
				t.Errorf("%s: ran %q, want nothing", name, got)
			}
		}
		if r := w.call("read", `{"path":"a"}`).tool(t); r.IsError {
			t.Errorf("got %+v, want the session to go on", r)
		}
	}
}

func TestWithLimits(t *testing.T) {
	t.Parallel()
	server, _ := guarded(t, nil, mcpgate.WithLimits(call.Limits{Bytes: 20}))
	w := open(t, server, "2025-11-25")
	if a := w.call("read", `{"path":"a"}`); a.Error != nil {
		t.Errorf("got %s, want the call run", a.line)
	}
	if a := w.call("read", `{"path":"a long name"}`); a.Error == nil || a.Error.Code != -32602 {
		t.Errorf("got %s, want the error -32602", a.line)
	}
}

// unknownTool is in the refusal of a call of a tool that the server does not list.
const unknownTool = "the server lists no tool of this name"

func TestUnknownToolIsRefusedWithASuggestion(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server, _ := guarded(t, nil)
		w := open(t, server, version)
		for name, suggestion := range map[string]string{"nosuch": "", "Read": "did you mean the tool read?", "": "", "a b<é>": ""} {
			a := w.call(name, `{}`)
			checkRefusal(t, a.tool(t), version)
			if !strings.Contains(a.line, unknownTool) || !strings.Contains(a.line, suggestion) {
				t.Errorf("%q: got %s, want the tool unknown, and %q", name, a.line, suggestion)
			}
		}
	})
}

// semantic is a check of the second stage that refuses some calls.
func semantic(refuses func(*call.Call) bool) *check.Check {
	return &check.Check{
		Name: "semantic", Doc: "# semantic\n\nRefuses some calls.\n",
		Stage: check.Semantic, Level: check.SemanticLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			if refuses(pass.Call) {
				pass.Reportf("", "refused")
			}
			return nil
		},
	}
}

// checksOn are the checks that find something in a call with these params, with only the
// checks input-schema and second at work.
func checksOn(t *testing.T, second *check.Check, params string) []any {
	t.Helper()
	server, ran := newServer(nil)
	if err := mcpgate.Install(server, newGate(t, toolvet.WithChecks(inputschema.Check, second))); err != nil {
		t.Fatal(err)
	}
	var checks []any
	for _, f := range open(t, server, "2025-11-25").ask("tools/call", params).tool(t).verdict(t).Findings {
		checks = append(checks, f["check"])
	}
	if got := ran.take(); got != nil {
		t.Errorf("%s: ran %q, want nothing", params, got)
	}
	return checks
}

// A live call ends at the first stage that refuses it, a dry run sees all of them.
func TestStages(t *testing.T) {
	t.Parallel()
	noReading := semantic(func(c *call.Call) bool { return c.Name == "read" })
	for params, want := range map[string][]any{
		`{"name":"read","arguments":{}}`:                                              {"input-schema"},
		`{"name":"read","arguments":{"path":"a"}}`:                                    {"semantic"},
		`{"name":"validate","arguments":{"tool":"read","arguments":{}}}`:              {"input-schema", "semantic"},
		`{"name":"validate","arguments":{"tool":"greet","arguments":{"name":"Ann"}}}`: nil,
	} {
		if diff := cmp.Diff(want, checksOn(t, noReading, params)); diff != "" {
			t.Errorf("%s: checks with findings differ (-want +got):\n%s", params, diff)
		}
	}
}

// The call that validate describes is judged with the _meta that it came with, as the
// real one would be.
func TestMetaReachesTheChecks(t *testing.T) {
	t.Parallel()
	tenants := semantic(func(c *call.Call) bool { return c.Name == "read" && c.Meta["tenant"] != "t1" })
	for params, want := range map[string][]any{
		`{"name":"read","arguments":{"path":"a"},"_meta":{"tenant":"t2"}}`:                                 {"semantic"},
		`{"name":"validate","arguments":{"tool":"read","arguments":{"path":"a"}},"_meta":{"tenant":"t2"}}`: {"semantic"},
		`{"name":"validate","arguments":{"tool":"read","arguments":{"path":"a"}},"_meta":{"tenant":"t1"}}`: nil,
	} {
		if diff := cmp.Diff(want, checksOn(t, tenants, params)); diff != "" {
			t.Errorf("%s: checks with findings differ (-want +got):\n%s", params, diff)
		}
	}
}

// A tool that is replaced is judged by its new schema at once, although the SDK has told
// nobody of the change.
func TestReplacedToolIsJudgedByItsNewSchema(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", modernVersion} {
		// Without listChanged the SDK never tells.
		server, ran := guarded(t, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
		w := open(t, server, version)
		for _, wanted := range []string{"string", "integer", "string"} {
			server.AddTool(&mcp.Tool{Name: "t", InputSchema: json.RawMessage(
				`{"type":"object","properties":{"a":{"type":"` + wanted + `"}},"required":["a"]}`)}, ran.raw)
			for kind, arguments := range map[string]string{"string": `{"a":"x"}`, "integer": `{"a":1}`} {
				if r := w.call("t", arguments).tool(t); r.IsError != (kind != wanted) {
					t.Errorf("%s wanted, %s sent: got %+v", wanted, kind, r)
				}
				if got := w.validate("t", arguments).tool(t).verdict(t).Valid; got != (kind == wanted) {
					t.Errorf("%s wanted, %s described: got valid %v", wanted, kind, got)
				}
			}
			if got := len(ran.take()); got != 1 {
				t.Errorf("%s wanted: %d calls ran, want 1", wanted, got)
			}
		}
		server.RemoveTools("t")
		if a := w.call("t", `{"a":"x"}`); !strings.Contains(a.line, unknownTool) {
			t.Errorf("got %s, want the tool unknown", a.line)
		}
	}
}
