// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/secrets"
)

// A search looks for the secrets of one result: in its text as it stands, where a name and
// its value are still beside each other; across text blocks, which a model reads as one; in
// percent-encoded text; and, one level down, in base64 and its like.
type search struct {
	ctx     context.Context // when it is done, what has been found does not matter
	result  *result.Result
	scanner *secrets.Scanner
	options *Options

	seen    []sighting
	found   []hit
	taken   []span // of Raw, where a secret has been found
	decoded []byte // of what is looked into at the moment
	tooMany bool   // there are more than maxSeen
	work    int    // bytes decoded and scanned, for the test that holds it to be linear
}

// A sighting is what may be a secret, before it is known where it stands.
type sighting struct {
	pattern string
	edits   []result.Edit
	place   string
	allowed bool // it may stand there
}

// maxSeen bounds what may be a secret in one result: each takes some 350 bytes.
const maxSeen = 100_000

// maxPlaces bounds the places that are remembered, in bytes. Beyond, a secret is told without
// its place.
const maxPlaces = 1 << 20

type span struct{ start, end int }

// all finds the secrets in the order of what they are told apart by: split or encoded text is a
// whole; a later look would see only a part. Findings in one of several blocks come last: mostly
// it is found without the others, unless its name stands in another one.
func (s *search) all() {
	var alone []sighting
	if joined, several := s.joined(); several {
		s.plain(joined)
		alone = s.inOneBlock()
		s.unpercented(joined)
		s.encoded(joined)
		s.inOneBlock()
	}
	defer func() { s.seen = append(s.seen, alone...) }()
	s.plain(s.raw())
	for _, t := range s.result.Tokens() {
		if s.ctx.Err() != nil || s.tooMany {
			return
		}
		if t.Kind == result.Number {
			continue
		}
		src := s.token(t)
		s.unpercented(src)
		if bytes.Contains(s.result.Raw[t.Start:t.End], []byte(`\u00`)) { // the end of a line, or a digit, may be escaped
			src = s.unquoted(t)
			s.otherwise(src)
			s.encoded(src)
		}
	}
	s.otherwise(s.raw())
	s.members()
	s.encoded(s.raw())
	s.named()
}

// inOneBlock takes back what was seen so far in a single block.
func (s *search) inOneBlock() (list []sighting) {
	s.seen = slices.DeleteFunc(s.seen, func(seen sighting) bool {
		one := len(seen.edits) == 1
		if one {
			list = append(list, seen)
		}
		return one
	})
	return list
}

func (s *search) plain(src source) {
	s.work += len(src.text)
	for _, m := range s.scan(string(src.text)) {
		if s.add(m, src.edit(m.Start, m.End, marker(m))); s.tooMany {
			return
		}
	}
}

func (s *search) unpercented(src source) {
	for part := range src.unpercented {
		s.plain(part)
		s.encoded(part)
	}
}

func (s *search) scan(text string) []secrets.Match {
	matches, _ := s.scanner.ScanContext(s.ctx, text) // see ctx
	return matches
}

// add notes a secret that edits replace.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (s *search) add(m secrets.Match, edits []result.Edit) {
	switch {
	case len(s.seen) == maxSeen:
		s.tooMany = true
	case len(edits) > 0:
		s.seen = append(s.seen, sighting{pattern: m.Pattern, edits: edits})
	}
}

// settle makes found of what was seen: of those that are not allowed at their places, the
// first at each.
func (s *search) settle() {
	s.locate()
	for _, seen := range s.seen {
		if s.ctx.Err() != nil {
			return
		}
		edits := slices.DeleteFunc(seen.edits, func(e result.Edit) bool { return s.isTaken(e.Start, e.End) })
		if seen.allowed || len(edits) == 0 {
			continue
		}
		for _, e := range edits {
			s.take(e.Start, e.End)
		}
		place := ""
		if len(s.found) <= maxTold { // no others are told
			place = s.clean(seen.place)
		}
		s.found = append(s.found, hit{seen.pattern, place, edits})
	}
	sort.SliceStable(s.found, func(i, j int) bool { return s.found[i].edits[0].Start < s.found[j].edits[0].Start })
	s.numberNames()
}

// locate finds out where all that was seen stands.
func (s *search) locate() {
	if len(s.seen) == 0 {
		return
	}
	order := make([]int, len(s.seen)) // as they stand in the result
	for i := range order {
		order[i] = i
	}
	start := func(i int) int { return s.seen[i].edits[0].Start }
	sort.Slice(order, func(i, j int) bool { return start(order[i]) < start(order[j]) })
	tokens := make([]result.Token, len(order))
	for i, at := range order {
		tokens[i] = s.tokenAt(start(at))
	}
	kept := 0
	for i, place := range s.result.Places(tokens) {
		if s.ctx.Err() != nil {
			return
		}
		seen := &s.seen[order[i]]
		seen.allowed = s.options.allows(place)
		if kept += len(place); kept <= maxPlaces {
			seen.place = place
		}
	}
}

// clean is a place without the secrets in it: the name of a property can be one.
func (s *search) clean(place string) string {
	var b strings.Builder
	pos := 0
	for _, m := range s.scan(place) {
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
