// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package fast

import "testing"

// TestFlags holds that only plain flags have a first try: package client tells what is wrong with others.
func TestFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--policy"}, {"--policy", "relative.yaml"}, {"--policy=/a"}, {"--timeout", "9s"}, {"--help"}, {"x", "y"}} {
		if _, _, ok := flags(args); ok {
			t.Errorf("%q is taken", args)
		}
	}
	if policy, preset, ok := flags([]string{"--preset", "strict", "--policy", "/a.yaml"}); !ok || policy != "/a.yaml" || preset != "strict" {
		t.Errorf("%q, %q, %t", policy, preset, ok)
	}
}
