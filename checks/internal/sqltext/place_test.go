// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import "testing"

// TestPlace holds that places are counted in characters.
func TestPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		at   int
		want string
	}{
		{"abc", 0, "character 1"},
		{"éb", 2, "character 2"},
		{"a\nb", 0, "line 1, character 1"},
		{"a\nb", 2, "line 2, character 1"},
		{"abc", 99, "character 4"},
		{"abc", -1, "character 1"},
	} {
		if got := Place(tt.text, tt.at); got != tt.want {
			t.Errorf("Place(%q, %d) = %q, want %q", tt.text, tt.at, got, tt.want)
		}
	}
}
