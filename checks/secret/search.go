// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/result"
	"github.com/toolvet/toolvet/secret"
)

// A search looks for the secrets of one result: in its text as it stands, where a name and
// its value are still beside each other; across text blocks, which a model reads as one; in
// percent-encoded text; and, one level down, in base64 and its like.
type search struct {
	result  *result.Result
	scanner *secret.Scanner
	options *Options

	found   []hit
	taken   []span // of Raw, where a secret has been found
	read    int    // bytes that were read to find places
	decoded []byte // of what is looked into at the moment
	work    int    // bytes decoded and scanned, for the test that holds it to be linear
}

// maxRead bounds what is read to find places, in bytes: some tenths of a second. Beyond, a
// secret is told without its place, and no place is allowed.
const maxRead = 100 << 20

type span struct{ start, end int }

// all finds the secrets in the order of what they are told apart by: what is split or encoded
// is a whole, of which a later look would see a part.
func (s *search) all() {
	if joined, several := s.joined(); several {
		s.plain(joined)
		s.unpercented(joined)
		s.encoded(joined)
	}
	s.plain(s.raw())
	for _, t := range s.result.Tokens() {
		if t.Kind != result.Number {
			s.unpercented(s.token(t))
		}
	}
	s.encoded(s.raw())
	s.numbers()
	slices.SortStableFunc(s.found, func(a, b hit) int { return a.edits[0].Start - b.edits[0].Start })
	s.numberNames()
}

func (s *search) plain(src source) {
	s.work += len(src.text)
	for _, m := range s.scanner.Scan(string(src.text)) {
		s.add(m, src.edit(m.Start, m.End, marker(m)))
	}
}

func (s *search) unpercented(src source) {
	if text, ok := src.unpercented(); ok {
		s.plain(text)
		s.encoded(text)
	}
}

// add notes a secret that edits replace, unless it is allowed at its place or found.
func (s *search) add(m secret.Match, edits []result.Edit) {
	edits = slices.DeleteFunc(edits, func(e result.Edit) bool { return s.isTaken(e.Start, e.End) })
	if len(edits) == 0 {
		return
	}
	place := ""
	if s.read < maxRead && (len(s.found) <= maxTold || len(s.options.AllowPaths) > 0) {
		s.read += len(s.result.Raw) // finding a place means to read the result again
		place = s.result.Pointer(s.tokenAt(edits[0].Start))
	}
	if s.options.allows(place) {
		return
	}
	place = s.clean(place)
	for _, e := range edits {
		s.take(e.Start, e.End)
	}
	s.found = append(s.found, hit{m.Rule, place, edits})
}

// clean is a place without the secrets in it: the name of a property can be one.
func (s *search) clean(place string) string {
	var b strings.Builder
	pos := 0
	for _, m := range s.scanner.Scan(place) {
		b.WriteString(place[pos:m.Start] + marker(m))
		pos = m.End
	}
	return b.String() + place[pos:]
}

func (s *search) tokenAt(at int) result.Token {
	tokens := s.result.Tokens()
	i, _ := slices.BinarySearchFunc(tokens, at, func(t result.Token, at int) int { return cmp.Compare(t.End, at+1) })
	return tokens[min(i, len(tokens)-1)]
}

// isTaken reports whether a secret has been found that holds a range.
func (s *search) isTaken(start, end int) bool {
	i, _ := slices.BinarySearchFunc(s.taken, start, func(t span, at int) int { return cmp.Compare(t.end, at+1) })
	return i < len(s.taken) && s.taken[i].start <= start && end <= s.taken[i].end
}

// take remembers a range, and joins it with those that it overlaps.
func (s *search) take(start, end int) {
	i, _ := slices.BinarySearchFunc(s.taken, start, func(t span, at int) int { return cmp.Compare(t.end, at) })
	j := i
	for ; j < len(s.taken) && s.taken[j].start <= end; j++ {
		start, end = min(start, s.taken[j].start), max(end, s.taken[j].end)
	}
	s.taken = slices.Replace(s.taken, i, j, span{start, end})
}
