// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/policy"
)

// tokenGate is a Gate whose policy lets read_text_file run only after a dry run.
func tokenGate(t *testing.T, opts ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\npreset: none\ndry_run: {before: ['*:read_*']}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return newGate(t, append(opts, toolvet.WithPolicy(policy.Seal(p)))...)
}

func readCall(t *testing.T) *call.Call {
	t.Helper()
	return newCall(t, `{"name":"read_text_file","arguments":{"path":"a"}}`, fileTool)
}

// TestDemandedToken holds that a policy can demand a dry run, and that only its token satisfies it.
func TestDemandedToken(t *testing.T) {
	t.Parallel()
	g := tokenGate(t)
	judge := func(c *call.Call, at toolvet.Point) string {
		v := g.Judge(t.Context(), c, at)
		if v.Go {
			return ""
		}
		return v.Findings[0].Check + ": " + v.Findings[0].Message
	}
	for _, at := range []toolvet.Point{toolvet.PointLibrary, toolvet.PointProxy} {
		if got := judge(readCall(t), at); !strings.Contains(got, "token: the policy lets the tool run only after a dry run") {
			t.Errorf("without a token at %d: %q", at, got)
		}
		c := readCall(t)
		token, ok := inside.Of(g).Token(c, "")
		if !ok {
			t.Fatal("no token")
		}
		c.Meta = map[string]any{binding.Key: token}
		if got := judge(c, at); got != "" {
			t.Errorf("with its token at %d: %q", at, got)
		}
		if got := judge(c, at); !strings.Contains(got, "token: the token has let a call in before") {
			t.Errorf("once more at %d: %q", at, got)
		}
		c.Meta = map[string]any{binding.Key: nil}
		if got := judge(c, at); !strings.Contains(got, "token: the token is none") {
			t.Errorf("with null at %d: %q", at, got)
		}
	}
	if got := judge(readCall(t), toolvet.PointValidate); got != "" {
		t.Errorf("a dry run needs a dry run: %q", got)
	}
	scheduled := readCall(t)
	scheduled.Session = &call.Session{Unattended: true}
	if got := judge(scheduled, toolvet.PointLibrary); got != "" {
		t.Errorf("a scheduled call, for which nobody asks: %q", got)
	}
	meta := newCall(t, `{"name":"call_tool","arguments":{"name":"read_text_file","arguments":{"path":"a"}}}`, fileTool,
		`{"name":"call_tool","inputSchema":{"type":"object"}}`)
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\npreset: none\ndry_run: {before: ['*:read_*']}\nservers: {s: {tools: {call_tool: {calls: {tool: name, arguments: arguments}}}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	meta.Server = "s"
	if v := newGate(t, toolvet.WithPolicy(policy.Seal(p))).Judge(t.Context(), meta, toolvet.PointProxy); v.Go || v.Findings[len(v.Findings)-1].Check != "token" {
		t.Errorf("the call of another tool within the arguments needs no token: %+v", v)
	}
	again, _ := inside.Of(g).Token(readCall(t), "")
	c := readCall(t)
	c.Meta = map[string]any{binding.Key: again}
	if v := tokenGate(t).Judge(t.Context(), c, toolvet.PointProxy); v.Go {
		t.Error("the token of another policy counts")
	}
	if _, ok := inside.Of(nil).Token(readCall(t), ""); ok {
		t.Error("a Gate that nobody made gives tokens")
	}
}

// TestTokenOfARefusedCall holds that a call that is not made leaves its token valid.
func TestTokenOfARefusedCall(t *testing.T) {
	t.Parallel()
	limiter := &countingLimiter{refuse: 1} // refuses the second call
	g := tokenGate(t, toolvet.WithInside(engine.Parts{Limiter: limiter}))
	first, second := readCall(t), readCall(t)
	for _, c := range []*call.Call{first, second} {
		token, ok := inside.Of(g).Token(c, "")
		if !ok {
			t.Fatal("no token")
		}
		c.Meta = map[string]any{binding.Key: token}
	}
	if v, ticket := inside.Of(g).Admit(t.Context(), first, toolvet.PointProxy); !v.Go {
		t.Fatalf("%+v", v)
	} else {
		ticket.Rollback() // as if the server were gone
	}
	if v := g.Judge(t.Context(), second, toolvet.PointProxy); v.Go {
		t.Fatal("the limit refuses nothing")
	}
	limiter.refuse = 100
	for name, c := range map[string]*call.Call{"a call that was not made": first, "a call that a limit refused": second} {
		if v := g.Judge(t.Context(), c, toolvet.PointProxy); !v.Go {
			t.Errorf("the token of %s is spent: %+v", name, v.Findings)
		}
	}
}
