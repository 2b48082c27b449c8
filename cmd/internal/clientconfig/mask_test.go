// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import "testing"

// TestMasked holds that what may be a secret is masked, and that words of a name that stand in the note on it mask nothing.
func TestMasked(t *testing.T) {
	t.Parallel()
	f, err := sharedFinder()
	if err != nil {
		t.Fatal(err)
	}
	k := &masker{f}
	for given, want := range map[string]string{
		"${input:it is not copied}": "${input:it is not copied}",
		"${env:HOME}/x":             "${env:HOME}/x",
		"${HOME:-hunter2}":          masked,
		"${config:x.y}":             masked,
	} {
		if got := k.argument("", given); got != want {
			t.Errorf("%s is shown as %s, want %s", given, got, want)
		}
	}
}
