// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"GOOD": "rpt_secret1234", "OTHER": "xyz_secret1234", "EMPTY": ""}
	c := newCheck(func(name string) (string, bool) { v, found := variables[name]; return v, found })
	checktest.Run(t, c, "testdata")
}

func TestRealEnvironment(t *testing.T) {
	t.Setenv("TOOLVET_TEST_VARIABLE", "x")
	if got := checktest.Judge(t, Check, "env: {name: TOOLVET_TEST_VARIABLE}", nil); got != "ok\n" {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestNoOptions(t *testing.T) {
	t.Parallel()
	run := new(check.Run).Init(Check, &call.Call{}, nil)
	run.Targets = []check.Target{{}}
	if err := run.Do(t.Context()); err == nil {
		t.Error("a rule without a name passes")
	}
}
