// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestNilPolicyChangesNothing(t *testing.T) {
	t.Parallel()
	var p *Policy
	if got := p.Check("any"); got != (Check{}) {
		t.Errorf("Check of a nil policy: %+v, want the zero value", got)
	}
	if err := p.Validate(nil); err != nil {
		t.Errorf("Validate of a nil policy: %v", err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	checks := []*check.Check{{Name: "format"}, nil, {Name: "input-schema"}}
	known := map[string]Check{"format": {Off: true}}
	unknown := map[string]Check{"fromat": {Off: true}, "format": {}, "zzz": {}}
	read, err := Parse("toolvet.yaml", []byte("version: 1\nchecks:\n  zzz: off\n  format: off\n  fromat: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		policy *Policy
		want   string
	}{
		"known": {&Policy{Checks: known}, ""},
		"made in Go": {&Policy{Checks: unknown}, `
the policy names the unknown check "fromat": did you mean "format"?
the policy names the unknown check "zzz": must be "format" or "input-schema"`},
		"read from a file": {read, `
toolvet.yaml:3:3: the policy names the unknown check "zzz": must be "format" or "input-schema"
    3 |   zzz: off
      |   ^
toolvet.yaml:5:3: the policy names the unknown check "fromat": did you mean "format"?
    5 |   fromat: {}
      |   ^`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := tt.policy.Validate(checks); err != nil {
				got = "\n" + err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestValidateAfterChange holds that errors about a check added after reading have no place.
func TestValidateAfterChange(t *testing.T) {
	t.Parallel()
	p, err := Parse("toolvet.yaml", []byte("version: 1\nchecks: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p.Checks["new"] = Check{Off: true}
	err = p.Validate([]*check.Check{{Name: "format"}})
	if got, want := err.Error(), `the policy names the unknown check "new": must be "format"`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
