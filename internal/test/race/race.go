// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package race is for tests that take minutes under the race detector, with which programs take ten
// times as long, and of which it sees nothing new: the same code over much data, whole programs that
// are started again and again. They take a part, or wait for the run without the detector that
// `.ci/run` gives to each test that asks here.
package race

import "testing"

// Less is part of n under the race detector, at least 1, and n without it.
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
