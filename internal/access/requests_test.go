// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package access_test

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/inside"
)

// request is ann's request.
func request(t *testing.T, method, params string) *call.Call {
	t.Helper()
	c, err := call.DecodeRequest(method, []byte(params), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c.Server, c.Session = "s", &call.Session{Subject: "ann"}
	return c
}

const (
	reading  = `{"uri":"note://a"}`
	greeting = `{"name":"greet","arguments":{"who":"bob"}}`
)

// TestRulesOfRequests holds which rules hold for requests other than tools/call, and what they read.
func TestRulesOfRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rules, method, params, want string }{
		{`{name: a, effect: allow, tools: "*"}`, "resources/read", reading, "no rule allows the request"},
		{`{name: a, effect: allow, tools: "*"}`, "vendor/exec", `{}`, "no rule allows the request"},
		{`{name: a, effect: allow, tools: "*"}`, "initialize", `{}`, ""},
		{`{name: a, effect: allow, tools: "*"}`, "tools/list", `{}`, ""},
		{`{name: a, effect: allow}`, "resources/read", reading, ""},
		{`{name: a, effect: allow, requests: "resources/*"}`, "resources/read", reading, ""},
		{`{name: a, effect: allow, requests: "resources/*"}`, "prompts/get", greeting, "no rule allows the request"},
		{`{name: a, effect: allow, requests: "s:resources/*"}`, "resources/read", reading, ""},
		{`{name: a, effect: allow, requests: "other:resources/*"}`, "resources/read", reading, "no rule allows the request"},
		{`{name: a, effect: allow, tools: "x", requests: "resources/read"}`, "resources/read", reading, ""},
		{`{name: a, effect: deny, tools: "*"}`, "resources/read", reading, ""},
		{`{name: a, effect: deny}`, "resources/read", reading, `the rule "a" refuses the call`},
		{`{name: a, effect: deny}`, "ping", `{}`, ""},
		{`{name: a, effect: deny, requests: "*"}`, "ping", `{}`, `the rule "a" refuses the call`},
		{`{name: a, effect: deny, requests: "tools/list"}`, "tools/list", `{}`, `the rule "a" refuses the call`},
		{`{name: a, effect: deny, requests: "resources/read", when: 'args.uri.startsWith("note:")'}`, "resources/read", reading, `the rule "a" refuses the call`},
		{`{name: a, effect: deny, requests: "resources/read", when: 'args.uri.startsWith("file:")'}`, "resources/read", reading, ""},
		{`{name: a, effect: deny, requests: "prompts/get", when: 'args.arguments.who == "bob"'}`, "prompts/get", greeting, `the rule "a" refuses the call`},
		{`{name: a, effect: deny, requests: "*", when: 'request.method == "prompts/get" && tool.name == request.method'}`, "prompts/get", greeting, `the rule "a" refuses the call`},
		{`{name: a, effect: deny, requests: "*", when: 'has(request.meta.note)'}`, "prompts/get", `{"name":"a","_meta":{"note":1}}`, `the rule "a" refuses the call`},
		{`{name: a, effect: deny, requests: "*", when: 'request.inputs.a.content.n == 7'}`, "prompts/get", `{"name":"a","inputResponses":{"a":{"content":{"n":7}}}}`, `the rule "a" refuses the call`},
		{`{name: a, effect: deny, requests: "*", when: 'has(request.inputs.a)'}`, "prompts/get", greeting, ""},
		{`{name: a, effect: deny, requests: "*", when: 'args.nothing == 1'}`, "prompts/get", greeting, "could not be evaluated"},
	} {
		g := gate(t, &access.Enforcer{Server: "s"}, "rules: ["+tt.rules+"]\n")
		v := g.Judge(t.Context(), request(t, tt.method, tt.params), toolvet.PointProxy)
		if v.Go != (tt.want == "") || !strings.Contains(v.String(), tt.want) {
			t.Errorf("%s: %s: got %v, want %q", tt.rules, tt.method, v, tt.want)
		}
	}
	if _, err := new(access.Enforcer).Options(parse(t, `rules: [{name: a, effect: deny, requests: "a:"}]`+"\n")); err == nil {
		t.Error("a pattern without a method is taken")
	}
}

// TestTasks holds that a request for a task of an admitted call needs no rule of its own, as long as
// the rules let its caller make the call.
func TestTasks(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]bool{
		`{name: a, effect: allow, tools: "s:read"}`:                                                                             true,
		`{name: a, effect: allow, tools: "s:other"}`:                                                                            false,
		`{name: a, effect: allow, tools: "s:read"}, {name: b, effect: deny, requests: "tasks/*"}`:                               false,
		`{name: a, effect: allow, tools: "s:read"}, {name: b, effect: deny, tools: "s:read", when: 'session.subject == "ann"'}`: false,
	} {
		g := gate(t, &access.Enforcer{Server: "s"}, "rules: ["+rules+"]\n")
		c := request(t, "tasks/get", `{"taskId":"1"}`)
		if v := g.Judge(t.Context(), c, toolvet.PointProxy); v.Go {
			t.Errorf("%s: a task of nobody knows whom: %v", rules, v)
		}
		c.Behind = callBy("ann")
		if v := g.Judge(t.Context(), c, toolvet.PointProxy); v.Go != want {
			t.Errorf("%s: %v", rules, v)
		}
	}
}

// TestLimitsOfRequests holds which limits count requests other than tools/call.
func TestLimitsOfRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limit, method, params string
		counts                bool
	}{
		{`requests: "s:resources/*"`, "resources/read", reading, true},
		{`requests: "s:resources/*"`, "prompts/get", greeting, false},
		{`tools: "s:*"`, "resources/read", reading, false},
		{`per: []`, "resources/read", reading, true},
		{`per: []`, "ping", `{}`, false},
		{`requests: "s:*"`, "ping", `{}`, true},
	} {
		g := gate(t, &access.Enforcer{Server: "s"}, "limits: [{name: a, quota: 1/month, "+tt.limit+"}]\n")
		for n := range 2 {
			v := g.Judge(t.Context(), request(t, tt.method, tt.params), toolvet.PointProxy)
			if refused := n == 1 && tt.counts; v.Go == refused {
				t.Errorf("%s: %s: request %d: %v", tt.limit, tt.method, n+1, v)
			}
		}
	}
	g := gate(t, &access.Enforcer{Server: "s"}, "limits: [{name: a, quota: 1/month, tools: [\"s:*\"], requests: [\"s:*\"], per: [identity]}]\n")
	if v := g.Judge(t.Context(), request(t, "resources/read", reading), toolvet.PointProxy); !v.Go {
		t.Errorf("the first: %v", v)
	}
	if v := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); v.Go {
		t.Error("a request and a call do not count together")
	}
}

// TestListed holds that lists show what a session may ask for, whatever else it asks.
func TestListed(t *testing.T) {
	t.Parallel()
	g := gate(t, &access.Enforcer{Server: "s"}, `visibility: allowed
rules:
  - {name: prompts, effect: allow, requests: "s:prompts/get", when: 'args.name != "secret" && args.arguments.who == "ann"'}
  - {name: notes, effect: allow, requests: "s:resources/read", when: 'args.uri.startsWith("note:")'}
`)
	for entry, want := range map[[2]string]bool{
		{"prompts/list", `{"name":"greet","arguments":[{"name":"who"}]}`}: true,
		{"prompts/list", `{"name":"secret"}`}:                             false,
		{"resources/list", `{"uri":"note://a","name":"a"}`}:               true,
		{"resources/list", `{"uri":"file:///etc/passwd","name":"a"}`}:     false,
		{"resources/templates/list", `{"uriTemplate":"x:{y}"}`}:           true,
	} {
		c := listed.DecodeEntry(entry[0], []byte(entry[1]), call.Limits{})
		c.Server, c.Session = "s", &call.Session{Subject: "ann"}
		if got := inside.Of(g).Lists(t.Context(), c); got != want {
			t.Errorf("%s %s: %v", entry[0], entry[1], got)
		}
	}
	for _, odd := range []string{`{}`, `7`, `{"name":7}`, `{"name":"a","Name":"b"}`, `{"name":"a","name":"b"}`} {
		if c := listed.DecodeEntry("prompts/list", []byte(odd), call.Limits{}); c != nil {
			t.Errorf("%s is an entry: %+v", odd, c)
		}
	}
}
