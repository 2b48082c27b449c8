// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package race is for tests that take minutes under the race detector and give it nothing new to see.
// The detector slows programs down tenfold, and these tests run the same code over much data, or whole
// programs started again and again. They do a part of their work, or wait for a run without the
// detector: `.ci/run` repeats each test of this package's callers.
package race

import "testing"

// Less returns a part of n under the race detector, at least 1, and n without it.
func Less(n, part int) int {
	if Enabled {
		return max(1, n/part)
	}
	return n
}

// Skip leaves a test to the run without the race detector.
func Skip(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("not with the race detector: it runs without")
	}
}
