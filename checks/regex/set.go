// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"regexp/syntax"
	"sort"
	"unicode"
)

// A set is a set of characters: pairs of the first and last of each range, sorted.
type set []rune

var (
	everything = set{0, unicode.MaxRune}
	notNewline = set{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	digits     = set{'0', '9'}
	words      = set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	blanks     = set{'\t', '\r', ' ', ' '}
)

// union sorts and joins ranges that may overlap.
func union(ranges ...set) set {
	var pairs [][2]rune
	for _, s := range ranges {
		for i := 0; i+1 < len(s); i += 2 {
			pairs = append(pairs, [2]rune{s[i], s[i+1]})
		}
	}
	sort.Slice(pairs, func(i, j int) bool { return pairs[i][0] < pairs[j][0] })
	var joined set
	for _, r := range pairs {
		if n := len(joined); n > 0 && r[0] <= joined[n-1]+1 {
			joined[n-1] = max(joined[n-1], r[1])
			continue
		}
		joined = append(joined, r[0], r[1])
	}
	return joined
}

// not is the complement of a set.
func (s set) not() set {
	var out set
	next := rune(0)
	for i := 0; i+1 < len(s); i += 2 {
		if s[i] > next {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

// and is what two sets share.
func (s set) and(other set) set {
	var out set
	for i, j := 0, 0; i+1 < len(s) && j+1 < len(other); {
		if from, to := max(s[i], other[j]), min(s[i+1], other[j+1]); from <= to {
			out = append(out, from, to)
		}
		if s[i+1] < other[j+1] {
			i += 2
		} else {
			j += 2
		}
	}
	return out
}

// meets reports whether two sets share a character.
func (s set) meets(other set) bool {
	for i, j := 0, 0; i+1 < len(s) && j+1 < len(other); {
		if max(s[i], other[j]) <= min(s[i+1], other[j+1]) {
			return true
		}
		if s[i+1] < other[j+1] {
			i += 2
		} else {
			j += 2
		}
	}
	return false
}

// property is the set of \p{name}; all characters if the name is not known here.
func property(name string) set {
	re, err := syntax.Parse(`\p{`+name+`}`, syntax.Perl)
	if err != nil || re.Op != syntax.OpCharClass {
		return everything
	}
	return set(re.Rune)
}

// foldCase adds the other case of ASCII letters to all sets.
func foldCase(n *node) {
	if n.op == opChar {
		var other set
		for _, half := range []struct{ letters, shift rune }{{'A', 'a' - 'A'}, {'a', 'A' - 'a'}} {
			for s, i := n.set.and(set{half.letters, half.letters + 25}), 0; i < len(s); i++ {
				other = append(other, s[i]+half.shift)
			}
		}
		n.set = union(n.set, other)
	}
	for _, sub := range n.subs {
		foldCase(sub)
	}
}
