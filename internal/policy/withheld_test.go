// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
