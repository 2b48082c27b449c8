// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"slices"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestContained tries open servers again in walls: no attack on files or addresses works any more, and each harmless call that worked
// before does.
func TestContained(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	open := policy.ContainedNetwork{Allow: []string{"*"}}
	for name, network := range map[string]policy.ContainedNetwork{
		"read-open": {}, "read-prefix": {}, "read-link": {}, "read-encoded": {}, "list-open": {}, "write-open": {}, "move-prefix": {},
		"fetch-open": open, "fetch-rebind": open, "fetch-file": open, "fetch-unnamed": open, "fetch-redirect": open,
	} {
		if _, ok := fixtures[name]; !ok {
			t.Fatalf("there is no server %s", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := run(t, Config{Command: fixtureServer(t, name)})
			after := run(t, Config{Command: fixtureServer(t, name), Contain: &policy.Containment{Network: network}})
			attacks := func(r *Result) (list []audit.Fact) {
				for _, f := range r.Facts {
					if f.Verdict == audit.Vulnerable && f.Confidence == audit.Proven && (f.Class == audit.Path || f.Class == audit.URL) {
						list = append(list, f)
					}
				}
				return list
			}
			if len(attacks(before)) == 0 {
				t.Fatal("without walls, no attack works")
			}
			for _, f := range attacks(after) {
				t.Errorf("in walls, an attack works: %s %s: %s", f.Cell, f.Kind, f.Proof.Arguments)
			}
			for _, c := range before.Controls {
				if !slices.Contains(after.Controls, c) {
					t.Errorf("in walls, the harmless call does not work: %s", c)
				}
			}
			if !slices.ContainsFunc(after.Controls, func(c audit.Cell) bool { return c.Class == audit.Path || c.Class == audit.URL }) {
				t.Error("no harmless call works")
			}
		})
	}
}
