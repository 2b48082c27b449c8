// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import "testing"

// TestBackslash holds which characters may stand behind a backslash outside quotes.
func TestBackslash(t *testing.T) {
	t.Parallel()
	o := &Options{Programs: []string{"find", "cat"}}
	for line, want := range map[string]bool{
		`find / \( -name \*.c -o -name \?.h \) \! -name \[a\]`: false,
		`find \{a`:           false,
		`find a\ b`:          false,
		`find . \; id`:       false,
		`find \$HOME`:        false,
		`find \\\*`:          false,
		`find \\; id`:        true,
		`cat /etc\/shadow`:   true,
		`find \/etc/sh\adow`: true,
		`find \a`:            true,
		`f\ind .`:            true,
		`find x\`:            true,
		"find x\\\nid":       true,
		`find . -name \\*`:   true, // the backslash is meant, and the * is bare
		`id \(`:              true, // not listed
	} {
		if got := refused(o, line); got != want {
			t.Errorf("refused is %v of %s", got, line)
		}
	}
}
