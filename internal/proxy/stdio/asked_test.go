// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// ruled returns a gate of a policy with its preset, rules and limits.
func ruled(t *testing.T, text string) *toolvet.Gate {
	t.Helper()
	checks := suite.Default()
	p, err := policy.Parse("toolvet.yaml", []byte(text), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = preset.Apply("standard", p, checks); err != nil {
		t.Fatal(err)
	}
	options, err := (&access.Enforcer{Server: "s"}).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	g, err := toolvet.New(append(options, toolvet.WithChecks(checks...), toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestAsked holds that a policy denies, limits and records requests of the server to the client, and
// that values which the client answers are judged before the server gets them.
func TestAsked(t *testing.T) {
	t.Parallel()
	const (
		sample = `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":5}}`
		form   = `{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"message":"where?","requestedSchema":{"type":"object","properties":{"path":{"type":"string"}}}}}`
	)
	open := func(url string) string {
		return `{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"mode":"url","message":"log in","elicitationId":"e","url":"` + url + `"}}`
	}
	for name, tt := range map[string]struct {
		policy  string
		asks    []string
		refused string // of the last request: part of the answer that the server gets; "" if the client gets the request
		answer  string // of the client to the last request
		gets    string // part of what the server gets of the answer
		told    string // of the last request, by the observer
	}{
		"passes under an allow list": {
			policy: "rules: [{name: reads, effect: allow, tools: 's:read'}]", asks: []string{sample},
			answer: `{"jsonrpc":"2.0","id":7,"result":{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}}`, gets: `"model":"m"`, told: "judged 7, returned 7",
		},
		"denied": {
			policy: "rules: [{name: nobody, effect: deny, requests: 's:sampling/*', message: no sampling}]", asks: []string{sample},
			refused: "no sampling", told: "judged 7",
		},
		"other letters": {asks: []string{strings.Replace(sample, "sampling", "Sampling", 1)}, refused: "in the letters of MCP"},
		"denied by its params": {
			policy: "rules: [{name: forms, effect: deny, requests: 's:elicitation/create', when: 'has(args.mode) && args.mode == \"url\"'}]", asks: []string{open("https://example.org/")},
			refused: "forms",
		},
		"limited": {
			policy: "limits: [{name: few, requests: 's:sampling/*', rate: 1/h}]", asks: []string{sample, strings.Replace(sample, `"id":7`, `"id":70`, 1)},
			refused: "at most 1 per hour",
		},
		"a URL of a program":        {asks: []string{open("ms-msdt:/id")}, refused: "/url"},
		"a page without a place":    {asks: []string{open("data:text/html,x")}, refused: "/url"},
		"a URL inside a URL":        {asks: []string{open("blob:https://example.org/")}, refused: "/url"},
		"a path":                    {asks: []string{open("//example.org/")}, refused: "/url"},
		"no URL":                    {asks: []string{open("")}, refused: "/url"},
		"a URL with another's name": {asks: []string{open("https://example.org@example.net/")}, refused: "/url"},
		"a URL of this machine":     {asks: []string{open("http://localhost:3000/login")}},
		"a URL of another scheme":   {asks: []string{open("javascript:alert(1)")}, refused: "/url"},
		"a value that is judged": {
			asks: []string{form}, answer: `{"jsonrpc":"2.0","id":8,"result":{"action":"accept","content":{"path":"../../etc/passwd\u0000.txt"}}}`,
			gets: "the client's answer is withheld", told: "judged 8, returned 8",
		},
		"a value that is harmless": {
			asks: []string{form}, answer: `{"jsonrpc":"2.0","id":8,"result":{"action":"accept","content":{"path":"a.txt"}}}`, gets: `"path":"a.txt"`,
		},
		"an answer with two readings": {
			asks: []string{form}, answer: `{"jsonrpc":"2.0","id":8,"result":{"action":"decline","action":"accept"}}`, gets: "the client's answer is withheld",
		},
		"a result and an error": {
			asks: []string{sample}, answer: `{"jsonrpc":"2.0","id":7,"result":{"model":"m"},"error":{"code":-1,"message":"no"}}`, gets: "it has a result and an error",
		},
		"an error with two readings": {
			asks: []string{sample}, answer: `{"jsonrpc":"2.0","id":7,"error":{"code":-1,"code":-2,"message":"no"}}`, gets: "the client's answer is withheld",
		},
		"an error": {
			asks: []string{sample}, answer: `{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}`, gets: `"code":-1`, told: "judged 7, returned 7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate, o := ruled(t, "version: 1\nservers: {s: {}}\n"+tt.policy+"\n"), &fakeObserver{}
			s := newStage(t, Config{Config: relay.Config{Server: "s", Observer: o, Gate: func() *toolvet.Gate { return gate }}})
			for i, ask := range tt.asks {
				s.play("S> " + ask)
				if i < len(tt.asks)-1 || tt.refused == "" {
					if got := s.play("C<"); got != "C< "+ask {
						t.Fatalf("the client gets %s", got)
					}
				}
			}
			if tt.refused != "" {
				if got := s.play("S<"); !strings.Contains(got, `"error"`) || !strings.Contains(got, tt.refused) {
					t.Errorf("the server gets %s, want an error with %q", got, tt.refused)
				}
			}
			if tt.answer != "" {
				s.play("C> " + tt.answer)
				if got := s.play("S<"); !strings.Contains(got, tt.gets) {
					t.Errorf("the server gets %s, want %q in it", got, tt.gets)
				}
				// The answer counts once: a second one is an answer to nothing.
				s.play("C> " + tt.answer)
				s.play(`C> {"jsonrpc":"2.0","id":"p","method":"ping"}`)
				if got := s.play("S<"); !strings.Contains(got, "ping") {
					t.Errorf("the server gets %s behind the answer, want the ping", got)
				}
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			if got := strings.Join(o.told, ", "); tt.told != "" && got != tt.told {
				t.Errorf("recorded: %s, want %s", got, tt.told)
			}
		})
	}
}

// TestInputRequests holds that what a server asks of the client inside another message is judged like a
// request of its own: in results, in tasks, in errors and in notifications, however it is spelt.
func TestInputRequests(t *testing.T) {
	t.Parallel()
	gate := ruled(t, "version: 1\nservers: {s: {}}\nrules: [{name: nobody, effect: deny, requests: 's:sampling/*'}]\n")
	s := newStage(t, Config{Config: relay.Config{Server: "s", Gate: func() *toolvet.Gate { return gate }}})
	s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.play("S<")
	s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
	s.play("C<")
	const (
		read     = `"method":"tools/call","params":{"name":"read","arguments":{}}`
		task     = `"method":"tasks/get","params":{"taskId":"a"}`
		sampling = `{"k":{"method":"sampling/createMessage","params":{}}}`
	)
	required := func(asked string) string {
		return `"result":{"resultType":"input_required","inputRequests":{` + asked + `},"requestState":"s"}`
	}
	elicit := func(url string) string {
		return `"error":{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url","message":"m","elicitationId":"e","url":"` + url + `"}]}}`
	}
	for name, tt := range map[string]struct {
		asks, answer string
		shown        bool
	}{
		"a form":                   {read, required(`"k":{"method":"elicitation/create","params":{"message":"really?"}}`), true},
		"sampling":                 {read, required(`"k":{"method":"sampling/createMessage","params":{}}`), false},
		"one of several":           {read, required(`"a":{"method":"roots/list"},"k":{"method":"sampling\/createMessage"}`), false},
		"a URL":                    {read, required(`"k":{"method":"elicitation/create","params":{"mode":"url","url":"javascript:alert(1)"}}`), false},
		"two methods":              {read, required(`"k":{"Method":"sampling/createMessage","method":"roots/list"}`), false},
		"without a type":           {read, `"result":{"inputRequests":` + sampling + `}`, false},
		"of another type":          {read, `"result":{"resultType":"complete","inputRequests":` + sampling + `}`, false},
		"other letters":            {read, `"result":{"resultType":"input_required","InputRequests":` + sampling + `}`, false},
		"escaped letters":          {read, `"result":{"resultType":"input_required","\u0049nputReque\u017fts":` + sampling + `}`, false},
		"a task":                   {task, `"result":{"resultType":"complete","taskId":"a","status":"input_required","inputRequests":` + sampling + `}`, false},
		"a task without questions": {task, `"result":{"resultType":"complete","taskId":"a","status":"working","inputRequests":null}`, true},
		"an error":                 {read, elicit("https://example.org/"), true},
		"an error's URL":           {read, elicit("javascript:alert(1)"), false},
		"an error of a read":       {`"method":"resources/read","params":{"uri":"file:///srv/a"}`, elicit("javascript:alert(1)"), false},
		"of another code":          {read, strings.Replace(elicit("javascript:alert(1)"), "-32042", "-1", 1), false},
		"an error's other letters": {read, strings.Replace(elicit("javascript:alert(1)"), "elicitations", "Elicitations", 1), false},
		"data that asks nothing":   {read, `"error":{"code":-1,"message":"m","data":{"q":[1]}}`, true},
	} {
		s.play(`C> {"jsonrpc":"2.0","id":2,` + tt.asks + `}`)
		s.play("S<")
		sent := `{"jsonrpc":"2.0","id":2,` + tt.answer + `}`
		s.play("S> " + sent)
		if got := s.play("C<"); (got == "C< "+sent) != tt.shown || !tt.shown && (strings.Contains(got, "inputRequests\":") || strings.Contains(got, "javascript")) {
			t.Errorf("%s: the client gets %s", name, got)
		}
	}
	for name, sent := range map[string]string{
		"a task's state":          `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"a","status":"input_required","inputRequests":` + sampling + `}}`,
		"a request without an id": `{"jsonrpc":"2.0","method":"elicitation/create","params":{"message":"m"}}`,
	} {
		s.play("S> " + sent)
		s.play(`S> {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"next"}}`)
		if got := s.play("C<"); !strings.Contains(got, "next") {
			t.Errorf("%s: the client gets %s", name, got)
		}
	}
}

// TestStrayLog holds that a server cannot fill the log with messages that nobody asked for.
func TestStrayLog(t *testing.T) {
	t.Parallel()
	gate := ruled(t, "version: 1\nservers: {s: {}}\n")
	var log bytes.Buffer
	s := newStage(t, Config{Config: relay.Config{Server: "s", Gate: func() *toolvet.Gate { return gate }, Logger: slog.New(slog.NewTextHandler(&log, nil))}})
	for range 1000 {
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":5,"result":{}}`, `{"jsonrpc":"2.0","method":"sampling/createMessage"}`, `{"jsonrpc":"2.0","method":"no method"}`, `x`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a","data":"b"}}`,
		} {
			s.play("S> " + line)
		}
	}
	s.client.Close()
	s.wait()
	if n := strings.Count(log.String(), "\n"); n < 5 || n > 50 {
		t.Errorf("5000 messages make %d lines in the log:\n%s", n, log.String())
	}
}
