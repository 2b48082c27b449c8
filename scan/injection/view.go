// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import "sort"

// A view is the text in a form that is easier to match, and the way back.
type view struct {
	text string
	// marks are where the distance between an offset of the view and one of the original
	// changes, in ascending order of both. Before the first, the offsets are the same.
	marks []mark
	// whole, if set, is the span in the original of everything in the view: of what was
	// decoded, no single letter has a place of its own.
	whole *span
}

// A mark maps an offset of the view to an offset of the original. Up to the next mark the offsets
// grow together if same is set; else all of it stands at orig.
type mark struct {
	view, orig int
	same       bool
}

// A span is a part of a text, by byte offsets.
type span struct{ start, end int }

func (s span) contains(i int) bool { return s.start <= i && i < s.end }

// original returns the span of the original text from which a span of the view was made.
func (v *view) original(start, end, size int) (int, int) {
	if v.whole != nil {
		return v.whole.start, v.whole.end
	}
	from, _ := v.place(start)
	_, to := v.place(max(end-1, start))
	if end >= len(v.text) {
		to = size
	}
	return min(from, size), min(max(from, to), size)
}

// from returns the span of the view that was made from one of the original.
func (v *view) from(at span) span {
	offset := func(i int) int {
		n := sort.Search(len(v.marks), func(n int) bool { return v.marks[n].orig > i })
		switch {
		case n == 0:
			return i
		case v.marks[n-1].same:
			return v.marks[n-1].view + i - v.marks[n-1].orig
		}
		return v.marks[n-1].view
	}
	start := min(offset(at.start), len(v.text))
	return span{start, min(max(offset(at.end), start), len(v.text))}
}

// place returns the original offsets between which the byte at i of the view was made.
func (v *view) place(i int) (from, to int) {
	n := sort.Search(len(v.marks), func(n int) bool { return v.marks[n].view > i })
	if n == 0 {
		if len(v.marks) > 0 {
			return i, min(i+1, v.marks[0].orig)
		}
		return i, i + 1
	}
	m := v.marks[n-1]
	if m.same {
		return m.orig + i - m.view, m.orig + i - m.view + 1
	}
	to = m.orig
	if n < len(v.marks) {
		to = v.marks[n].orig
	}
	return m.orig, to
}

// within tells whether i lies in one of the sorted spans.
func within(list []span, i int) bool {
	n := sort.Search(len(list), func(n int) bool { return list[n].end > i })
	return n < len(list) && list[n].contains(i)
}
