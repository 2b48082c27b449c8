// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"math"
	"slices"
	"strings"
)

// A found is a match of a pattern, before patterns are weighed against each other.
type found struct {
	pattern    *compiled
	start, end int // of the secret, bytes
}

// matchesIn returns the matches of r in text[begin:end] that begin before limit, and whether the last of them
// touches the end, where a regular expression takes the end of the part for that of the text.
func (r *compiled) matchesIn(text string, begin, end, limit int) (list []found, cut bool) {
	for _, at := range r.regex().FindAllStringSubmatchIndex(text[begin:end], -1) {
		for i := range at {
			if at[i] >= 0 {
				at[i] += begin
			}
		}
		if at[0] >= limit {
			break
		}
		if at[1] == end && end < len(text) {
			return nil, true
		}
		start, end := r.secret(text, at)
		if start < end && r.isSecret(text, text[start:end], at[0], at[1]) {
			list = append(list, found{pattern: r, start: start, end: end})
		}
	}
	return list, false
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

func (r *compiled) isSecret(text, secret string, start, end int) bool {
	if r.Entropy > 0 && entropy(secret) <= r.Entropy {
		return false
	}
	line := func() string { return lineAround(text, start, end) }
	return !slices.ContainsFunc(r.allow, func(a *allow) bool { return a.allows(secret, text[start:end], line) })
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

func lineAround(text string, start, end int) string {
	before, after := text[max(start-nearby, 0):start], text[end:min(end+nearby, len(text))]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	return text[start-len(before) : end+len(after)]
}
