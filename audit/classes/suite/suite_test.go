// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"os"
	"testing"

	"github.com/toolvet/toolvet/audit/class"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	if err := class.Validate(Default()); err != nil {
		t.Error(err)
	}
	changed := Default()
	changed[0] = nil
	if Default()[0] == nil {
		t.Error("the slice is shared: a caller can change the default")
	}
}

// TestNoClassIsForgotten holds that each directory of a class is listed.
func TestNoClassIsForgotten(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{"suite": true}
	for _, c := range Default() {
		listed[c.Name] = true
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, e := range entries {
		found[e.Name()] = true
		if !listed[e.Name()] {
			t.Errorf("audit/classes/%s is not in Default: add it", e.Name())
		}
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("the class %s is in no directory of its name", name)
		}
	}
}
