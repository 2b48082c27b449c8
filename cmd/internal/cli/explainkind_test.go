// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/command"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/enforce"
)

// TestKindsExplained holds that 'toolvet explain' knows each kind that an answer prints in brackets.
func TestKindsExplained(t *testing.T) {
	t.Parallel()
	kinds := []string{"guard"} // which no policy names
	named := command.Demand.Problems(&command.Options{Allow: []string{"?"}, Deny: []string{"?"}})
	for _, p := range append(named, path.Demand.Problems(&path.Options{Not: []string{"?"}})...) {
		list := strings.NewReplacer("must hold only ", "", "must be ", "", " or ", " ", ",", "").Replace(p.Message)
		kinds = append(kinds, strings.Fields(list)...)
	}
	if len(kinds) < 40 {
		t.Fatalf("too few kinds: %q", kinds)
	}
	checks := enforce.Checks(suite.Default()).Nameable()
	for _, kind := range kinds {
		if kindOfCommand(checks, kind) == "" {
			t.Errorf("%s is not explained", kind)
		}
	}
}
