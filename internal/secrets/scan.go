// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// work counts the steps of a scan, for tests of linear time.
type work struct {
	words    int // occurrences, by the patterns that they mean something to
	followed int // words whose tails were followed
	walked   int // bytes of runs
	filtered int // bytes that filters read
	matched  int // bytes that regular expressions were given
}

// A scan is the state of looking at one text.
type scan struct {
	*Scanner
	ctx     context.Context // when it is done, what has been found does not matter
	text    string
	regions [][]region           // by pattern
	keyword []bool               // by pattern: one of its keywords is there
	touched []int                // the patterns of which one of these is not empty
	runs    map[byteSet][]region // what is known of the runs of a set of bytes
	looked  map[*needed]look
	filters []*filter // by pattern; nil before it is needed
	allows  map[*allow]*filter
	work    *work
}

func (s *Scanner) newScan(ctx context.Context, text string, w *work) *scan {
	c, ok := s.idle.Get().(*scan)
	if !ok {
		c = &scan{
			Scanner: s, regions: make([][]region, len(s.patterns)), keyword: make([]bool, len(s.patterns)), runs: map[byteSet][]region{},
			filters: make([]*filter, len(s.patterns)), looked: map[*needed]look{}, allows: map[*allow]*filter{},
		}
	}
	if w == nil {
		w = new(work)
	}
	c.ctx, c.text, c.work = ctx, text, w
	for _, i := range s.whole {
		if s.patterns[i] == nil {
			continue
		}
		c.touch(i)
		c.regions[i] = append(c.regions[i], region{0, len(text)})
	}
	return c
}

// close gives a scan's memory to the next one: most texts are short, and these tables are not.
func (c *scan) close() {
	for _, i := range c.touched {
		c.regions[i], c.keyword[i] = c.regions[i][:0], false
		if f := c.filters[i]; f != nil {
			f.renew()
		}
	}
	clear(c.runs)
	for _, f := range c.allows {
		f.renew()
	}
	c.touched = c.touched[:0]
	clear(c.looked)
	c.ctx, c.text, c.work = nil, "", nil
	c.idle.Put(c)
}

func (s *Scanner) scan(ctx context.Context, text string, w *work) []found {
	c := s.newScan(ctx, text, w)
	defer c.close()
	for _, x := range []*wordIndex{&s.words, &s.late} {
		if x == &s.late && !c.wantsLate() {
			break
		}
		x.find(ctx, text, c.hitsOf(x))
		for _, letter := range x.letters {
			if x == &s.words || slices.ContainsFunc(x.uses[letter], c.wants) {
				x.findLetter(ctx, text, letter, c.hitsOf(x))
			}
		}
	}
	return c.complete()
}

// scanBoth scans a text and its normal form. The words of the first are, but for those in escapes, also in the second:
// there is one look for both.
func (s *Scanner) scanBoth(ctx context.Context, text string, n *normal, w *work) (raw, plain []found) {
	if s.words.foreign || s.late.foreign {
		return s.scan(ctx, text, w), s.scan(ctx, n.text, w)
	}
	c, d := s.newScan(ctx, text, w), s.newScan(ctx, n.text, w)
	defer c.close()
	defer d.close()
	for _, x := range []*wordIndex{&s.words, &s.late} {
		if x == &s.late && !c.wantsLate() && !d.wantsLate() {
			break
		}
		inRaw, inPlain := c.hitsOf(x), d.hitsOf(x)
		hit := func(word, at int) {
			inPlain(word, at)
			if from := n.raw(at); x.stands(text, word, from) {
				inRaw(word, from)
			}
		}
		x.find(ctx, n.text, hit)
		for _, letter := range x.letters {
			if x == &s.words || slices.ContainsFunc(x.uses[letter], c.wants) || slices.ContainsFunc(x.uses[letter], d.wants) {
				x.findLetter(ctx, n.text, letter, hit)
			}
		}
		for i := range n.edits {
			start, end := n.escape(i)
			for at := start + 1; at < end; at++ {
				x.at(text, at, inRaw)
			}
		}
	}
	return c.complete(), d.complete()
}

// hitsOf returns a function that notes where the expressions of patterns could match, given a word of an index.
func (c *scan) hitsOf(x *wordIndex) func(word, at int) {
	return func(word, at int) {
		for _, u := range x.uses[word] {
			ready := c.patterns[u.pattern]
			if ready == nil {
				continue
			}
			c.work.words++
			if u.place == keyword {
				c.touch(int(u.pattern))
				c.keyword[u.pattern] = true
				continue
			}
			if r, ok := c.around(ready().places[u.place], at, at+len(x.words[word])); ok {
				c.touch(int(u.pattern))
				c.regions[u.pattern] = add(c.regions[u.pattern], r)
			}
		}
	}
}

func (c *scan) touch(pattern int) {
	if len(c.regions[pattern]) == 0 && !c.keyword[pattern] {
		c.touched = append(c.touched, pattern)
	}
}

// wantsLate reports whether a keyword of a late pattern is there.
func (c *scan) wantsLate() bool {
	return slices.ContainsFunc(c.touched, func(i int) bool { return c.keyword[i] && c.isLate[int32(i)] })
}

// wants reports whether a keyword of the use's pattern is there.
func (c *scan) wants(u use) bool { return c.keyword[u.pattern] }

// around returns the region of the possible matches with a word at a place, if there are any.
func (c *scan) around(p *place, start, end int) (region, bool) {
	if !p.begins(c.text, end) || !p.lead.stands(c.text, start) {
		return region{}, false
	}
	c.work.followed++
	behind, possible, known := p.tail.follow(c.text, end)
	if !possible {
		return region{}, false
	}
	if p.needed != nil && !c.holds(p.needed, end, min(end+maxText, len(c.text))) {
		return region{}, false // before the longer look
	}
	behind += end
	if !known {
		behind = c.after(&p.after, end)
	}
	if p.needed != nil && !c.holds(p.needed, end, behind) {
		return region{}, false
	}
	return widened(c.text, c.before(&p.before, start), behind), true
}

// begins reports whether what stands at an offset can be the begin of the tail. For most
// words in most texts, it cannot.
func (p *place) begins(text string, at int) bool {
	if p.empty {
		return true
	}
	if at == len(text) {
		return false
	}
	c := text[at]
	return c >= utf8.RuneSelf || p.first[c>>6]>>(c&63)&1 == 1
}

// match applies patterns to their regions.
func (c *scan) match(wanted func(*compiled) bool) []found {
	var list []found
	slices.Sort(c.touched)
	for _, i := range c.touched {
		if len(c.regions[i]) == 0 {
			continue
		}
		if r := c.patterns[i](); wanted(r) && (!r.keywords || c.keyword[i]) {
			list = append(list, c.inRegions(r, i, c.regions[i])...)
		}
	}
	return list
}

// inRegions returns the matches of a pattern. If one touches the end of its region, it may owe that to
// the end alone: the region grows, by half of itself, so that looking again and again costs
// no more than a constant factor.
func (c *scan) inRegions(r *compiled, pattern int, regions []region) []found {
	var all []found
	for i := 0; i < len(regions) && c.ctx.Err() == nil; i++ {
		at := regions[i]
		for {
			list, cut := c.inRegion(r, pattern, at)
			if !cut {
				all = append(all, list...)
				break
			}
			at.end = min(at.end+max(64, (at.end-at.start)/2), len(c.text))
			for i+1 < len(regions) && regions[i+1].start <= at.end {
				i++
				at.end = max(at.end, regions[i].end)
			}
		}
	}
	return all
}

// inRegion applies a pattern to those parts of a region that its filter lets through.
func (c *scan) inRegion(r *compiled, pattern int, at region) (all []found, cut bool) {
	f := c.filters[pattern]
	if f == nil {
		f = newFilter(r.Regex)
		c.filters[pattern] = f
	}
	c.work.filtered += at.end - at.start
	f.parts(c.text[at.start:at.end], func(start, end, limit int) bool {
		start, end, limit = at.start+start, at.start+end, at.start+limit
		c.work.matched += end - start
		list, touches := c.matchesIn(r, start, end, limit)
		more := true
		if touches && end < at.end {
			c.work.matched += at.end - start
			list, touches = c.matchesIn(r, start, at.end, at.end+1)
			more = false
		}
		all, cut = append(all, list...), touches
		return more && !cut
	})
	return all, cut
}

// complete matches the patterns, and drops matches whose required other match is missing nearby.
func (c *scan) complete() []found {
	list := c.match(func(r *compiled) bool { return !r.Component })
	needed := map[string][]int{} // the lines at which there are matches of patterns that others require
	for _, f := range list {
		for _, q := range f.pattern.Require {
			needed[q.ID] = nil
		}
	}
	if len(needed) == 0 {
		return list
	}
	isNeeded := func(r *compiled) bool { _, ok := needed[r.ID]; return ok }
	lines := newLines(c.text)
	for _, f := range append(c.match(func(r *compiled) bool { return r.Component && isNeeded(r) }), list...) {
		if isNeeded(f.pattern) {
			needed[f.pattern.ID] = append(needed[f.pattern.ID], lines.at(f.start))
		}
	}
	for id := range needed {
		slices.Sort(needed[id])
	}
	return slices.DeleteFunc(list, func(f found) bool {
		return slices.ContainsFunc(f.pattern.Require, func(q Requirement) bool {
			return !within(needed[q.ID], lines.at(f.start), q.Lines)
		})
	})
}

// within reports whether one of the lines, which are in order, is at most so far from a line;
// 0 is any distance.
func within(lines []int, line, distance int) bool {
	if distance == 0 {
		return len(lines) > 0
	}
	i, _ := slices.BinarySearch(lines, line-distance)
	return i < len(lines) && lines[i] <= line+distance
}

// lines are the offsets of the line feeds of a text.
type lines []int

func newLines(text string) lines {
	var list lines
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return list
		}
		i += n + 1
		list = append(list, i-1)
	}
}

// at returns the number of the line of an offset, from 0 on.
func (l lines) at(offset int) int {
	i, _ := slices.BinarySearch(l, offset)
	return i
}
