// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

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
	regions [][]region // by pattern
	keyword []bool     // by pattern: one of its keywords is there
	runs    [][]region // by the id of an extent: what is known of its runs
	filters []*filter  // by pattern; nil before it is needed
	work    *work
}

func (s *Scanner) newScan(ctx context.Context, text string, w *work) *scan {
	c, ok := s.idle.Get().(*scan)
	if !ok {
		c = &scan{
			Scanner: s, regions: make([][]region, len(s.patterns)), keyword: make([]bool, len(s.patterns)), runs: make([][]region, s.runs),
			filters: make([]*filter, len(s.patterns)),
		}
	}
	if w == nil {
		w = new(work)
	}
	c.ctx, c.text, c.work = ctx, text, w
	return c
}

// close gives a scan's memory to the next one: most texts are short, and these tables are not.
func (c *scan) close() {
	clear(c.regions)
	clear(c.keyword)
	clear(c.runs)
	for _, f := range c.filters {
		if f != nil {
			f.renew()
		}
	}
	c.ctx, c.text, c.work = nil, "", nil
	c.idle.Put(c)
}

func (s *Scanner) scan(ctx context.Context, text string, w *work) []found {
	c := s.newScan(ctx, text, w)
	defer c.close()
	s.words.find(ctx, text, c.hit)
	list := c.match(func(r *compiled) bool { return !r.Component })
	return c.complete(list)
}

// hit notes where the expressions of patterns could match, given a word that ends at end.
func (c *scan) hit(word, length, end int) {
	for _, u := range c.uses[word] {
		c.work.words++
		if u.place == nil {
			c.keyword[u.pattern] = true
			continue
		}
		if r, ok := c.around(u.place, end-length, end); ok {
			c.regions[u.pattern] = add(c.regions[u.pattern], r)
		}
	}
}

// around returns the region of the possible matches with a word at a place, if there are any.
func (c *scan) around(p *place, start, end int) (region, bool) {
	if !p.begins(c.text, end) {
		return region{}, false
	}
	c.work.followed++
	behind, possible, known := p.tail.follow(c.text, end)
	if !possible {
		return region{}, false
	}
	behind += end
	if !known {
		behind = c.after(&p.after, end)
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
	for i, r := range c.patterns {
		if !wanted(r) || r.keywords && !c.keyword[i] {
			continue
		}
		regions := c.regions[i]
		if len(r.anchors) == 0 {
			regions = []region{{0, len(c.text)}}
		}
		list = append(list, c.inRegions(i, regions)...)
	}
	return list
}

// inRegions returns the matches of a pattern. If one touches the end of its region, it may owe that to
// the end alone: the region grows, by half of itself, so that looking again and again costs
// no more than a constant factor.
func (c *scan) inRegions(pattern int, regions []region) []found {
	var all []found
	for i := 0; i < len(regions) && c.ctx.Err() == nil; i++ {
		at := regions[i]
		for {
			list, cut := c.inRegion(pattern, at)
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
func (c *scan) inRegion(pattern int, at region) (all []found, cut bool) {
	r, f := c.patterns[pattern], c.filters[pattern]
	if f == nil {
		f = newFilter(r.Regex)
		c.filters[pattern] = f
	}
	c.work.filtered += at.end - at.start
	f.parts(c.text[at.start:at.end], func(start, end, limit int) bool {
		start, end, limit = at.start+start, at.start+end, at.start+limit
		c.work.matched += end - start
		list, touches := r.matchesIn(c.text, start, end, limit)
		more := true
		if touches && end < at.end {
			c.work.matched += at.end - start
			list, touches = r.matchesIn(c.text, start, at.end, at.end+1)
			more = false
		}
		all, cut = append(all, list...), touches
		return more && !cut
	})
	return all, cut
}

// complete drops matches whose required other match is missing nearby.
func (c *scan) complete(list []found) []found {
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
