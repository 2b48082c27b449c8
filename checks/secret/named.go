// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"github.com/toolvet/toolvet/call/result"
)

// minDigits is the length of the shortest value that can be a secret beside its name.
const minDigits = 6

// ofAnyName is a pattern for names such as key and token, of which lists are mostly of something
// else: of hashes, or of words.
const ofAnyName = "generic-api-key"

// ofAnyValue is the pattern that takes ordinary words beside a name for a password. A list beside such a name mostly
// holds faults or rules of passwords.
const ofAnyValue = "password-value"

// maxListed bounds what is looked at beside the name of its list, in bytes.
const maxListed = 256

// named looks at numbers with a name, and at the elements of a list with a name, as if they were
// strings beside it: the pattern expects a password in quotes.
func (s *search) named() {
	var v values
	var last, name result.Token
	inList := false // which name is of
	for _, t := range s.result.Tokens() {
		switch {
		case last.Kind == result.Key:
			name, inList = last, s.between(last, t, ":[")
		case inList:
			inList = s.between(last, t, ",")
		}
		inner := s.result.Raw[t.Start:t.End]
		if t.Kind == result.String {
			inner = inner[1 : len(inner)-1]
		}
		beside := last.Kind == result.Key && t.Kind == result.Number
		if (beside || inList && t.Kind != result.Key) && minDigits <= len(inner) && len(inner) <= maxListed {
			v.add(s.result.Raw[name.Start:name.End], inner, t)
		}
		if last = t; len(v.text) > maxValues {
			s.inValues(&v)
			v = values{v.text[:0], v.tokens[:0], v.ends[:0]}
		}
	}
	s.inValues(&v)
}

// maxValues bounds the lines that are scanned together, in bytes.
const maxValues = 1 << 20

// values are values with their names, a line each.
type values struct {
	text   []byte
	tokens []result.Token
	ends   []int // of the tokens, in text
}

func (v *values) add(name, inner []byte, t result.Token) {
	v.text = append(append(append(v.text, name...), `:"`...), inner...)
	v.tokens, v.ends = append(v.tokens, t), append(v.ends, len(v.text))
	v.text = append(v.text, "\"\n"...)
}

func (s *search) inValues(v *values) {
	if len(v.tokens) == 0 {
		return
	}
	i := 0
	for _, m := range s.scan(string(v.text)) {
		for i < len(v.ends) && v.ends[i] < m.End {
			i++
		}
		if i == len(v.ends) {
			break
		}
		t, quote := v.tokens[i], 0
		if t.Kind == result.String {
			quote = 1
		}
		begin := v.ends[i] - (t.End - t.Start - 2*quote) // of the token's inside, in text
		if m.Start < begin || (m.Pattern == ofAnyName || m.Pattern == ofAnyValue) && t.Kind == result.String {
			continue
		}
		from := t.Start + quote + m.Start - begin
		s.add(m, s.result.Replace(from, from+m.End-m.Start, marker(m)))
	}
}

// between reports whether nothing stands between two tokens but certain characters and white
// space.
func (s *search) between(a, b result.Token, want string) bool {
	got := s.result.Raw[a.End:b.Start]
	for _, c := range got {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case want != "" && c == want[0]:
			want = want[1:]
		default:
			return false
		}
	}
	return want == ""
}
