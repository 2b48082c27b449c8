// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// withPolicy is a gate of the default checks and a policy.
func withPolicy(t *testing.T, text string) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte(text), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := toolvet.New(toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestClientRoots holds that calls are confined to the roots that the client gives the
// server, from then on, and to no others when the policy names roots: the server does not learn the client's then.
func TestClientRoots(t *testing.T) {
	t.Parallel()
	const (
		told   = `{"jsonrpc":"2.0","id":"r","result":{"roots":[{"uri":"file:///srv/a%20b"},{"uri":"https://example.org/"}]}}`
		listed = `{"jsonrpc":"2.0","id":"toolvet-test-1","result":{"tools":[{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]}}`
	)
	rule := "tools: {read: {arguments: {path: {path: {}}}}}"
	for name, tt := range map[string]struct {
		server, asked string
		inside        bool // whether the roots count
	}{
		"the client's":        {server: rule, asked: `"r"`, inside: true},
		"the policy's":        {server: "roots: [/opt], " + rule, asked: `"r"`},
		"an unasked answer":   {server: rule, asked: `"other"`},
		"on a remote machine": {server: "location: remote, " + rule, asked: `"r"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := withPolicy(t, "version: 1\nservers: {s: {"+tt.server+"}}\n")
			s := newStage(t, Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }}})
			call := func(id, path string) (answer string) {
				s.play(`C> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"read","arguments":{"path":"` + path + `"}}}`)
				select {
				case answer = <-s.fromProxy:
				case answer = <-s.server.got:
					if strings.Contains(answer, "tools/list") {
						s.play("S> " + listed)
						select {
						case answer = <-s.fromProxy:
						case answer = <-s.server.got:
						}
					}
				}
				return answer
			}
			refused := func(answer string) bool { return strings.Contains(answer, `"isError":true`) }
			before := refused(call("1", "/etc/passwd"))
			s.play(`S> {"jsonrpc":"2.0","id":` + tt.asked + `,"method":"roots/list"}`)
			if strings.HasPrefix(tt.server, "roots:") {
				if got := s.play("S<"); !strings.Contains(got, "the policy names the directories") {
					t.Errorf("the server gets %s", got)
				}
			} else {
				s.play("C<")
				s.play("C> " + told)
				if tt.asked == `"r"` {
					s.play("S<") // an answer to nothing is dropped
				}
			}
			inside, outside := refused(call("2", "/srv/a b/x")), refused(call("3", "/etc/passwd"))
			if tt.inside && (inside || !outside) || !tt.inside && outside != before {
				t.Errorf("refused: outside before %v, inside %v, outside %v", before, inside, outside)
			}
		})
	}
}

// TestGateChanges holds that each call is judged by the gate of its moment.
func TestGateChanges(t *testing.T) {
	t.Parallel()
	var current atomic.Pointer[toolvet.Gate]
	current.Store(withPolicy(t, "version: 1\n"))
	s := newStage(t, Config{Config: relay.Config{Gate: current.Load}})
	s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.play("S<")
	s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
	s.play("C<")
	s.play(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"path":"..%2f..%2fetc"}}}`)
	if got := s.play("S<"); !strings.Contains(got, `"id":2`) {
		t.Fatalf("the server gets %s", got)
	}
	current.Store(withPolicy(t, "version: 1\nservers: {s: {tools: {read: {arguments: {path: {path: {}}}}}}}\n"))
	s.play(`C> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{"path":"..%2f..%2fetc"}}}`)
	if got := s.play("C<"); !strings.Contains(got, `"isError":true`) {
		t.Errorf("the client gets %s, want a refusal", got)
	}
}
