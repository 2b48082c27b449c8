// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"os"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	if err := check.Validate(Default()); err != nil {
		t.Error(err)
	}
	changed := Default()
	changed[0] = nil
	if Default()[0] == nil {
		t.Error("the slice is shared: a caller can change the default")
	}
}

// leftOut are the directories of checks that the suite leaves out, with the reason.
var leftOut = map[string]string{}

// TestNoCheckIsForgotten holds that each directory of a check is listed, or left out
// with a reason.
func TestNoCheckIsForgotten(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{"suite": true}
	for _, c := range Default() {
		listed[strings.ReplaceAll(c.Name, "-", "")] = true
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range entries {
		name := entry.Name()
		found[name] = true
		if entry.IsDir() && !listed[name] && leftOut[name] == "" {
			t.Errorf("checks/%s is not in Default: add it, or list it in leftOut with the reason", name)
		}
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("the check in Default named %s is in no directory of its name", name)
		}
	}
	for name := range leftOut {
		if !found[name] || listed[name] {
			t.Errorf("checks/%s is left out, but it is listed or gone: strike it from leftOut", name)
		}
	}
}
