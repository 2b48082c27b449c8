// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package programs

import "testing"

func TestHarmful(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program, subcommand string
		want                bool
	}{
		{"ssh", "", true}, {"ls", "", false},
		{"git", "", true}, {"git", "log", true}, {"git", "clone", true}, {"git", "checkout", false},
	} {
		if got := Harmful(c.program, c.subcommand); got != c.want {
			t.Errorf("an option of %s %s does harm: %v, want %v", c.program, c.subcommand, got, c.want)
		}
	}
}

func TestValued(t *testing.T) {
	t.Parallel()
	for option, want := range map[string]bool{"-m": true, "--message": true, "-name": true, "--no-pager": false, "--": false, "log": false} {
		if got := Valued(option); got != want {
			t.Errorf("%s takes the next argument: %v, want %v", option, got, want)
		}
	}
}
