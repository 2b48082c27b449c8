// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package logname

import "github.com/toolvet/toolvet/check"

// Findings tells the findings about one message, one line of a log for each check: with the place of its first finding and, if there are
// more, their number. One result may hold the same secret many times. Place prepares a pointer.
func Findings(list []check.Finding, place func(pointer string) string, tell func(attributes ...any)) {
	type kind struct{ code, check string }
	count := map[kind]int{}
	for _, f := range list {
		count[kind{f.Code, f.Check}]++
	}
	for _, f := range list {
		of := kind{f.Code, f.Check}
		n := count[of]
		if n == 0 { // told
			continue
		}
		count[of] = 0
		attributes := []any{"code", f.Code, "check", f.Check, "at", place(f.Pointer)}
		if n > 1 {
			attributes = append(attributes, "findings", n)
		}
		tell(attributes...)
	}
}
