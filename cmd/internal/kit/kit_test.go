// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import "testing"

func TestScenarios(t *testing.T) {
	t.Parallel()
	all, err := Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		expected := s.Expect
		for _, step := range s.Steps {
			expected = append(expected, step.Expect...)
		}
		for _, e := range expected {
			if _, err := compile(e); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
	t.Logf("%d scenarios", len(all))
}
