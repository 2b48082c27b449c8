// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// A found is a match of a pattern, before patterns are weighed against each other.
type found struct {
	pattern    *compiled
	start, end int // of the secret, bytes
}

// matchesIn returns the matches of r in the text from begin to end that begin before limit, and whether the last of them
// touches the end, where a regular expression takes the end of the part for that of the text.
func (c *scan) matchesIn(r *compiled, begin, end, limit int) (list []found, cut bool) {
	text := c.text
	for _, at := range c.all(r, begin, end) {
		if at[0] >= limit {
			break
		}
		if at[1] == end && end < len(text) {
			return nil, true
		}
		start, end := r.secret(text, at)
		if start < end && c.isSecret(r, text[start:end], at[0], at[1]) {
			list = append(list, found{pattern: r, start: start, end: end})
		}
	}
	return list, false
}

// all returns the matches of r in a part of the text, as the package regexp does, by offsets in the text.
func (c *scan) all(r *compiled, begin, end int) [][]int {
	list := r.regex().FindAllStringSubmatchIndex(c.text[begin:end], -1)
	last := begin // the end of the match before
	for _, at := range list {
		for i := range at {
			if at[i] >= 0 {
				at[i] += begin
			}
		}
		at[0] = last + r.head.before(c.text[last:at[0]])
		last = at[1]
	}
	return list
}

// secret returns where in a match the secret is.
func (r *compiled) secret(text string, at []int) (start, end int) {
	start, end = at[0], at[1]
	if g := r.SecretGroup; g > 0 {
		start, end = at[2*g], at[2*g+1]
	} else {
		for g := 2; g < len(at); g += 2 {
			if at[g] < at[g+1] {
				start, end = at[g], at[g+1]
				break
			}
		}
	}
	if start < 0 {
		return 0, 0
	}
	const space = " \t\r\n"
	end = start + len(strings.TrimRight(text[start:end], space))
	return end - len(strings.TrimLeft(text[start:end], space)), end
}

func (c *scan) isSecret(r *compiled, secret string, start, end int) bool {
	if r.Entropy > 0 && entropy(secret) <= r.Entropy {
		return false
	}
	allowed := func(a *allow) bool {
		target, possible := secret, true
		switch a.Target {
		case "match":
			target = c.text[start:end]
		case "line":
			from, to := lineAround(c.text, start, end)
			if n := a.needed(); n != nil {
				possible = c.holds(n, from, to)
			}
			target = c.text[from:to]
		}
		byRegex := len(a.Regexes) > 0 && (possible && c.matchesAny(a, target)) != a.Not
		if !a.All && byRegex {
			return true
		}
		byWord := len(a.Words) > 0 && a.words().contains(secret)
		return byWord && (byRegex || !a.All)
	}
	if slices.ContainsFunc(r.allow, allowed) {
		return false
	}
	if r.Generic {
		return !slices.ContainsFunc(allows().generic, allowed)
	}
	return !slices.ContainsFunc(allows().all, allowed)
}

// matchesAny reports whether one of the regular expressions of a matches text. Mostly, a filter for all of them tells.
func (c *scan) matchesAny(a *allow, text string) bool {
	f := c.allows[a]
	if f == nil {
		f = newFilter(a.any())
		c.allows[a] = f
	}
	c.work.filtered += len(text)
	if found, sure := f.matches(text); sure {
		return found
	}
	c.work.matched += len(text)
	return slices.ContainsFunc(a.regexes, func(re func() *regexp.Regexp) bool { return re().MatchString(text) })
}

// entropy returns the Shannon entropy of the bytes of s, in bits per byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	e := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			e -= p * math.Log2(p)
		}
	}
	return e
}

// nearby is how much of a long line counts as the line of a match, on either side.
const nearby = 1000

func lineAround(text string, start, end int) (from, to int) {
	before, after := text[max(start-nearby, 0):start], text[end:min(end+nearby, len(text))]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	return start - len(before), end + len(after)
}
