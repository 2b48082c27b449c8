// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"os"
	"slices"
	"testing"

	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestEnvironment holds that a server does not inherit the credentials of another one.
func TestEnvironment(t *testing.T) {
	t.Setenv("TOOLVET_A_TOKEN", "a")
	t.Setenv("TOOLVET_PLAIN", "plain")
	p, err := policy.ParseFor("a", os.LookupEnv, "p", []byte(`
version: 1
servers:
  a: {command: [a], env: {TOOLVET_A_TOKEN: "${TOOLVET_A_TOKEN}"}}
  b: {command: [b]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		env, err := Environment(p.Servers[i])
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(env, "TOOLVET_A_TOKEN=a"); got != want {
			t.Errorf("%s gets the token: %v, want %v", p.Servers[i].Name, got, want)
		}
		if !slices.Contains(env, "TOOLVET_PLAIN=plain") {
			t.Errorf("%s does not get other variables", p.Servers[i].Name)
		}
	}
}

// TestEnvironmentUnnamed holds that a server of which the policy says nothing does not inherit toolvet's own credentials.
func TestEnvironmentUnnamed(t *testing.T) {
	t.Setenv("TOOLVET_REDIS", "secret")
	p, err := policy.ParseFor(policy.NoServer, os.LookupEnv, "p", []byte(`{version: 1, shared: {url: "redis://:${TOOLVET_REDIS}@127.0.0.1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	server, err := enforce.ServerOf(p, "", []string{"server"})
	if err != nil {
		t.Fatal(err)
	}
	if env, err := Environment(server); err != nil || env == nil || slices.Contains(env, "TOOLVET_REDIS=secret") {
		t.Errorf("it gets the password: %v", err)
	}
}
