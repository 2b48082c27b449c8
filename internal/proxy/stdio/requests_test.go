// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// presetGate is the gate of a policy with a preset.
func presetGate(t *testing.T, name, yaml string) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\n"+yaml), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := new(access.Enforcer).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = preset.Apply(name, p, suite.Default()); err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// TestUnjudgedParams holds that nothing of a request reaches the server under strict that has not
// been judged: no other member, no other method, no notification.
func TestUnjudgedParams(t *testing.T) {
	t.Parallel()
	gate := presetGate(t, "strict", "servers: {s: {roots: [/srv/data]}}\nrules: [{name: a, effect: allow, tools: [\"s:env\"]}]\n")
	s := newStage(t, Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }, Server: "s"}})
	s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.play("S<")
	s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"env","inputSchema":{"type":"object"}}]}}`)
	s.play("C<")
	for params, want := range map[string]string{
		`"arguments":{},"args":{"path":"/etc/passwd"}`:                                                      `\"args\"`,
		`"arguments":{},"Arguments":{"path":"/etc/passwd"}`:                                                 "-32602",
		`"arguments":{},"__proto__":{"path":"/etc/passwd"}`:                                                 "__proto__",
		`"arguments":{},"inputResponses":{"a":{"action":"accept","content":{"path":"/etc/passwd"}}}`:        "/inputResponses/a/content/path",
		`"arguments":{},"task":{"ttl":1,"x":"y"}`:                                                           "task.x",
		`"arguments":{},"_meta":{"branch":"$(id)"}`:                                                         "/_meta/branch",
		`"arguments":{"__proto__":{"isAdmin":true}}`:                                                        "/__proto__",
		`"arguments":{},"inputResponses":{"a":1,"a":{"content":{"path":"/etc/passwd"}}}`:                    "-32602",
		`"arguments":{},"requestState":["x"]`:                                                               "-32602",
		`"arguments":{},"inputResponses":{"a":{"action":"accept","content":{"branch":"main$(curl x|sh)"}}}`: "/inputResponses/a/content/branch",
	} {
		s.play(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"env",` + params + `}}`)
		if got := s.play("C<"); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", params, got, want)
		}
	}
	for _, dropped := range []string{
		`{"jsonrpc":"2.0","method":"notifications/anything","params":{"x":1}}`,
		`{"jsonrpc":"2.0","method":"vendor/exec","params":{"cmd":"x"}}`,
		`{"jsonrpc":"2.0","method":"resources/read","params":{"uri":"file:///srv/data/a"}}`,
		`{"jsonrpc":"2.0","method":"ping"}`,
	} {
		s.play("C> " + dropped)
	}
	s.play(`C> {"jsonrpc":"2.0","id":77,"method":"vendor/exec","params":{"cmd":"rm -rf /"}}`)
	if got := s.play("C<"); !strings.Contains(got, "-32601") {
		t.Errorf("an unknown method: %s", got)
	}
	for _, passed := range []string{
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","id":78,"method":"ping"}`,
	} {
		s.play("C> " + passed)
		if got := s.play("S<"); got != "S< "+passed {
			t.Errorf("the server gets %s, want %s", got, passed)
		}
	}
}

// TestObservedRequests holds what is recorded of requests: the verdict and the result of each that
// asks for something, and nothing of those with which clients find their way.
func TestObservedRequests(t *testing.T) {
	t.Parallel()
	gate, o := presetGate(t, "standard", ""), &fakeObserver{}
	s := newStage(t, Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }, Observer: o}})
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note://a"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"vendor/exec","params":{}}`,
	} {
		s.play("C> " + line)
		s.play("S<")
		id := strings.Split(line, ",")[1]
		s.play(`S> {"jsonrpc":"2.0",` + id + `,"result":{}}`)
		s.play("C<")
	}
	s.play(`C> {"jsonrpc":"2.0","method":"notifications/anything","params":{}}`)
	s.play("S<")
	s.play(`C> {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///a/../b"}}`)
	s.play("C<")
	s.client.Close()
	s.wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	want := []string{"judged 3", "returned 3", "judged 4", "returned 4", "judged ", "returned ", "judged 5"}
	if !slices.Equal(o.told, want) {
		t.Errorf("got %q, want %q", o.told, want)
	}
}

// TestUnrecordedRequest holds that a request that cannot be recorded is refused, and that a result
// that cannot be is withheld.
func TestUnrecordedRequest(t *testing.T) {
	t.Parallel()
	const read = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"note://a"}}`
	s := newStage(t, Config{Config: relay.Config{Observer: &fakeObserver{failJudged: true}}})
	s.play("C> " + read)
	if got := s.play("C<"); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "cannot be recorded") {
		t.Errorf("got %s", got)
	}
	s = newStage(t, Config{Config: relay.Config{Observer: &fakeObserver{fail: true}}})
	s.play("C> " + read)
	s.play("S<")
	s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"note://a","text":"hello"}]}}`)
	if got := s.play("C<"); !strings.Contains(got, `"code":-32603`) || strings.Contains(got, "hello") {
		t.Errorf("got %s", got)
	}
}

// TestTasksFollowCalls holds that a session may ask for tasks of its own calls, and for no others.
func TestTasksFollowCalls(t *testing.T) {
	t.Parallel()
	gate := gateOf(t, `rules: [{name: own, effect: allow, tools: "slow"}]`+"\n")
	s := newStage(t, Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }}})
	s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.play("S<")
	s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"slow","inputSchema":{"type":"object"}}]}}`)
	s.play("C<")
	s.play(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{},"task":{"ttl":1}}}`)
	s.play("S<")
	s.play(`S> {"jsonrpc":"2.0","id":2,"result":{"task":{"taskId":"mine","status":"working"}}}`)
	s.play("C<")
	for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
		s.play(`C> {"jsonrpc":"2.0","id":3,"method":"` + method + `","params":{"taskId":"mine"}}`)
		s.play("S<")
		s.play(`S> {"jsonrpc":"2.0","id":3,"result":{}}`)
		s.play("C<")
		s.play(`C> {"jsonrpc":"2.0","id":4,"method":"` + method + `","params":{"taskId":"other"}}`)
		if got := s.play("C<"); !strings.Contains(got, "no rule allows the request") {
			t.Errorf("%s: the task of another: %s", method, got)
		}
	}
}

// TestHideEntries holds that lists of prompts, resources and templates show what the session may ask
// for, byte for byte.
func TestHideEntries(t *testing.T) {
	t.Parallel()
	gate := gateOf(t, `visibility: allowed
rules:
  - {name: prompts, effect: allow, requests: "prompts/get", when: 'args.name == "greet"'}
  - {name: notes, effect: allow, requests: "resources/read", when: 'args.uri.startsWith("note:")'}
`)
	s := newStage(t, Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }}, Session: call.Session{Subject: "ann"}})
	for _, tt := range []struct{ method, sent, want string }{
		{"prompts/list", `{"prompts":[ {"name":"greet", "x":1.0},{"name":"evil"},{"title":"nameless"}],"nextCursor":"2"}`, `{"prompts":[{"name":"greet", "x":1.0}],"nextCursor":"2"}`},
		{"resources/list", `{"resources":[{"uri":"file:///etc/passwd","name":"a"},{"uri":"note://a","name":"b"}]}`, `{"resources":[{"uri":"note://a","name":"b"}]}`},
		{"resources/list", `{"resources":[{"uri":"note://a","name":"b"}]}`, `{"resources":[{"uri":"note://a","name":"b"}]}`},
		{"resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"note://{a}","name":"b"}]}`, `{"resourceTemplates":[{"uriTemplate":"note://{a}","name":"b"}]}`},
		{"prompts/list", `{"prompts":[],"Prompts":[{"name":"evil"}]}`, `"error"`},
		{"prompts/list", `{"prompts":{"0":{"name":"evil"}}}`, `"error"`},
	} {
		s.play(`C> {"jsonrpc":"2.0","id":1,"method":"` + tt.method + `"}`)
		s.play("S<")
		s.play(`S> {"jsonrpc":"2.0","id":1,"result":` + tt.sent + `}`)
		if got := s.play("C<"); !strings.Contains(got, tt.want) || strings.Contains(got, "evil") {
			t.Errorf("%s: got %s, want %s", tt.sent, got, tt.want)
		}
	}
}
