// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/policy"
)

const (
	metaTool  = `{"name":"call_tool","inputSchema":{"type":"object","properties":{"name":{"type":"string"},"arguments":{}},"required":["name"]}}`
	writeTool = `{"name":"write","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"mode":{"enum":["a","b"]}},"required":["path"],"additionalProperties":false}}`
)

func innerGate(t *testing.T, dir, yaml string) (*toolvet.Gate, error) {
	t.Helper()
	p, err := policy.Parse(filepath.Join(dir, "toolvet.yaml"), []byte("version: 1\n"+yaml), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := (&access.Enforcer{Server: "s"}).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	return toolvet.New(append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
}

// TestInner holds that the call within the arguments of a meta-tool is judged as if it came by
// itself: by its schema, demands, rules and visibility.
func TestInner(t *testing.T) {
	t.Parallel()
	const meta = `call_tool: {calls: {tool: name, arguments: arguments}}`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "inner.json"), []byte(`{"tools":[`+strings.ReplaceAll(writeTool, `"write"`, `"deep_write"`)+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := func(more string) string { return "servers: {s: {roots: [/srv/data], tools: {" + meta + more + "}}}\n" }
	for name, tt := range map[string]struct {
		policy, arguments string
		want              []string // of findings: place, check and a part of the message; none: go
		inner             string
	}{
		"go":                 {tools(""), `{"name":"write","arguments":{"path":"/srv/data/x"}}`, nil, "write"},
		"go, as a JSON text": {tools(""), `{"name":"write","arguments":"{\"path\":\"/srv/data/x\"}"}`, nil, "write"},
		"the inner schema": {tools(""), `{"name":"write","arguments":{"path":"/srv/data/x","mode":"c"}}`,
			[]string{`/arguments/mode input-schema in the call of "write": `}, "write"},
		"the inner schema, in a JSON text": {tools(""), `{"name":"write","arguments":"{\"path\":7}"}`,
			[]string{`/arguments input-schema in the call of "write": /path: `}, "write"},
		"no arguments": {tools(""), `{"name":"write"}`, []string{"/arguments/path input-schema"}, "write"},
		"a demand": {tools(`, write: {arguments: {path: {path: {}}}}`), `{"name":"write","arguments":{"path":"/etc/passwd"}}`,
			[]string{`/arguments/path path in the call of "write": `}, "write"},
		"a rule": {tools("") + "rules: [{name: no writes, effect: deny, tools: 's:write'}]\n", `{"name":"write","arguments":{"path":"/srv/data/x"}}`,
			[]string{`/name rule in the call of "write": `}, "write"},
		"a rule on arguments": {tools("") + "rules: [{name: no b, effect: deny, tools: 's:write', when: 'args.mode == \"b\"'}]\n",
			`{"name":"write","arguments":{"path":"/srv/data/x","mode":"b"}}`, []string{"/name rule"}, "write"},
		"allowed outside alone": {tools("") + "rules: [{name: meta, effect: allow, tools: 's:call_tool'}]\n", `{"name":"write","arguments":{"path":"/srv/data/x"}}`,
			[]string{"/name rule"}, "write"},
		"unknown": {tools(""), `{"name":"wriet","arguments":{"path":"x"}}`, []string{"/name known-tool"}, "wriet"},
		"the name in another case": {"servers: {s: {tools: {call_tool: {calls: {tool: /call/name, arguments: /call/args, unknown: allow}}}}}\n",
			`{"name":"x","arguments":{},"call":{"name":"write","NAME":"deep_write"}}`, []string{"/call/NAME inner-call differs in case alone"}, ""},
		"the arguments in another case": {"servers: {s: {tools: {call_tool: {calls: {tool: name, arguments: /call/args}}}}}\n",
			`{"name":"write","Call":{"args":{"path":"/etc/passwd"}}}`, []string{"/Call inner-call differs in case alone"}, ""},
		"the declared arguments in another case": {tools(""), `{"name":"write","Arguments":{"path":"/etc/passwd"}}`,
			[]string{"/Arguments ambiguous-argument differs from a declared argument"}, ""},
		"not named":           {tools(""), `{"name":"","arguments":{}}`, []string{"/name inner-call must name the tool"}, ""},
		"arguments of a list": {tools(""), `{"name":"write","arguments":[1]}`, []string{"/arguments inner-call must be the arguments"}, ""},
		"a JSON text with a name twice": {tools(""), `{"name":"write","arguments":"{\"path\":\"/srv/data/x\",\"path\":\"/etc/passwd\"}"}`,
			[]string{"/arguments inner-call must be an object or a JSON text"}, ""},
		"itself, too deep": {tools(""), `{"name":"call_tool","arguments":{"name":"call_tool","arguments":{"name":"call_tool","arguments":{"name":"call_tool","arguments":{"name":"write"}}}}}`,
			[]string{`/arguments/arguments/arguments/arguments/name inner-call in the call of "call_tool": in the call of "call_tool": in the call of "call_tool": in the call of "call_tool": calls lie within each other`},
			"call_tool call_tool call_tool call_tool"},
		"within another": {tools(""), `{"name":"call_tool","arguments":{"name":"write","arguments":"{\"path\":7}"}}`,
			[]string{`/arguments/arguments input-schema in the call of "call_tool": in the call of "write": /path`}, "call_tool write"},
		"unknown, and allowed": {"servers: {s: {tools: {call_tool: {calls: {tool: name, arguments: arguments, unknown: allow}}}}}\n",
			`{"name":"anything","arguments":{"path":"x"}}`, nil, "anything"},
		"unknown, allowed, and denied by a rule": {"servers: {s: {tools: {call_tool: {calls: {tool: name, arguments: arguments, unknown: allow}}}}}\nrules: [{name: no, effect: deny, tools: 's:any*'}]\n",
			`{"name":"anything","arguments":{"path":"x"}}`, []string{"/name rule"}, "anything"},
		"a file of definitions": {"servers: {s: {tools: {call_tool: {calls: {tool: /name, arguments: /arguments, definitions: inner.json}}}}}\n",
			`{"name":"deep_write","arguments":{"path":"x","mode":"c"}}`, []string{"/arguments/mode input-schema"}, "deep_write"},
		"not in the file": {"servers: {s: {tools: {call_tool: {calls: {tool: /name, arguments: /arguments, definitions: inner.json}}}}}\n",
			`{"name":"write","arguments":{"path":"x"}}`, []string{"/name known-tool"}, "write"},
		"no settings": {"servers: {s: {}}\n", `{"name":"write","arguments":{"path":7}}`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate, err := innerGate(t, dir, tt.policy)
			if err != nil {
				t.Fatal(err)
			}
			var list []*call.Tool
			for _, d := range []string{metaTool, writeTool} {
				tool, err := call.DecodeTool([]byte(d), call.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, tool)
			}
			for _, at := range []toolvet.Point{toolvet.PointProxy, toolvet.PointValidate} {
				c := &call.Call{Server: "s", Name: "call_tool", Raw: json.RawMessage(tt.arguments), Session: &call.Session{}}
				if c.Arguments, err = call.DecodeArguments(c.Raw, call.Limits{}); err != nil {
					t.Fatal(err)
				}
				c.Resolve(call.NewCatalog(list))
				v := gate.Judge(t.Context(), c, at)
				var got, inner []string
				for _, f := range v.Errors() {
					got = append(got, fmt.Sprintf("%s %s %s", f.Pointer, f.Check, f.Message))
				}
				for _, in := range v.Inner {
					inner = append(inner, in.Name)
					if in.Arguments != nil || in.Raw != nil {
						t.Errorf("the verdict keeps arguments")
					}
				}
				ok := v.Go == (tt.want == nil) && len(got) >= len(tt.want)
				for i, want := range tt.want {
					ok = ok && strings.HasPrefix(got[i], want)
				}
				if !ok || at == toolvet.PointProxy && len(got) != len(tt.want) {
					t.Errorf("point %d: got %v and %q, want %q", at, v.Go, got, tt.want)
				}
				if diff := cmp.Diff(tt.inner, strings.Join(inner, " ")); diff != "" {
					t.Errorf("inner (-want +got):\n%s", diff)
				}
			}
		})
	}
	if _, err := innerGate(t, dir, "servers: {s: {tools: {x: {calls: {tool: a, arguments: b, definitions: none.json}}}}}\n"); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("a file that is missing: %v", err)
	}
}

// TestInnerLimits holds that limits count an inner call by its name, and give all back if one of them
// is spent.
func TestInnerLimits(t *testing.T) {
	t.Parallel()
	gate, err := innerGate(t, t.TempDir(), `servers: {s: {tools: {call_tool: {calls: {tool: name, arguments: arguments}}}}}
limits: [{name: writes, tools: 's:write', quota: 1/day}, {name: meta, tools: 's:call_tool', quota: 3/day}]
`)
	if err != nil {
		t.Fatal(err)
	}
	call := func(inner string) (bool, string) {
		c := metaCall(t, inner)
		v, ticket := inside.Of(gate).Admit(t.Context(), c, toolvet.PointProxy)
		ticket.Release()
		where := ""
		for _, f := range v.Errors() {
			where += f.Source + " "
		}
		return v.Go, where
	}
	for i, step := range []struct {
		inner string
		goes  bool
		limit string
	}{
		{"write", true, ""}, {"write", false, "writes "}, {"write", false, "writes "}, {"write", false, "writes "},
		{"read", true, ""}, {"read", true, ""}, {"read", false, "meta "},
	} {
		if goes, limit := call(step.inner); goes != step.goes || limit != step.limit {
			t.Errorf("call %d of %s: go %v, %q; want %v, %q", i, step.inner, goes, limit, step.goes, step.limit)
		}
	}
	v := gate.Judge(t.Context(), metaCall(t, "write"), toolvet.PointValidate)
	if v.Go || len(v.Allowances) != 2 {
		t.Errorf("a dry run: %+v", v)
	}
}

func metaCall(t *testing.T, inner string) *call.Call {
	t.Helper()
	var list []*call.Tool
	for _, d := range []string{metaTool, writeTool, `{"name":"read","inputSchema":{"type":"object"}}`} {
		tool, err := call.DecodeTool([]byte(d), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, tool)
	}
	c := &call.Call{Server: "s", Name: "call_tool", Raw: json.RawMessage(`{"name":"` + inner + `","arguments":{"path":"x"}}`), Session: &call.Session{}}
	var err error
	if c.Arguments, err = call.DecodeArguments(c.Raw, call.Limits{}); err != nil {
		t.Fatal(err)
	}
	c.Resolve(call.NewCatalog(list))
	return c
}

// TestInnerMemory holds that a call as a JSON text takes memory from the budget before it is parsed.
func TestInnerMemory(t *testing.T) { // not parallel: nobody else may use the budget
	g, err := innerGate(t, t.TempDir(), "servers: {s: {roots: [/srv/data], tools: {call_tool: {calls: {tool: name, arguments: arguments, unknown: allow}}}}}\n")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(`{"list":[` + strings.Repeat(`"a long text",`, 100_000) + `0]}`)
	if err != nil {
		t.Fatal(err)
	}
	judge := func() toolvet.Verdict {
		c, err := call.DecodeParams(fmt.Appendf(nil, `{"name":"call_tool","arguments":{"name":"write","arguments":%s}}`, text), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		c.Server = "s"
		tool, err := call.DecodeTool([]byte(metaTool), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		c.Resolve(call.NewCatalog([]*call.Tool{tool}))
		return g.Judge(t.Context(), c, toolvet.PointLibrary)
	}
	if v := judge(); !v.Go {
		t.Errorf("%+v", v.Findings)
	}
	all, err := budget.Held.Take(t.Context(), "", 1<<40, budget.Brief)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Return()
	if v := judge(); v.Go || !strings.Contains(v.Findings[0].Message, budget.ErrFull.Error()) {
		t.Errorf("%+v", v.Findings)
	}
}

// TestSubscribed holds that each resource of a subscription is judged and counted as one of resources/subscribe.
func TestSubscribed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ policy, uris, want string }{
		"go":           {"", `"note://a","note://b"`, ""},
		"a demand":     {"servers: {s: {requests: {resources/subscribe: {arguments: {uri: {uri: {schemes: [docs]}}}}}}}\n", `"docs://a","note://b"`, "/notifications/resourceSubscriptions/1 uri"},
		"a rule":       {"servers: {s: {}}\nrules: [{name: no, effect: deny, requests: [\"s:resources/subscribe\"], when: 'args.uri == \"note://b\"'}]\n", `"note://a","note://b"`, " rule"},
		"a limit":      {"servers: {s: {}}\nlimits: [{name: few, requests: [\"s:resources/subscribe\"], quota: 2/day}]\n", `"note://a","note://b","note://c"`, " limit"},
		"no text":      {"", `"note://a",1`, "/notifications/resourceSubscriptions/1 input-schema"},
		"too many":     {"", strings.Repeat(`"note://a",`, 500) + `"note://a"`, "/notifications/resourceSubscriptions inner-call"},
		"canonical":    {"preset: none\nservers: {s: {requests: {resources/subscribe: {arguments: {uri: {path: {base: /usr, canonical: true}}}}}}}\n", `"lib"`, "/notifications/resourceSubscriptions/0 inner-call"},
		"without them": {"servers: {s: {}}\nrules: [{name: no, effect: deny, requests: [\"s:resources/subscribe\"]}]\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate, err := innerGate(t, t.TempDir(), tt.policy)
			if err != nil {
				t.Fatal(err)
			}
			c, err := call.DecodeRequest("subscriptions/listen", []byte(`{"notifications":{"toolsListChanged":true,"resourceSubscriptions":[`+tt.uris+`]}}`), call.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			c.Server = "s"
			v, ticket := inside.Of(gate).Admit(t.Context(), c, toolvet.PointProxy)
			defer ticket.Release()
			got := ""
			for _, f := range v.Findings {
				if f.Blocks() && got == "" {
					got = f.Pointer + " " + f.Check
				}
			}
			if got != tt.want || v.Go != (tt.want == "") {
				t.Errorf("go is %t, %q, want %q: %v", v.Go, got, tt.want, v.Findings)
			}
		})
	}
}
