// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

// Nearest returns the candidate that name was probably meant to be, or "" if none is
// alike enough.
func Nearest(name string, candidates []string) string {
	near, _ := similar(name, candidates, func(string) bool { return false })
	return near
}
