// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/policy"
)

// Values of the environment are looked up when the server is started, not when the policy is
// read, and what is missing is named.
func TestEnviron(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse("p", []byte(`
version: 1
servers:
  a:
    command: [a]
    dir: /srv
    env:
      TOKEN: ${A_TOKEN}
      BOTH: "x-${A_TOKEN}-${B}-$$5-$"
      PORT: 3000
      RATIO: 0.50
      EMPTY: ""
  b: {command: [b], env: {X: "${A_TOKEN}${NOT}${NEITHER}${NOT}"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"A_TOKEN": "s3cret$$", "B": ""}[name]
		return v, ok
	}
	got, err := p.Servers[0].Environ(lookup)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"TOKEN=s3cret$$", "BOTH=x-s3cret$$--$5-$", "PORT=3000", "RATIO=0.50", "EMPTY="}
	if diff := cmp.Diff(want, got); diff != "" || p.Servers[0].Dir != "/srv" {
		t.Errorf("dir %q, environment (-want +got):\n%s", p.Servers[0].Dir, diff)
	}
	_, err = p.Servers[1].Environ(lookup)
	if err == nil || !strings.Contains(err.Error(), `"b"`) || !strings.Contains(err.Error(), "NOT, NEITHER, which") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("variables that are missing: %v", err)
	}
}

func TestEnvironErrors(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		`a: {command: [a], env: {T: "${secret"}}`:                  "must be followed by",
		`a: {command: [a], env: {T: "${}"}}`:                       "must be followed by",
		`a: {command: [a], env: {T: [hunter2]}}`:                   "must be a string; it is a list",
		`a: {command: [a], env: {"A=B": hunter2}}`:                 "is not the name of an environment variable",
		`a: {command: [a], env: {"": hunter2}}`:                    "is not the name of an environment variable",
		`a: {command: [a], env: hunter2}`:                          "must be a mapping",
		`a: {command: [a], dir: srv}`:                              "must be an absolute path",
		`a: {url: "https://example.org/mcp", env: {A: "hunter2"}}`: "env and dir are for a command",
		`"a:b": {command: [a]}`:                                    "must not hold a colon",
	} {
		_, err := policy.Parse("p", []byte("version: 1\nservers:\n  "+yaml+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want …%s…", yaml, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error shows a line that may hold a secret: %v", yaml, err)
		}
	}
}

// A program that reaches one server does without the variables of others, and only in what leads to those.
func TestParseFor(t *testing.T) {
	t.Parallel()
	text := []byte(`
version: 1
servers:
  here: {command: [here, "${SET}"]}
  there: {url: "https://${HOST}:${PORT}/", credentials: {header: {Authorization: "Bearer ${TOKEN}"}}}
  other: {command: [other, "${ARGUMENT}"], tools: {t: {}}}
`)
	lookup := func(name string) (string, bool) { return "x", name == "SET" }
	p, err := policy.ParseFor("here", lookup, "p", text)
	if err != nil {
		t.Fatal(err)
	}
	if there, other := p.Server("there"), p.Server("other"); there.URL != "" || other.Command != nil || len(other.Tools) != 1 {
		t.Errorf("servers without their variables: %+v, %+v", there, other)
	}
	if diff := cmp.Diff([]string{"here", "x"}, p.Server("here").Command); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for server, want := range map[string]string{"there": "HOST PORT TOKEN", "other": "ARGUMENT", "": "HOST PORT TOKEN ARGUMENT"} {
		_, err := policy.ParseFor(server, lookup, "p", text)
		if err == nil {
			t.Fatalf("%q: no error", server)
		}
		for _, name := range []string{"HOST", "PORT", "TOKEN", "ARGUMENT"} {
			if strings.Contains(err.Error(), `variable "`+name+`" is not set`) != strings.Contains(want, name) {
				t.Errorf("%q: %v, want %s", server, err, want)
			}
		}
	}
	each, err := policy.ParseFor(policy.NoServer, lookup, "p", text)
	if err != nil {
		t.Fatal(err)
	}
	for server, want := range map[string]string{"here": "", "there": "HOST, PORT, TOKEN, which", "other": "ARGUMENT, which"} {
		s := each.Server(server)
		_, err := s.Environ(lookup)
		if s.Lacks() != (want != "") || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: lacks %v, error %v, want %s", server, s.Lacks(), err, want)
		}
		if s.Lacks() && (s.Command != nil || s.Drafted != nil || s.URL != "" || s.Credentials != nil) {
			t.Errorf("%q can be reached: %+v", server, s)
		}
	}
	_, err = policy.ParseFor("", lookup, "p", []byte(`{version: 1, servers: {s: {url: "${URL}", credentials: {header: {A: "${TOKEN}"}, client_credentials: {token_url: "${URL}", client_id: "${ID}", client_secret: "${SECRET}"}}}}}`))
	if err == nil || strings.Count(err.Error(), "is not set") != 5 || strings.Count(err.Error(), "p:1:") != 5 {
		t.Errorf("missing variables are not the only faults: %v", err)
	}
	if _, err := policy.ParseFor(policy.NoServer, lookup, "p", []byte("version: 1\nservers: {a: {command: [a, '${X}', 3], url: '${X}'}}\n")); err == nil || !strings.Contains(err.Error(), "either started or reached") {
		t.Errorf("another fault of a server that lacks a variable: %v", err)
	}
	if _, err := policy.ParseFor("here", lookup, "p", []byte("version: 1\nservers: {here: {command: [a]}}\nlog: {file: \"${LOG}\"}\n")); err == nil || !strings.Contains(err.Error(), `variable "LOG" is not set: set it where toolvet starts, or change log.file`) {
		t.Errorf("a missing variable elsewhere: %v", err)
	}
}

// TestPlacesOfServer holds that a variable that is missing in a place of one server stops this server alone, and that its error names
// the place.
func TestPlacesOfServer(t *testing.T) {
	lookup := func(name string) (string, bool) { return "", false }
	for key, value := range map[string]string{
		"dir": `"${DIR}"`, "base": `"${DIR}/x"`, "roots": `[/srv, "${DIR}"]`, "contain": `{write: ["${DIR}"]}`, "env": `{A: "${DIR}"}`,
	} {
		text := []byte("version: 1\nservers:\n  here: {command: [a]}\n  b: {command: [b], " + key + ": " + value + "}\n")
		p, err := policy.ParseFor(policy.NoServer, lookup, "toolvet.yaml", text)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if p.Server("here").Lacks() || p.Server("b").Lacks() != (key != "env") {
			t.Errorf("%s: lacks: %v, %v", key, p.Server("here").Lacks(), p.Server("b").Lacks())
		}
		if placed := key == "dir" || key == "base" || key == "roots"; (p.Server("b").Unplaced() != nil) != placed || p.Server("here").Unplaced() != nil {
			t.Errorf("%s: unplaced: %v", key, p.Server("b").Unplaced())
		}
		_, err = p.Server("b").Environ(lookup)
		if err == nil || !strings.Contains(err.Error(), "needs DIR, which is not set") || !strings.Contains(err.Error(), "or change servers.b."+key) || !strings.HasSuffix(err.Error(), ", line 4 of toolvet.yaml") {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := policy.ParseFor("b", lookup, "toolvet.yaml", text); (err == nil) != (key == "env") {
			t.Errorf("%s: the server itself: %v", key, err)
		}
	}
}
