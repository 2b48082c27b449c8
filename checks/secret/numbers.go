// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"github.com/toolvet/toolvet/result"
)

// minDigits is the length of the shortest number that can be a secret.
const minDigits = 6

// numbers looks at the numbers that have a name as if they were strings: a rule wants to see
// a password in quotes.
func (s *search) numbers() {
	var text []byte
	var tokens []result.Token
	var ends []int // of the tokens, in text
	last := result.Token{}
	for _, t := range s.result.Tokens() {
		if t.Kind == result.Number && last.Kind == result.Key && t.End-t.Start >= minDigits {
			text = append(append(append(text, s.result.Raw[last.Start:last.End]...), `:"`...), s.result.Raw[t.Start:t.End]...)
			tokens, ends = append(tokens, t), append(ends, len(text))
			text = append(text, "\"\n"...)
		}
		last = t
	}
	if len(tokens) == 0 {
		return
	}
	i := 0
	for _, m := range s.scan(string(text)) {
		for i < len(ends) && ends[i] < m.End {
			i++
		}
		if i < len(ends) && m.Start >= ends[i]-(tokens[i].End-tokens[i].Start) {
			s.add(m, s.result.Replace(tokens[i].Start, tokens[i].End, marker(m)))
		}
	}
}
