// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"fmt"
	"testing"
)

// The name of a process may hold anything, and does not mislead.
func FuzzParent(f *testing.F) {
	f.Add(7, "node", 1)
	f.Add(7, "a) S 99 (b", 2)
	f.Fuzz(func(t *testing.T, pid int, name string, parent int) {
		got, ok := parseParent(fmt.Appendf(nil, "%d (%s) S %d %d 0 -1", pid, name, parent, pid))
		if got != parent || !ok {
			t.Errorf("got %d, %v, want %d", got, ok, parent)
		}
	})
}

func TestParentOfNonsense(t *testing.T) {
	t.Parallel()
	for _, stat := range []string{"", ")", "1 (x) S", "1 (x) S x"} {
		if got, ok := parseParent([]byte(stat)); ok {
			t.Errorf("%q: got %d, want none", stat, got)
		}
	}
}
