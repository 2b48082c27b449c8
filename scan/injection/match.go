// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// A cue is a mark in a view, before its neighbours are weighed in.
type cue struct {
	kind       string
	rule       string
	start, end int
	score      int
	quoted     bool // it is an example, or spoken of
	alone      bool // its rule has looked at the sentence around it
}

// near is how many bytes may lie between two cues that count together.
const near = 400

// A reading is a view with all that is known of it.
type reading struct {
	*pace
	*words
	text   string
	hidden []hiddenSpan // text hidden from people, in ascending order
	talk   []int32      // where words stand that one uses to talk about attacks
	fences []span       // blocks of code; nil until asked for
	fenced bool         // whether fences is known
	steps  int
}

// grammar reports the phrases and role markers of a view.
func (s *scanner) grammar(v *view, hidden []hiddenSpan) *words {
	memory, ok := hitMemory.Get().(*[]hit)
	if !ok {
		memory = new([]hit)
	}
	s.memory = memory
	r := newReading(readInto(s.pace, v.text, *memory), s.pace, v.text, hidden)
	for _, group := range r.groups() {
		for _, c := range group {
			start, end := v.original(c.start, c.end, len(s.text))
			s.report(c.kind, c.rule, start, end, c.score)
		}
		if h := r.hiddenAt(group[0].start); h != nil {
			start, end := v.original(h.start, h.end, len(s.text))
			s.report(h.kind, h.rule, start, end, enough)
		}
	}
	for _, b := range r.bangs {
		if b.count >= minBangs {
			start, end := v.original(b.from, b.to, len(s.text))
			s.report(kindNoise, "lone-exclamation-marks", start, end, 60)
		}
	}
	s.hiddenAddresses(v, r)
	s.steps += r.steps
	return r.words
}

func newReading(w *words, p *pace, text string, hidden []hiddenSpan) *reading {
	r := &reading{words: w, pace: p, text: text, hidden: hidden, steps: len(text)}
	for _, h := range r.hits {
		if h.class&talkWord != 0 {
			r.talk = append(r.talk, h.start)
		}
	}
	return r
}

// groups returns the cues of the text that suffice together, each with its neighbours.
func (r *reading) groups() [][]cue {
	cues := r.cues()
	sort.SliceStable(cues, func(i, j int) bool { return cmp.Or(cues[i].start-cues[j].start, cues[j].score-cues[i].score) < 0 })
	var groups [][]cue
	for i := 0; i < len(cues); {
		j, end := i, cues[i].end
		for j < len(cues) && cues[j].start <= end+near {
			end = max(end, cues[j].end)
			j++
		}
		if sum(cues[i:j]) >= enough {
			groups = append(groups, cues[i:j])
		}
		i = j
	}
	return groups
}

// maxQuoted is what quoted cues can add to a sum: however many examples a text gives, they
// stay examples.
const maxQuoted = 20

// sum adds the scores of cues: of each rule the highest, and of those that say the same,
// because one lies in the other, the higher.
func sum(cues []cue) int {
	best := map[string]cue{}
	for _, c := range cues {
		if c.score > best[c.rule].score {
			best[c.rule] = c
		}
	}
	list := slices.Collect(maps.Values(best))
	sort.Slice(list, func(i, j int) bool {
		return cmp.Or(list[j].score-list[i].score, cmp.Compare(list[i].rule, list[j].rule)) < 0
	})
	total, quoted := 0, 0
	for i, c := range list {
		if slices.ContainsFunc(list[:i], c.nested) {
			continue
		}
		if c.quoted {
			quoted += c.score
		} else {
			total += c.score
		}
	}
	return total + min(quoted, maxQuoted)
}

// nested tells whether one of the cues lies in the other.
func (c cue) nested(d cue) bool {
	if c.rule == "banner" || d.rule == "banner" {
		return false
	}
	return c.start >= d.start && c.end <= d.end || d.start >= c.start && d.end <= c.end
}

// cues finds phrases and role markers, and weighs each by where it stands.
func (r *reading) cues() []cue {
	var list []cue
	table := patterns()
	for i := range r.hits {
		if r.over() {
			break
		}
		h := &r.hits[i]
		if h.class&roleWord != 0 {
			if c, ok := r.roleMarker(h); ok {
				if !c.alone && r.mentioned(c.start, c.end) {
					c.score = c.score * describedBy / 100
				}
				list = r.add(list, c, h)
			}
		}
		if h.class&sayWord != 0 {
			if c, ok := r.dictated(h); ok {
				list = r.add(list, c, h)
			}
		}
		if h.class&urgentWord != 0 && r.bannered(int(h.start)) {
			list = r.add(list, cue{kind: kindInstruction, rule: "banner", start: int(h.start), end: int(h.end), score: 25}, h)
		}
		for rest := h.class & table.any; rest != 0; rest &= rest - 1 {
			starts := table.starts[bits.TrailingZeros64(uint64(rest))]
			for n := range starts {
				p := &starts[n]
				if last := r.match(p, i); last >= 0 {
					c := cue{kind: kindInstruction, rule: p.rule, start: int(h.start), end: int(r.hits[last].end), score: p.score}
					if p.order {
						c.score = c.score * r.order(i) / 100
					}
					list = r.add(list, c, h)
					if j := r.orderAfter(last); j >= 0 {
						list = r.add(list, cue{kind: kindInstruction, rule: "order-follows", start: int(r.hits[j].start), end: int(r.hits[j].end), score: 15}, &r.hits[j])
					}
				}
			}
		}
	}
	return list
}

// orderAfter returns the index of the order with which the next sentence begins, if an
// announcement ends with hit i, or -1.
func (r *reading) orderAfter(i int) int {
	if r.hits[i].class&announceWord == 0 {
		return -1
	}
	for j := i + 1; j < len(r.hits) && r.hits[j].word-r.hits[i].word < 16; j++ {
		r.steps++
		if h := &r.hits[j]; h.sentence == r.hits[i].sentence+1 && h.class&actionWord != 0 {
			if r.clauseBegins(int(h.start)) || r.hits[j-1].word == h.word-1 && r.hits[j-1].class&directWord != 0 {
				return j
			}
			return -1
		}
	}
	return -1
}

// add appends a cue with its weight at its place, unless that is zero.
func (r *reading) add(list []cue, c cue, h *hit) []cue {
	w := r.weight(&c)
	c.score, c.quoted = min(c.score*w/100, 100), w < talkedMid
	if c.score > 0 {
		return append(list, c)
	}
	return list
}

// match returns the index of the last hit of a pattern that begins with hit i, or -1.
func (r *reading) match(p *pattern, i int) int {
	at := i
	for _, s := range p.slots[1:] {
		next := -1
		for j := at + 1; j < len(r.hits); j++ {
			r.steps++
			gap := r.hits[j].word - r.hits[at].word - 1
			if gap > s.gap || r.hits[j].sentence != r.hits[i].sentence {
				break
			}
			if gap >= 0 && r.hits[j].class&s.class != 0 {
				next = j
				break
			}
		}
		if next < 0 || !r.prose(int(r.hits[at].end), r.begin(&r.hits[next])) {
			return -1
		}
		at = next
	}
	if p.stop && !r.clauseEnds(int(r.hits[at].end)) {
		return -1
	}
	return at
}

// begin is where a word begins, or the path that ends with the name of a file.
func (r *reading) begin(h *hit) int {
	at := int(h.start)
	if h.class&keyfileWord != 0 {
		for at > 0 && r.text[at-1] > ' ' && int(h.start)-at < maxPath {
			at--
		}
	}
	return at
}

// maxPath bounds the path of a file that a phrase names, in bytes.
const maxPath = 60

// prose tells whether what stands between two words may stand there in a sentence. In code
// it does not: remove(all, previous).
func (r *reading) prose(start, end int) bool {
	lineBegins := false
	for i := start; i < end; i++ {
		r.steps++
		switch c := r.text[i]; {
		case byteClass[c]&inWord != 0:
			lineBegins = false
		case c == '\n':
			lineBegins = true
		case c == ':' && i+1 < end && byteClass[r.text[i+1]]&isDigit != 0: // {ignore:1,all:2}
			return false
		case c == '.' && i+1 < end && byteClass[r.text[i+1]]&inWord != 0:
			return false
		case c == '\\' && i+1 < end && r.text[i+1] != 'n' && r.text[i+1] != '"':
			return false
		case strings.IndexByte("(){}[]=;<>|&#/@$^%+~", c) >= 0 && !lineBegins: // there, it may mark a comment
			return false
		}
	}
	return true
}

// clauseEnds tells whether a clause ends at i: at a sign, a new line, or "and".
func (r *reading) clauseEnds(i int) bool {
	for ; i < len(r.text) && r.text[i] == ' '; i++ {
		if len(r.text) > i+4 && lower(r.text[i+1]) == 'a' && r.text[i+2] == 'n' && r.text[i+3] == 'd' && r.text[i+4] == ' ' {
			return true
		}
	}
	return i >= len(r.text) || byteClass[r.text[i]]&inWord == 0 && r.text[i] != '`' && r.text[i] != '-'
}
