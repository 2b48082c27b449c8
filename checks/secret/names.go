// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"slices"
	"sort"
	"strconv"

	"github.com/toolvet/toolvet/call/result"
)

// A name is the name of a property, with its replacements.
type name struct {
	token result.Token
	hit   int // the first that edits it
	edits []result.Edit
}

// numberNames numbers names of properties that become the same when their differences are
// replaced: the second to become "[redacted:x]" ends with "-2", wherever in the result it stands.
// Names that were the same stay so.
func (s *search) numberNames() {
	names := s.names()
	if len(names) == 0 {
		return
	}
	edited := make(map[result.Token]bool)
	for _, n := range names {
		edited[n.token] = true
	}
	numbers := make(map[string]map[string]int) // of what became a name
	number := func(was, is string) int {
		if numbers[is] == nil {
			numbers[is] = make(map[string]int)
		}
		if numbers[is][was] == 0 {
			numbers[is][was] = len(numbers[is]) + 1
		}
		return numbers[is][was]
	}
	for _, t := range s.result.Tokens() {
		if t.Kind == result.Key && !edited[t] {
			number(s.inner(t, nil), s.inner(t, nil))
		}
	}
	for _, n := range names {
		if i := number(s.inner(n.token, nil), s.inner(n.token, n.edits)); i > 1 {
			end := n.token.End - 1
			h := &s.found[n.hit]
			h.edits = append(h.edits, result.Edit{Start: end, End: end, Text: "-" + strconv.Itoa(i)})
		}
	}
}

// names are the changed names, in the order of their secrets.
func (s *search) names() []*name {
	var names []*name
	known := make(map[result.Token]*name)
	for i, h := range s.found {
		for _, e := range h.edits {
			t := s.tokenAt(e.Start)
			if t.Kind != result.Key {
				continue
			}
			if known[t] == nil {
				known[t] = &name{token: t, hit: i}
				names = append(names, known[t])
			}
			known[t].edits = append(known[t].edits, e)
		}
	}
	return names
}

// inner is a string token without its quotes, after edits of it.
func (s *search) inner(t result.Token, edits []result.Edit) string {
	var b []byte
	pos := t.Start + 1
	edits = slices.Clone(edits)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Start < edits[j].Start })
	for _, e := range edits {
		if e.Start >= pos {
			b = append(append(b, s.result.Raw[pos:e.Start]...), e.Text...)
		}
		pos = max(pos, e.End)
	}
	return string(append(b, s.result.Raw[min(pos, t.End-1):t.End-1]...))
}
