// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

func fake(variables map[string]string) *check.Check {
	return New(func(name string) (string, bool) { v, found := variables[name]; return v, found })
}

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, fake(nil), &Options{Name: "REPORTS_TOKEN"}, map[string]any{})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	var form Pattern
	if err := form.UnmarshalText([]byte("^rpt_")); err != nil {
		t.Fatal(err)
	}
	c := fake(map[string]string{"GOOD": "rpt_secret1234", "OTHER": "xyz_secret1234", "EMPTY": ""})
	for name, tt := range map[string]struct {
		options *Options
		want    []string
	}{
		"set":        {&Options{Name: "OTHER"}, nil},
		"form":       {&Options{Name: "GOOD", Pattern: form}, nil},
		"other form": {&Options{Name: "OTHER", Pattern: form}, []string{"error runtime: needs the environment variable OTHER to have another form: the policy's pattern does not match it"}},
		"not set":    {&Options{Name: "NONE"}, []string{"error runtime: needs the environment variable NONE, which is not set"}},
		"empty":      {&Options{Name: "EMPTY"}, []string{"error runtime: needs the environment variable EMPTY, which is empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, find(t, c, check.World{}, tt.options, map[string]any{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := []string{"skip: not looked: the server's environment is not on this machine"}
			if diff := cmp.Diff(want, find(t, c, check.World{Remote: true}, tt.options, map[string]any{})); diff != "" {
				t.Errorf("remote (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRealEnvironment(t *testing.T) {
	t.Setenv("TOOLVET_TEST_VARIABLE", "x")
	if got := find(t, Check, check.World{}, &Options{Name: "TOOLVET_TEST_VARIABLE"}, nil); got != nil {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestNoOptions(t *testing.T) {
	t.Parallel()
	pass := check.NewPass(Check, &call.Call{}, nil)
	pass.Targets = []check.Target{{}}
	if err := Check.Run(t.Context(), pass); err == nil {
		t.Error("a rule without a name passes")
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"API_TOKEN": 0, "": 1, "A=B": 1, "1A": 1, "A\n": 1} {
		if got := len((&Options{Name: name}).Problems()); got != want {
			t.Errorf("%q: %d problems, want %d", name, got, want)
		}
	}
	if err := new(Pattern).UnmarshalText([]byte("(")); err == nil {
		t.Error("a pattern that does not compile is taken")
	}
}
