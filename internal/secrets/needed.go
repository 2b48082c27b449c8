// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"regexp/syntax"
	"strings"
)

// A needed is a set of words of which what stands behind an anchor must hold one. Expressions that may take a whole line
// (curl.* -u) have it: the word is rare, and to look for it costs next to nothing.
type needed struct {
	words   []string // lower case
	longest int      // of the words, bytes
	signs   []sign
}

// A sign is a byte by which some words are found: one that is rare in texts.
type sign struct {
	char  byte
	words []int
	at    []int // of char, in each of the words
}

// newNeeded returns the words that any match of nodes holds, or nil if they are none or too common.
func newNeeded(nodes []*syntax.Regexp) *needed {
	n := &needed{}
	var signs [256]*sign
	for _, a := range anchorsOf(nodes) {
		for _, w := range lowered(a.words) {
			if len(w) < 2 {
				return nil
			}
			at := rarestByte(w)
			c := w[at]
			if signs[c] == nil {
				signs[c] = &sign{char: c}
			}
			signs[c].words, signs[c].at = append(signs[c].words, len(n.words)), append(signs[c].at, at)
			n.words, n.longest = append(n.words, w), max(n.longest, len(w))
		}
	}
	for _, s := range signs {
		if s != nil {
			n.signs = append(n.signs, *s)
		}
	}
	if len(n.words) == 0 || len(n.signs) > maxSigns {
		return nil
	}
	return n
}

// maxSigns bounds the looks for one set.
const maxSigns = 4

func rarestByte(word string) int {
	best := 0
	for i := range len(word) {
		if rarity(word[i]) > rarity(word[best]) {
			best = i
		}
	}
	return best
}

// A look is what is known of the words that are needed: none begins in text[from:to], and one does at to if there is set.
type look struct {
	from, to int
	there    bool
}

// holds reports whether one of the words begins in a part of the text. No part is looked at twice as long as parts begin
// in order.
func (c *scan) holds(n *needed, start, end int) bool {
	l, ok := c.looked[n]
	if !ok || start < l.from || start > l.to {
		l = look{from: start, to: start}
	}
	if l.to < end && !l.there {
		var size int
		size, l.there = n.next(c.text[l.to:end])
		c.work.walked += size
		l.to += size
		if !l.there {
			l.to = max(l.to-n.longest, l.from) // where a word may begin that goes on
		}
	}
	c.looked[n] = l
	return l.there && l.to < end
}

// next returns where the first of the words begins, if one is in text, or the length of text.
func (n *needed) next(text string) (at int, there bool) {
	first := len(text)
	for _, s := range n.signs {
		for at := 0; at < len(text); at++ {
			i := indexEither(text[at:], s.char)
			if i < 0 {
				break
			}
			if at += i; at >= first+n.longest {
				break
			}
			for k, w := range s.words {
				begin := at - s.at[k]
				if word := n.words[w]; begin >= 0 && begin < first && begin+len(word) <= len(text) && equalFold(text[begin:begin+len(word)], word) {
					first = begin
				}
			}
		}
	}
	return first, first < len(text)
}

// indexEither is strings.IndexByte for a letter in either case.
func indexEither(text string, c byte) int {
	i := strings.IndexByte(text, c)
	if c < 'a' || c > 'z' {
		return i
	}
	if i >= 0 {
		text = text[:i]
	}
	if j := strings.IndexByte(text, c&^foldBit); j >= 0 {
		return j
	}
	return i
}
