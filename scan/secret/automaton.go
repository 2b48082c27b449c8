// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"context"
	"slices"
)

// An automaton finds every occurrence of every word of a set in one pass (Aho and Corasick,
// 1975), ASCII letters in either case. States are numbered by their distance from the root, which
// keeps the few common ones together. States that end a word come last, so that one comparison
// per byte finds out whether there is anything to report.
type automaton struct {
	class   [256]uint8 // bytes that no word tells apart share a class
	width   int        // classes
	next    []uint32   // state*width + class → state*width
	reports uint32     // rows from here on end a word
	words   [][]int32  // by state, from the first that reports: the words that end there
	lengths []int      // by word, bytes
}

// newAutomaton builds the automaton of words, which are in lower case, not empty and
// different from each other.
func newAutomaton(words []string) *automaton {
	a := &automaton{}
	a.classify(words)
	t := newTrie(a, words)
	t.link()
	a.lay(t)
	for _, w := range words {
		a.lengths = append(a.lengths, len(w))
	}
	return a
}

func (a *automaton) classify(words []string) {
	a.width = 1
	for _, w := range words {
		for i := range len(w) {
			if a.class[w[i]] == 0 {
				a.class[w[i]] = uint8(a.width)
				a.width++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
}

// A trie is the automaton while it is built: state 0 is the root.
type trie struct {
	width int
	next  [][]int32
	fail  []int32
	ends  [][]int32
	order []int32 // breadth first
}

func newTrie(a *automaton, words []string) *trie {
	t := &trie{width: a.width}
	t.add()
	for i, w := range words {
		s := int32(0)
		for j := range len(w) {
			c := a.class[w[j]]
			if t.next[s][c] == 0 {
				t.next[s][c] = t.add()
			}
			s = t.next[s][c]
		}
		t.ends[s] = append(t.ends[s], int32(i))
	}
	return t
}

func (t *trie) add() int32 {
	t.next = append(t.next, make([]int32, t.width))
	t.fail = append(t.fail, 0)
	t.ends = append(t.ends, nil)
	return int32(len(t.next) - 1)
}

func (t *trie) link() {
	t.order = []int32{0}
	for i := 0; i < len(t.order); i++ {
		s := t.order[i]
		for c, to := range t.next[s] {
			suffix := int32(0)
			if s != 0 {
				suffix = t.next[t.fail[s]][c]
			}
			if to == 0 {
				t.next[s][c] = suffix
				continue
			}
			t.fail[to] = suffix
			t.ends[to] = append(t.ends[to], t.ends[suffix]...)
			t.order = append(t.order, to)
		}
	}
}

// lay numbers the states anew and writes the table.
func (a *automaton) lay(t *trie) {
	slices.SortStableFunc(t.order, func(x, y int32) int {
		return min(len(t.ends[x]), 1) - min(len(t.ends[y]), 1)
	})
	row := make([]uint32, len(t.order))
	for i, s := range t.order {
		row[s] = uint32(i * a.width)
	}
	a.reports = uint32(len(t.order) * a.width)
	a.next = make([]uint32, 0, len(t.order)*a.width)
	for i, s := range t.order {
		for _, to := range t.next[s] {
			a.next = append(a.next, row[to])
		}
		if len(t.ends[s]) > 0 {
			a.reports = min(a.reports, uint32(i*a.width))
			a.words = append(a.words, t.ends[s])
		}
	}
}

// find calls hit for each occurrence of a word, with its length and the offset behind it, in
// the order of these offsets, until ctx is done.
func (a *automaton) find(ctx context.Context, text string, hit func(word, length, end int)) {
	s := uint32(0)
	for from := 0; from < len(text) && ctx.Err() == nil; from += lookEvery {
		for i := from; i < min(from+lookEvery, len(text)); i++ {
			s = a.next[s+uint32(a.class[text[i]])]
			if s >= a.reports {
				for _, w := range a.words[(s-a.reports)/uint32(a.width)] {
					hit(int(w), a.lengths[w], i+1)
				}
			}
		}
	}
}

// lookEvery is how many bytes are read between two looks at the context.
const lookEvery = 16 << 10

// contains reports whether text has any of the words.
func (a *automaton) contains(text string) bool {
	s := uint32(0)
	for i := range len(text) {
		if s = a.next[s+uint32(a.class[text[i]])]; s >= a.reports {
			return true
		}
	}
	return false
}
