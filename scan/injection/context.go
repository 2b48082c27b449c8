// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// A hiddenSpan is a part of a view that people would not see.
type hiddenSpan struct {
	span
	kind string
	rule string
}

// disjoint sorts hidden spans and drops what an earlier one covers.
func disjoint(list []hiddenSpan) []hiddenSpan {
	// Not by slices.SortFunc, here and below, whose code a program has once for each type: 12 kB.
	sort.SliceStable(list, func(i, j int) bool { return cmp.Or(list[i].start-list[j].start, list[j].end-list[i].end) < 0 })
	kept := list[:0]
	end := -1
	for _, h := range list {
		if h.start = max(h.start, end); h.start < h.end {
			kept = append(kept, h)
			end = h.end
		}
	}
	return kept
}

// Weights in per cent: how much of its score a cue keeps where it stands.
const (
	full          = 100
	inHidden      = 160 // hidden text is not there to be talked about
	inProseQuote  = 40
	inInlineCode  = 60
	talkedOf      = 25 // quoted, or an example, beside words of people who talk about attacks
	talkedMid     = 60
	describedBy   = 40 // "attackers ignore the previous instructions"
	midSentence   = 60
	aroundBefore  = 1000 // bytes in which one looks for such words
	aroundAfter   = 500
	quoteBytes    = 240 // a quotation is not longer
	negationWords = 3
)

// weight returns how much a cue counts where it stands.
func (r *reading) weight(c *cue) int {
	talk := r.talkNear(c.start, c.end)
	if r.hiddenAt(c.start) != nil {
		if talk >= 2 && r.inFence(c.start) {
			return talkedOf
		}
		return inHidden
	}
	switch r.quotation(c.start, c.end) {
	case prose:
		if talk >= 1 {
			return talkedOf
		}
		return inProseQuote
	case code:
		if talk >= 1 {
			return talkedOf
		}
		return inInlineCode
	case value:
		if talk >= 2 {
			return talkedOf
		}
		return full
	}
	switch {
	case talk >= 2 && r.inFence(c.start):
		return talkedOf
	case talk >= 3 && !r.clauseBegins(c.start):
		return talkedMid
	}
	return full
}

// order returns how much a phrase that begins with hit i is an order.
func (r *reading) order(i int) int {
	h := &r.hits[i]
	for j := i - 1; j >= 0 && h.word-r.hits[j].word <= negationWords; j-- {
		if r.hits[j].sentence == h.sentence && r.hits[j].class&negWord != 0 {
			return 0
		}
	}
	at := int(h.start)
	if r.clauseBegins(at) {
		return full
	}
	if i > 0 && h.word-r.hits[i-1].word == 1 {
		switch c := r.hits[i-1].class; {
		case c&directWord != 0 && i > 1 && r.hits[i-2].class&whenWord != 0 && h.word-r.hits[i-2].word == 2:
			return describedBy // "if you ignore"
		case c&directWord != 0:
			return full
		case c&describeWord != 0 && i > 1 && r.hits[i-2].class&directWord != 0 && h.word-r.hits[i-2].word == 2:
			return full // "you have to ignore"
		case c&describeWord != 0:
			return describedBy
		}
	}
	if c := r.text[at]; c >= 'A' && c <= 'Z' || c >= 0x80 {
		return full
	}
	return midSentence
}

// clauseBegins tells whether a clause begins at i: in front of it is a sign, not a word.
func (r *reading) clauseBegins(i int) bool {
	for i--; i >= 0; i-- {
		switch c := r.text[i]; {
		case c == ' ' || c == '\t':
		case c == '\n':
			return i == 0 || r.text[i-1] == '\n' || byteClass[r.text[i-1]]&inWord == 0
		case c == 'n' && i > 0 && r.text[i-1] == '\\':
			return true
		default:
			return byteClass[c]&inWord == 0
		}
	}
	return true
}

// hiddenAt returns the hidden span in which i lies, or nil.
func (r *reading) hiddenAt(i int) *hiddenSpan {
	n := sort.Search(len(r.hidden), func(n int) bool { return r.hidden[n].end > i })
	if n < len(r.hidden) && r.hidden[n].contains(i) {
		return &r.hidden[n]
	}
	return nil
}

// talkNear counts the words about attacks around a cue.
func (r *reading) talkNear(start, end int) int {
	from, _ := slices.BinarySearch(r.talk, int32(max(start-aroundBefore, 0)))
	to, _ := slices.BinarySearch(r.talk, int32(min(end+aroundAfter, len(r.text))))
	return to - from
}

// talkIn counts the words about attacks in a part of the text. An order that hides has some for its own ends.
func (r *reading) talkIn(start, end int) int {
	from, _ := slices.BinarySearch(r.talk, int32(start))
	to, _ := slices.BinarySearch(r.talk, int32(end))
	return to - from
}

// How a cue is quoted.
type quotation int

const (
	unquoted quotation = iota
	prose              // he wrote "…"
	value              // key: "…"
	code               // `…`
)

// quotation tells how a part of the text is quoted, in its line.
func (r *reading) quotation(start, end int) quotation {
	from := max(start-quoteBytes, 0)
	before := r.text[from:start]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		from += i + 1
		before = before[i+1:]
	}
	after := r.text[end:min(end+quoteBytes, len(r.text))]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	r.steps += len(before) + len(after)
	if strings.Count(before, "`")%2 == 1 && strings.Contains(after, "`") {
		return code
	}
	if strings.HasPrefix(before, "|") && strings.Contains(after, "|") {
		return value // a cell of a table
	}
	for _, mark := range []string{`"`, `'`} {
		i := openQuote(before, mark)
		if i < 0 || !strings.Contains(after, mark) {
			continue
		}
		if isValue(before[:i]) {
			return value
		}
		return prose
	}
	return unquoted
}

// openQuote returns the offset of a quotation mark that is not closed in text, or -1.
func openQuote(text, mark string) int {
	open := -1
	for i := range len(text) {
		if text[i] != mark[0] {
			continue
		}
		letterBefore := i > 0 && byteClass[text[i-1]]&inWord != 0
		switch {
		case open >= 0 && (mark == `"` || letterBefore || i+1 == len(text) || byteClass[text[i+1]]&inWord == 0):
			open = -1
		case open < 0 && !(mark == `'` && letterBefore):
			open = i
		}
	}
	return open
}

// isValue tells whether a quotation behind this text is a value of data or code.
func isValue(before string) bool {
	before = strings.TrimRight(before, ` \`)
	return before == "" || strings.ContainsRune(":=,([{->|", rune(before[len(before)-1]))
}

// inFence tells whether i lies in a block of code.
func (r *reading) inFence(i int) bool {
	if !r.fenced {
		r.fences, r.fenced = findFences(r.text), true
		r.steps += len(r.text)
	}
	return within(r.fences, i)
}

// findFences finds the blocks of code between lines of backticks or tildes. One that is not
// closed goes to the end of the text.
func findFences(text string) []span {
	var list []span
	open, mark := -1, ""
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		line := strings.TrimLeft(text[at:at+end], " \t>")
		for _, m := range []string{"```", "~~~"} {
			switch {
			case !strings.HasPrefix(line, m):
			case open < 0:
				open, mark = at, m
			case m == mark:
				list = append(list, span{open, at})
				open = -1
			}
		}
		at += end + 1
	}
	if open >= 0 {
		list = append(list, span{open, len(text)})
	}
	return list
}
