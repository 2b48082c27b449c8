// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestWithheld holds that a server gets the credentials that its own entry names, and none of the others'.
func TestWithheld(t *testing.T) {
	t.Parallel()
	lookup := func(name string) (string, bool) {
		return map[string]string{"HOME": "/home/ann"}[name] + "x", name != "UNSET"
	}
	p, err := policy.ParseFor("files", lookup, "p", []byte(`
version: 1
shared: {url: "redis://${REDIS_PLACE}"}
servers:
  files: {command: [files, "${SHARED_TOKEN}"], dir: "${HOME}", env: {PATH: "${HOME}/bin"}}
  hub: {command: [hub], env: {HUB_TOKEN: "${HUB_TOKEN}", LANG: "${LANG}", WHO: "${GIT_AUTHOR_NAME}", AUTH: "${AUTH}", Y: "$${NO_TOKEN}", Z: "${SHARED_TOKEN}"}}
  far: {url: "https://${PLACE}.example.org/mcp", credentials: {header: {Authorization: "Bearer ${FAR}", X-Key: "${UNSET}"}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, s := range p.Servers {
		got[s.Name] = s.Withheld
	}
	want := map[string][]string{
		"files": {"AUTH", "FAR", "HUB_TOKEN", "REDIS_PLACE", "UNSET"},
		"hub":   {"FAR", "REDIS_PLACE", "UNSET"},
		"far":   {"AUTH", "FAR", "HUB_TOKEN", "REDIS_PLACE", "SHARED_TOKEN", "UNSET"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestWithheldPlaces holds what counts as a credential: the variables of options and of names under env, too, and neither the place of a secret nor
// what all programs need.
func TestWithheldPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`servers: {a: {command: [a], env: {GITHUB_TOKEN: "${GH}"}}, b: {command: [b]}}`:                                                     {"GH", "GITHUB_TOKEN"},
		`servers: {a: {command: [a], env: {GITHUB_TOKEN: "${GH}"}}, b: {command: [b], env: {GITHUB_TOKEN: "${GH}"}}}`:                       nil,
		`servers: {a: {url: "https://a.example", credentials: {header_file: {X-Key: "${PLACE}/key"}}}, b: {command: [b]}}`:                  nil,
		`servers: {a: {url: "https://a.example", credentials: {header: {X-Key: "${HOME} ${USER} ${X}"}}}, b: {command: [b]}}`:               {"X"},
		`servers: {a: {command: [a], tools: {q: {arguments: {s: {sql: {dialect: postgres, dsn_env: PLANNER}}}}}}, b: {command: [b]}}`:       {"PLANNER"},
		`servers: {a: {command: [a], tools: {q: {arguments: {s: {sql: {dsn: "postgres://${PLANNER}@h/d"}}}}}}, b: {command: [b]}}`:          {"PLANNER"},
		`servers: {a: {command: [a], tools: {q: {requires: [{credential: {url: "https://a.example", token_env: A}}]}}}, b: {command: [b]}}`: {"A"},
		`servers: {a: {command: [a], tools: {q: {requires: [{http: {url: "https://a.example", header_env: {X: A}}}]}}}, b: {command: [b]}}`: {"A"},
		`servers: {a: {command: [a], env: {T: "${A_TOKEN}"}}, b: {command: [b], tools: {q: {requires: [{env: {name: A_TOKEN}}]}}}}`:         nil,
	} {
		lookup := func(string) (string, bool) { return "x", true }
		p, err := policy.ParseFor("b", lookup, "p", []byte("version: 1\n"+text), enforce.Checks(suite.Default()).Demands()...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Servers[1].Withheld, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got\n%s", text, diff)
		}
		if slices.ContainsFunc(p.Servers[0].Withheld, func(name string) bool { return p.Servers[0].Command != nil && slices.Contains(want, name) }) {
			t.Errorf("%s: the server a does not get its own: %s", text, p.Servers[0].Withheld)
		}
	}
}
