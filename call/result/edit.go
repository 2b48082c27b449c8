// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"sort"
)

// An Edit puts another text in the place of a part of Raw. The new text is JSON, or the inside of
// a string, as the place wants it.
type Edit struct {
	Start, End int // in Raw
	Text       string
}

// Replace puts text in the place of the range between two offsets of Raw. If the range begins or
// ends in a scalar: of a string the part, of a number the whole. The text between the scalars
// stays. Text stands in the first of them; from the others the part is cut out. The text must
// need no escapes.
func (r *Result) Replace(start, end int, text string) []Edit {
	var edits []Edit
	touched := r.touched(start, end)
	for i, t := range touched {
		if i > 0 && i < len(touched)-1 && slices.ContainsFunc(touched[1:], func(t Token) bool { return t.Kind == Key }) {
			continue // text between two places of an object is its structure
		}
		if i > 0 && t.Kind == Key {
			continue
		}
		e := Edit{t.Start, t.End, `"` + text + `"`}
		if t.Kind != Number {
			from, to := max(start, t.Start+1), min(end, t.End-1)
			if from >= to {
				continue // only its quotes
			}
			e = Edit{r.wholeEscape(t, from, false), r.wholeEscape(t, to, true), text}
		}
		edits = append(edits, e)
		text = ""
	}
	return edits
}

// wholeEscape moves an offset in a string token out of an escape: to its beginning, or to
// its end.
func (r *Result) wholeEscape(t Token, at int, end bool) int {
	inner := r.Raw[:t.End-1]
	for i := at - 1; i > t.Start && i > at-longestEscape; i-- {
		if inner[i] != '\\' || !startsEscape(inner[t.Start+1:i]) {
			continue
		}
		n, _, _ := next(inner[i:])
		switch {
		case i+n <= at:
			return at
		case end:
			return i + n
		}
		return i
	}
	return at
}

// touched are the tokens that a range holds a part of.
func (r *Result) touched(start, end int) []Token {
	byEnd := func(t Token, at int) int { return cmp.Compare(t.End, at+1) }
	first, _ := slices.BinarySearchFunc(r.tokens, start, byEnd)
	last := first
	for last < len(r.tokens) && r.tokens[last].Start < end {
		last++
	}
	return r.tokens[first:last]
}

// longestEscape is the length of a pair of surrogates.
const longestEscape = len(`\ud83d\ude00`)

// startsEscape reports whether a backslash behind this begins an escape.
func startsEscape(before []byte) bool {
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 0
}

// maxNames bounds the names that Names tells.
const maxNames = 100

// Names are the names of properties that edits change, each as a step of a JSON Pointer with
// its slash. It reports whether these are all. An edit that only adds text changes none.
func (r *Result) Names(edits []Edit) (names []string, all bool) {
	for _, e := range edits {
		i, _ := slices.BinarySearchFunc(r.tokens, e.Start, func(t Token, at int) int { return cmp.Compare(t.End, at+1) })
		if i == len(r.tokens) || r.tokens[i].Kind != Key || e.Start == e.End {
			continue
		}
		if len(names) == maxNames {
			return names, false
		}
		names = append(names, "/"+escaper.Replace(Unquote(r.Raw[r.tokens[i].Start:r.tokens[i].End])))
	}
	return names, true
}

// ReplaceText puts text in the place of a part of what a string token stands for. The text
// must need no escapes.
func (r *Result) ReplaceText(t Token, start, end int, text string) Edit {
	from, to := rawRange(r.Raw[t.Start:t.End], start, end)
	return Edit{t.Start + from, t.Start + to, text}
}

// inOrder returns edits by where they start; of those that start together, the longest first.
func inOrder(edits []Edit) []Edit {
	sorted := slices.Clone(edits)
	// Not by slices.SortFunc, whose code a program has once for each type: 12 kB.
	sort.SliceStable(sorted, func(i, j int) bool { return cmp.Or(sorted[i].Start-sorted[j].Start, sorted[j].End-sorted[i].End) < 0 })
	return sorted
}

// Apply makes edits and returns the new text. If edits overlap, the first one counts, and the
// rest of the others is cut out. An error reports an edit outside the text, or a result that is
// not JSON.
func (r *Result) Apply(edits []Edit) (json.RawMessage, error) {
	if len(edits) == 0 {
		return r.Raw, nil
	}
	edits = inOrder(edits)
	var b bytes.Buffer
	pos := 0
	for _, e := range edits {
		if e.Start < 0 || e.End < e.Start || e.End > len(r.Raw) {
			return nil, errors.New("an edit lies outside of the result")
		}
		if e.Start >= pos {
			b.Write(r.Raw[pos:e.Start])
			b.WriteString(e.Text)
		}
		pos = max(pos, e.End)
	}
	b.Write(r.Raw[pos:])
	if !json.Valid(b.Bytes()) {
		return nil, errors.New("an edit leaves no JSON")
	}
	return b.Bytes(), nil
}
