// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package logname

import (
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// Hidden reports whether a finding about c says that its tool is unknown, although the server has it: the policy hides it from the session. The
// caller learns nothing of that, and an operator should.
func Hidden(f *check.Finding, c *call.Call) bool {
	return f.Check == "known-tool" && f.Pointer == "" && c.Tool != nil && c.Tool.Fault == nil
}

// Findings tells the findings about one message, one line of a log for each check: with the place of its first finding and, if there are
// more, their number. One result may hold the same secret many times. Place prepares a pointer.
func Findings(list []check.Finding, place func(pointer string) string, tell func(attributes ...any)) {
	var first, count []int // of each check: the index of its first finding, and their number; a map would weigh more
	for i := range list {
		of := 0
		for of < len(first) && (list[first[of]].Check != list[i].Check || list[first[of]].Code != list[i].Code) {
			of++
		}
		if of == len(first) {
			first, count = append(first, i), append(count, 0)
		}
		count[of]++
	}
	for of, i := range first {
		attributes := []any{"code", list[i].Code, "check", list[i].Check, "at", place(list[i].Pointer)}
		if count[of] > 1 {
			attributes = append(attributes, "findings", count[of])
		}
		tell(attributes...)
	}
}
