// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/mediate"
	"github.com/toolvet/toolvet/policy"
)

// TestHide holds that a list shows what the session may call with some arguments, byte for
// byte, and that what it does not show is refused all the same.
func TestHide(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse("toolvet.yaml", []byte(`version: 1
visibility: allowed
rules:
  - {name: own, effect: allow, tools: "read", when: 'session.subject == "ann" && args.path != "x"'}
`), suite.Rules()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := new(access.Enforcer).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(append(options, toolvet.WithPolicy(p))...)
	if err != nil {
		t.Fatal(err)
	}
	const (
		read  = `{ "name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string","x":1.0}}} }`
		write = `{"name":"write","inputSchema":{"type":"object"}}`
		odd   = `{"title":"no name"}`
	)
	for subject, want := range map[string]string{
		"ann": `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + read + `,{"name":"validate",`,
		"bob": `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"validate",`,
	} {
		s := newStage(t, Config{Config: mediate.Config{Gate: func() *toolvet.Gate { return gate }}, Session: call.Session{Subject: subject}})
		s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		s.play("S<")
		s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[` + write + `, ` + read + `,` + odd + `]}}`)
		if got := strings.TrimPrefix(s.play("C<"), "C< "); !strings.HasPrefix(got, want) {
			t.Errorf("%s sees %s", subject, got)
		}
		s.play(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write","arguments":{}}}`)
		if got := s.play("C<"); !strings.Contains(got, `"isError":true`) {
			t.Errorf("%s may call what is hidden: %s", subject, got)
		}
	}
}
