// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import "strings"

// rewrites reports whether the arguments of ts_rewrite, in the bracket at a place, are fine:
// PostgreSQL runs the second of two as a text, so it must be a plain string and allowed itself.
// Three are no text.
func (j *judgement) rewrites(s *statement, open int) bool {
	closing, depth, second := s.closing(open), 0, 0
	for i := open; i <= closing; i++ {
		switch s.low(i) {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case ",":
			if depth == 1 && second > 0 {
				return true
			}
			if depth == 1 {
				second = i + 1
			}
		}
	}
	if second == 0 || second+1 != closing || s.tokens[second].kind != stringToken || s.raw(second)[0] != '\'' {
		return false
	}
	raw := s.raw(second)
	return !j.o.Refuses(strings.ReplaceAll(raw[1:len(raw)-1], "''", "'"))
}
