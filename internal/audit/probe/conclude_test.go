// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"testing"

	"github.com/toolvet/toolvet/internal/audit"
)

// TestConclude holds that only probes that were all made, and left nothing in doubt, prove a guard.
func TestConclude(t *testing.T) {
	t.Parallel()
	unknown := audit.Fact{Verdict: audit.Inconclusive, Why: "no control call worked"}
	for name, tt := range map[string]struct {
		escape      escape
		form        form
		works, late bool
		want        audit.Verdict // "": nothing beside what got out
	}{
		"all blocked":                   {escape: escape{tried: 9}, works: true, want: audit.Guarded},
		"got out":                       {escape: escape{tried: 9, found: map[string]bool{"symlink": true}}, works: true, late: true},
		"seemed to, once":               {escape: escape{tried: 9}, works: true, late: true, want: audit.Inconclusive},
		"broke off":                     {escape: escape{tried: 2, ended: "the tool did not answer"}, works: true, want: audit.Inconclusive},
		"broke off, and seemed to":      {escape: escape{tried: 2, ended: "the tool did not answer"}, works: true, late: true, want: audit.Inconclusive},
		"some not answered":             {escape: escape{tried: 9, unanswered: 1}, works: true, want: audit.Inconclusive},
		"took some, and nothing seen":   {escape: escape{tried: 9, taken: 3}, form: form{acts: true}, works: true, want: audit.NoEvidence},
		"took all, and nothing seen":    {escape: escape{tried: 9, taken: 9}, works: true, want: audit.NoEvidence},
		"took some, and refused others": {escape: escape{tried: 9, taken: 3}, works: true, want: audit.Guarded},
		"took none, and nothing seen":   {escape: escape{tried: 9}, form: form{acts: true}, works: true, want: audit.Guarded},
		"no control call worked":        {escape: escape{tried: 9}, want: audit.Inconclusive},
		"no control call, seemed to do": {escape: escape{tried: 9}, late: true, want: audit.Inconclusive},
	} {
		got, told := tt.escape.conclude(tt.form, tt.works, tt.late, unknown)
		if told != (tt.want != "") || told && (got.Verdict != tt.want || got.Why == "") {
			t.Errorf("%s: got %v %q, told %v; want %q", name, got.Verdict, got.Why, told, tt.want)
		}
	}
}
