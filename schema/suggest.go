// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"unicode"
)

const (
	// maxCompared bounds the names that are compared by edit distance.
	maxCompared = 64
	// abbreviated is the rank of a name that is the beginning or a word of
	// another: further away than any misspelling.
	abbreviated = 100
)

// similar returns the candidate that name was most likely meant to be: the same except for case
// and separators, else the nearest by edit distance, else the only abbreviation of it or by it.
// Of two equally near names, the first in an order of preference wins only if it is preferred.
func similar(name string, candidates []string, preferred func(string) bool) (string, bool) {
	best, bestRank, tie := "", 2*abbreviated, false
	for _, c := range candidates {
		rank, ok := likeness(name, c)
		switch {
		case !ok || rank > bestRank:
		case rank < bestRank || preferred(c) && !preferred(best):
			best, bestRank, tie = c, rank, false
		case preferred(c) == preferred(best):
			tie = true
		}
	}
	return best, best != "" && !tie
}

// likeness ranks how close two names are; 0 is closest.
func likeness(a, b string) (int, bool) {
	if len(a) > maxCompared || len(b) > maxCompared {
		return 0, false
	}
	x, y := folded(a), folded(b)
	if len(x) == 0 || len(y) == 0 {
		return 0, false
	}
	if string(x) == string(y) {
		return 0, true
	}
	allowed := max(len(x), len(y)) / 4
	if min(len(x), len(y)) >= 3 {
		allowed = max(allowed, 1)
	}
	if d := distance(x, y, min(allowed, 3)); d <= min(allowed, 3) {
		return d, true
	}
	if abbreviates(a, b) || abbreviates(b, a) {
		return abbreviated, true
	}
	return 0, false
}

// folded returns the letters and digits of a name in lower case, so that
// maxResults, max_results and max-results are the same.
func folded(name string) []rune {
	var out []rune
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, unicode.ToLower(r))
		}
	}
	return out
}

// abbreviates reports whether short is the beginning of long, or all its words
// are words of long: desc and description, path and file_path.
func abbreviates(short, long string) bool {
	x, y := string(folded(short)), string(folded(long))
	if len(x) < 3 || len(x) >= len(y) {
		return false
	}
	if strings.HasPrefix(y, x) {
		return true
	}
	have := map[string]bool{}
	for _, word := range words(long) {
		have[word] = true
	}
	for _, word := range words(short) {
		if !have[word] {
			return false
		}
	}
	return true
}

// words splits a name at separators and where lower case turns into upper.
func words(name string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = nil
		}
	}
	lower := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsUpper(r) && lower {
			end()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	end()
	return out
}

// distance returns the number of insertions, deletions, replacements and
// swaps of neighbours between a and b, or limit+1 when there are more.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			replace := row[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			next[j] = min(replace, row[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return min(row[len(b)], limit+1)
}
