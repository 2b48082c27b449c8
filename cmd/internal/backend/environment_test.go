// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"os"
	"slices"
	"testing"

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
