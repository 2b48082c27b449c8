// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package fast

import "testing"

// TestFlags holds that only plain flags have a first try: package client tells what is wrong with others.
func TestFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--policy"}, {"--policy", "relative.yaml"}, {"--policy=/a"}, {"--timeout", "9s"}, {"--help"}, {"x", "y"}, {"--answered", "0"}, {"--answered", "126"}, {"--answered", "x"}, {"--answered", "1000000000000000000000"}} {
		if _, _, _, ok := flags(args); ok {
			t.Errorf("%q is taken", args)
		}
	}
	if policy, preset, answered, ok := flags([]string{"--preset", "strict", "--policy", "/a.yaml", "--answered", "77"}); !ok || policy != "/a.yaml" || preset != "strict" || answered != 77 {
		t.Errorf("%q, %q, %d, %t", policy, preset, answered, ok)
	}
}
