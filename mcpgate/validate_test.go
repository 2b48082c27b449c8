// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/mcpgate"
)

func TestValidateAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, arguments string
		valid           bool
		check           string // of the first finding
	}{
		{"read", `{"path":"a"}`, true, ""},
		{"read", `{"path":"a","extra":1}`, true, "unknown-argument"},
		{"read", `{"pth":"a"}`, false, "input-schema"},
		{"greet", `{"name":"Ann","times":"2"}`, false, "input-schema"},
		{"panic", `{}`, true, ""},
		{"raed", `{}`, false, "known-tool"},
		{"validate", `{"tool":"read","arguments":{}}`, true, ""},
		{"validate", `{"tool":7}`, false, "input-schema"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		server, ran := guarded(t, nil)
		w := open(t, server, version)
		for _, tt := range tests {
			r := w.validate(tt.tool, tt.arguments).tool(t)
			checkAnswer(t, r, version)
			v := r.verdict(t)
			if v.Valid != tt.valid || v.Tool != tt.tool {
				t.Errorf("%s %s: got %+v, want valid %v", tt.tool, tt.arguments, v, tt.valid)
			}
			first := ""
			if len(v.Findings) > 0 {
				first = v.Findings[0]["check"].(string)
			}
			if first != tt.check {
				t.Errorf("%s %s: the first finding is of %q, want %q", tt.tool, tt.arguments, first, tt.check)
			}
		}
		if got := ran.take(); got != nil {
			t.Errorf("ran %q, want nothing: validate never executes", got)
		}
	})
}

// checkAnswer checks the form of an answer of the validate tool.
func checkAnswer(t *testing.T, r toolResult, version string) {
	t.Helper()
	if r.IsError || len(r.Content) != 1 {
		t.Fatalf("got %+v, want a success with one text", r)
	}
	equalJSON(t, []byte(r.Content[0].Text), r.Structured)
	conforms(t, protocol.ResultSchema, r.Structured)
	if (r.ResultType == "complete") != (version >= modernVersion) {
		t.Errorf("got resultType %q on %s", r.ResultType, version)
	}
}

func TestValidateSuggestsAKnownTool(t *testing.T) {
	t.Parallel()
	server, _ := guarded(t, nil)
	v := open(t, server, "2025-11-25").validate("gret", `{}`).tool(t).verdict(t)
	if len(v.Suggestions) != 1 || !strings.Contains(v.Suggestions[0], "greet") {
		t.Errorf("got suggestions %q, want greet", v.Suggestions)
	}
}

func TestBadRequestToValidateIsRefused(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", modernVersion} {
		server, ran := guarded(t, nil)
		w := open(t, server, version)
		for _, arguments := range []string{
			"", `{}`, `[]`, `{"tool":"read","tool":"read"}`, `{"arguments":{}}`, `{"tool":5,"arguments":{}}`, `{"tool":"","arguments":{}}`,
			`{"tool":"read","arguments":{"path":"a"},"dryRun":true}`,
			`{"Tool":"read","arguments":{"path":"a"}}`,
		} {
			checkRefusal(t, w.call("validate", arguments).tool(t), version)
		}
		// Of the described arguments, the verdict tells, whatever they are.
		for described, want := range map[string]string{
			`,"arguments":{"path":"a","path":"b"}`: "/path: is given twice (at byte 19)", `,"arguments":[]`: `"arguments" must be an object`,
			`,"arguments":null`: `"arguments" must be an object`, "": "/path: required property is missing; expected string",
		} {
			if v := w.call("validate", `{"tool":"read"`+described+`}`).tool(t).verdict(t); v.Valid || !slices.Equal(v.Errors, []string{want}) {
				t.Errorf("%s: got %+v, want the error %s", described, v, want)
			}
		}
		if got := ran.take(); got != nil {
			t.Errorf("ran %q, want nothing", got)
		}
	}
}

// However little a policy looks at, a dry run is never greener than the real run.
func TestLaxPolicyDoesNotMakeValidateGreener(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*policy.Policy{
		"known-tool off":      {Checks: map[string]policy.Check{"known-tool": {Off: true}}},
		"known-tool observed": {Checks: map[string]policy.Check{"known-tool": {Observe: true}}},
	} {
		server, _ := newServer(nil)
		if err := mcpgate.Install(server, newGate(t, toolvet.WithPolicy(policy.Seal(p)))); err != nil {
			t.Fatal(err)
		}
		w := open(t, server, "2025-11-25")
		if v := w.validate("nosuch", `{}`).tool(t).verdict(t); v.Valid || len(v.Errors) == 0 {
			t.Errorf("%s: got %+v, want an unknown tool found invalid", name, v)
		}
	}
	// With its schema unchecked, a request that validate cannot read is still refused.
	p := &policy.Policy{Checks: map[string]policy.Check{"input-schema": {Off: true}}}
	server, _ := newServer(nil)
	if err := mcpgate.Install(server, newGate(t, toolvet.WithPolicy(policy.Seal(p)))); err != nil {
		t.Fatal(err)
	}
	checkRefusal(t, open(t, server, "2025-11-25").call("validate", `{"arguments":{}}`).tool(t), "2025-11-25")
}

// Numbers and the order of members are those that package protocol wrote, though the
// SDK would decode them into maps and floats.
func TestAnswerKeepsItsBytes(t *testing.T) {
	t.Parallel()
	server, _ := guarded(t, nil)
	w := open(t, server, "2025-11-25")
	if r := w.validate("read", `{"path":"a"}`).tool(t); string(r.Structured) != r.Content[0].Text {
		t.Errorf("structuredContent %s is not written as the text %s", r.Structured, r.Content[0].Text)
	}
}
