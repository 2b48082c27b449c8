// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// TestRequests holds what presets make of requests other than tools/call, without a policy.
func TestRequests(t *testing.T) {
	t.Parallel()
	world := check.World{Base: "/srv/data", Roots: []string{"/srv/data"}}
	standard, strict, observe := open(t, "standard", world), open(t, "strict", world), open(t, "observe", world)
	for _, tt := range []struct{ method, params, standard, strict string }{
		{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{"x":{}},"clientInfo":{"name":"c"}}`, "go", "go"},
		{"ping", ``, "go", "go"},
		{"ping", `null`, "go", "go"},
		{"tools/list", `{"cursor":null}`, "go", "go"},
		{"tools/list", `{"cursor":7}`, "no-go input-schema", "no-go input-schema"},
		{"resources/read", `{"uri":"file:///srv/data/a.txt"}`, "go", "go"},
		{"resources/read", `{"uri":"FILE://localhost/srv/data/a%20b.txt"}`, "go", "go"},
		{"resources/read", `{"uri":"file:///etc/passwd"}`, "no-go path", "no-go path"},
		{"resources/read", `{"uri":"file:/etc/passwd"}`, "no-go path", "no-go path"},
		{"resources/read", `{"uri":"file:%2fetc/passwd"}`, "no-go path", "no-go path"},
		{"resources/read", `{"uri":"file:///srv/data/%2e%2e/%2e%2e/etc/passwd"}`, "no-go path uri", "no-go path uri"},
		{"resources/read", `{"uri":"file:///srv/data/%252e%252e/x"}`, "no-go path uri", "no-go path uri"},
		{"resources/read", `{"uri":"file://169.254.169.254/srv/data/a"}`, "no-go path", "no-go path"},
		{"resources/read", `{"uri":"file:///srv/data/a?/../../etc"}`, "no-go path uri", "no-go path uri"},
		{"resources/read", `{"uri":"/etc/passwd"}`, "no-go uri", "no-go uri"},
		{"resources/read", `{"uri":"note://team/2026"}`, "go", "go"},
		{"resources/read", `{"uri":"note:///../../etc/passwd"}`, "no-go uri", "no-go uri"},
		{"resources/read", `{"uri":"note://a%5c..%5cb"}`, "no-go uri", "no-go uri"},
		{"resources/read", `{"uri":"note://$(id)"}`, "no-go substitution", "no-go substitution"},
		{"resources/read", `{"uri":"https://example.org/a"}`, "go", "go"},
		{"resources/read", `{"uri":"http://169.254.169.254/latest/meta-data"}`, "no-go url", "no-go url"},
		{"resources/read", `{"URI":"file:///etc/passwd","uri":"note://a"}`, "error", "error"},
		{"resources/read", `{"uri":"note://a","extra":1}`, "go unknown-argument", "no-go unknown-argument"},
		{"resources/read", `{}`, "no-go input-schema", "no-go input-schema"},
		{"resources/subscribe", `{"uri":"file:///etc/passwd"}`, "no-go path", "no-go path"},
		{"subscriptions/listen", `{"notifications":{"resourceSubscriptions":["file:///srv/data/a","file:///etc/passwd"]}}`, "no-go path", "no-go path"},
		{"prompts/get", `{"name":"cat","arguments":{"path":"/srv/data/a"}}`, "go path-state", "no-go path-state"},
		{"prompts/get", `{"name":"cat","arguments":{"path":"/etc/passwd"}}`, "no-go path", "no-go path"},
		{"prompts/get", `{"name":"cat","arguments":{"text":"/etc/passwd"}}`, "go", "go"},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"cat"},"argument":{"name":"path","value":"/srv/data/a"}}`, "go", "go"},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"cat"},"argument":{"name":"path","value":"/etc/passwd"}}`, "no-go path", "no-go path"},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"cat"},"argument":{"name":"x","value":"y"},"context":{"arguments":{"path":"/etc/passwd"}}}`, "no-go path", "no-go path"},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"file:///{+path}"},"argument":{"name":"path","value":"a"}}`, "go", "go"},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"file:///etc/passwd"},"argument":{"name":"x","value":"a"}}`, "no-go path", "no-go path"},
		{"tasks/get", `{"taskId":"a"}`, "go", "go"},
		{"vendor/exec", `{"cmd":"x"}`, "go known-method", "no-go known-method"},
		{"vendor/exec", `{"path":"/etc/passwd"}`, "no-go known-method path", "no-go known-method"},
		{"notifications/anything", `{"x":1}`, "go known-method", "no-go known-method"},
	} {
		judge := func(d *door) string {
			c, err := call.DecodeRequest(tt.method, []byte(tt.params), call.Limits{})
			if tt.params == "" {
				c, err = call.DecodeRequest(tt.method, nil, call.Limits{})
			}
			if err != nil {
				return "error"
			}
			return sortedOutcome(d.gate.Judge(t.Context(), c, toolvet.PointProxy))
		}
		if got := judge(standard); got != tt.standard {
			t.Errorf("standard: %s %s: %q, want %q", tt.method, tt.params, got, tt.standard)
		}
		if got := judge(strict); got != tt.strict {
			t.Errorf("strict: %s %s: %q, want %q", tt.method, tt.params, got, tt.strict)
		}
		if got := judge(observe); got != "error" && got[:2] != "go" {
			t.Errorf("observe: %s %s: %q", tt.method, tt.params, got)
		}
	}
}

// TestParts holds that every part of a call on which servers act is judged, not the arguments alone.
func TestParts(t *testing.T) {
	t.Parallel()
	world := check.World{Base: "/srv/data", Roots: []string{"/srv/data"}}
	tool := `{"name":"env","inputSchema":{"type":"object"}}`
	standard, strict := open(t, "standard", world, tool), open(t, "strict", world, tool)
	for _, tt := range []struct{ params, standard, strict string }{
		{`{"name":"env"}`, "go", "go"},
		{`{"name":"env","_meta":{"progressToken":1,"traceparent":"$(id)","io.modelcontextprotocol/clientInfo":{"name":"$(id)"}}}`, "go", "go"},
		{`{"name":"env","_meta":{"branch":"main"}}`, "go", "go"},
		{`{"name":"env","_meta":{"branch":"$(id)"}}`, "no-go substitution", "no-go substitution"},
		{`{"name":"env","inputResponses":{"a":{"action":"accept","content":{"path":"/srv/data/x"}}},"requestState":"x"}`, "go", "go"},
		{`{"name":"env","inputResponses":{"a":{"action":"accept","content":{"path":"/etc/passwd"}}}}`, "no-go path", "no-go path"},
		{`{"name":"env","inputResponses":{"a":{"content":{"list":[{"branch":"$(id)"}]}}}}`, "no-go substitution", "no-go substitution"},
		{`{"name":"env","inputResponses":{"a":{"roots":[{"uri":"file:///home/ann"}]}}}`, "go", "go"},
		{`{"name":"env","inputResponses":{"a":{"n":1e400}}}`, "error", "error"},
		{`{"name":"env","inputResponses":7}`, "error", "error"},
		{`{"name":"env","args":{"path":"/srv/data/x"}}`, "go unknown-argument", "no-go unknown-argument"},
		{`{"name":"env","args":{"path":"/etc/passwd"}}`, "no-go path unknown-argument", "no-go unknown-argument"},
		{`{"name":"env","_meta":{"io.modelcontextprotocol/other":{"path":"/etc/passwd"}}}`, "no-go path", "no-go path"},
		{`{"name":"env","task":{"ttl":1}}`, "go", "go"},
		{`{"name":"env","task":{"ttl":1,"x":"y"}}`, "go unknown-argument", "no-go unknown-argument"},
		{`{"name":"env","task":7}`, "error", "error"},
		{`{"name":"env","requestState":{}}`, "error", "error"},
	} {
		judge := func(d *door) string {
			c, err := call.DecodeParams([]byte(tt.params), call.Limits{})
			if err != nil {
				return "error"
			}
			c.Tool = d.tools["env"]
			return sortedOutcome(d.gate.Judge(t.Context(), c, toolvet.PointProxy))
		}
		if got := judge(standard); got != tt.standard {
			t.Errorf("standard: %s: %q, want %q", tt.params, got, tt.standard)
		}
		if got := judge(strict); got != tt.strict {
			t.Errorf("strict: %s: %q, want %q", tt.params, got, tt.strict)
		}
	}
}

// TestShapes holds that no value is left unjudged because its client hides it among others, or deep below.
func TestShapes(t *testing.T) {
	t.Parallel()
	world := check.World{Base: "/srv/data", Roots: []string{"/srv/data"}}
	const tool = `{"name":"env","inputSchema":{"type":"object"}}`
	standard, observe := open(t, "standard", world, tool), open(t, "observe", world, tool)
	many := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"a%d_path":"/srv/data/x",`, i)
		}
		return "{" + b.String() + `"z_path":"` + value + `"}`
	}
	deep := func(n int, value string) string {
		return strings.Repeat(`{"a":`, n) + `{"path":"` + value + `"}` + strings.Repeat("}", n)
	}
	for name, tt := range map[string]struct {
		content func(value string) string
		refused bool // whatever the value
	}{
		"plain":                         {func(v string) string { return `{"path":"` + v + `"}` }, false},
		"400 names":                     {func(v string) string { return many(400, v) }, false},
		"600 names":                     {func(v string) string { return many(600, v) }, true},
		"deep":                          {func(v string) string { return deep(4, v) }, false},
		"deeper":                        {func(v string) string { return deep(5, v) }, true},
		"the second of objects":         {func(v string) string { return `{"l":[{"x":"y"},{"path":"` + v + `"}]}` }, false},
		"the second of texts":           {func(v string) string { return `{"path":[1,"x","` + v + `"]}` }, false},
		"a text or a list of it":        {func(v string) string { return `{"l":[{"path":"x"},{"path":["` + v + `"]}]}` }, false},
		"an object after a text":        {func(v string) string { return `{"l":["x",{"path":"` + v + `"}]}` }, true},
		"an object and a text":          {func(v string) string { return `{"l":[{"path":{}},{"path":"` + v + `"},{"path":{"x":"y"}}]}` }, true},
		"a list in a list":              {func(v string) string { return `{"path":[["` + v + `"]]}` }, true},
		"an object in a list in a list": {func(v string) string { return `{"l":[[{"path":"` + v + `"}]]}` }, true},
		"numbers in a list in a list":   {func(v string) string { return `{"l":[[1,2],[]],"path":"` + v + `"}` }, false},
	} {
		for where, request := range map[string]func(string) (*call.Call, error){
			"inputResponses": func(content string) (*call.Call, error) {
				return call.DecodeParams([]byte(`{"name":"env","inputResponses":{"q":{"content":`+content+`}}}`), call.Limits{})
			},
			"_meta": func(content string) (*call.Call, error) {
				return call.DecodeParams([]byte(`{"name":"env","_meta":{"x.y/z":{"q":`+content+`}}}`), call.Limits{})
			},
			"unknown members": func(content string) (*call.Call, error) {
				return call.DecodeParams([]byte(`{"name":"env","q":{"q":`+content+`}}`), call.Limits{})
			},
			"a prompt": func(content string) (*call.Call, error) {
				return call.DecodeRequest("prompts/get", []byte(`{"name":"p","arguments":{"q":`+content+`}}`), call.Limits{})
			},
			"an unknown method": func(content string) (*call.Call, error) {
				return call.DecodeRequest("x/y", []byte(`{"p":{"q":`+content+`}}`), call.Limits{})
			},
		} {
			judge := func(d *door, value string) toolvet.Verdict {
				c, err := request(tt.content(value))
				if err != nil {
					t.Fatal(err)
				}
				if c.IsTool() {
					c.Tool = d.tools["env"]
				}
				return d.gate.Judge(t.Context(), c, toolvet.PointProxy)
			}
			if v := judge(standard, "/etc/passwd"); v.Go {
				t.Errorf("%s in %s is let through: %s", name, where, outcome(v))
			}
			if where == "a prompt" {
				continue // its arguments must be texts
			}
			if v := judge(standard, "/srv/data/x"); v.Go == tt.refused {
				t.Errorf("%s in %s: %s", name, where, outcome(v))
			}
			if v := judge(observe, "/etc/passwd"); !v.Go {
				t.Errorf("observe refuses %s in %s: %s", name, where, outcome(v))
			}
		}
	}
	uris := strings.Repeat(`"file:///srv/data/a",`, 500)
	c, err := call.DecodeRequest("subscriptions/listen", []byte(`{"notifications":{"resourceSubscriptions":[`+uris+`"file:///etc/passwd"]}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if v := standard.gate.Judge(t.Context(), c, toolvet.PointProxy); v.Go {
		t.Error("the 501st URI is let through")
	}
}

// sortedOutcome is outcome with the names of the checks in order.
func sortedOutcome(v toolvet.Verdict) string {
	words := strings.Fields(outcome(v))
	slices.Sort(words[1:])
	return strings.Join(words, " ")
}
