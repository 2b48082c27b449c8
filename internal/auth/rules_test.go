// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestDocumentedRules: the rules in the document distinguish principals as described.
func TestDocumentedRules(t *testing.T) {
	t.Parallel()
	rules := regexp.MustCompile("(?ms)^```yaml\n(rules:.*?)^```").FindSubmatch(must(os.ReadFile("../../docs/authorization.md")))[1]
	p := must(policy.Parse("docs/authorization.md", append([]byte("version: 1\n"), rules...)))
	r := newResource(t, testPolicy(func(a *policy.Authorization) {
		a.Issuers[0].Issuer = "https://login.example.org"
		a.Tokens = append(a.Tokens, policy.Token{SHA256: Digest("plain"), Subject: "ann"})
		a.Scopes = nil
	}), newAuthority())
	token := func(changes map[string]any) string {
		changes["iss"] = "https://login.example.org"
		return sign(header(nil), claims(changes), ecKey())
	}
	for name, tt := range map[string]struct {
		token, server, tool string
		want                bool
	}{
		"ann":                   {token(map[string]any{}), "files", "read", true},
		"bob":                   {token(map[string]any{"sub": "bob"}), "files", "read", false},
		"ann without an issuer": {"plain", "files", "read", false},
		"ops":                   {staticToken, "deploy", "run", true},
		"no ops":                {token(map[string]any{}), "deploy", "run", false},
		"a writer":              {token(map[string]any{"sub": "bob", "scope": "a files:write"}), "files", "write_file", true},
		"no writer":             {token(map[string]any{"sub": "bob", "scope": "files:writer"}), "files", "write_file", false},
		"nobody":                {"plain", "files", "write_file", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, who := ask(r, showing(tt.token))
			options := must((&access.Enforcer{Server: tt.server}).Options(p))
			gate := must(toolvet.New(append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...))
			v := gate.Judge(context.Background(), &call.Call{
				Server: tt.server, Name: tt.tool, Arguments: map[string]any{}, Raw: json.RawMessage("{}"),
				Tool:    &call.Tool{Name: tt.tool, InputSchema: json.RawMessage(`{"type":"object"}`)},
				Session: &call.Session{Subject: who.Identity(), Claims: who.Claims},
			}, toolvet.PointProxy)
			if v.Go != tt.want {
				t.Errorf("go: %v, want %v: %v", v.Go, tt.want, v.Findings)
			}
		})
	}
}
