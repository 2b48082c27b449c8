// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// An anchor is a few words with the surroundings that the expression allows. Every match holds
// one of the words, in either case. An expression has a set of anchors: every match holds one of
// them.
type anchor struct {
	words  []string // lower case ASCII
	before extent
	last   *syntax.Regexp   // the part of the expression in front of the word; nil if nothing must stand there
	tail   []*syntax.Regexp // the text behind
}

const (
	maxWords   = 64  // of one expression
	maxWord    = 24  // bytes: what is longer is rare enough at that
	farBefore  = 512 // bytes before a word that make it a bad anchor
	minQuality = 1
)

// anchorsOf returns the best set of anchors of an expression that is the nodes one behind the
// other, or nil if it has none.
func anchorsOf(nodes []*syntax.Regexp) []anchor {
	var best []anchor
	consider := func(set []anchor) {
		if set != nil && (best == nil || quality(set) > quality(best)) {
			best = set
		}
	}
	for i := range nodes {
		words, end := wordsAt(nodes[i:])
		if end > 0 {
			consider([]anchor{{words: words, before: ofAll(nodes[:i]), last: lastOf(nodes[:i]), tail: nodes[i+end:]}})
		}
		if inner := innerAnchors(nodes[i]); inner != nil {
			consider(around(inner, nodes, i))
		}
	}
	if best == nil || quality(best) < minQuality {
		return nil
	}
	return best
}

// wordsAt returns the few strings that one of begins any match of nodes, and how many nodes
// they take.
func wordsAt(nodes []*syntax.Regexp) ([]string, int) {
	words, end := []string{""}, 0
	for i, n := range nodes {
		more := stringsOf(n)
		if more == nil || len(more)*len(words) > maxWords || longest(words) >= maxWord {
			break
		}
		words, end = product(words, more), i+1
	}
	return words, end
}

func lastOf(nodes []*syntax.Regexp) *syntax.Regexp {
	if len(nodes) == 0 {
		return nil
	}
	return nodes[len(nodes)-1]
}

func longest(words []string) int {
	n := 0
	for _, w := range words {
		n = max(n, len(w))
	}
	return n
}

func product(heads, tails []string) []string {
	var all []string
	for _, h := range heads {
		for _, t := range tails {
			all = append(all, h+t)
		}
	}
	return all
}

// stringsOf returns all strings that n matches, in lower case, or nil if they are many or
// not ASCII.
func stringsOf(n *syntax.Regexp) []string {
	switch n.Op {
	case syntax.OpLiteral:
		for _, r := range n.Rune {
			if r > unicode.MaxASCII {
				return nil
			}
		}
		return []string{strings.ToLower(string(n.Rune))}
	case syntax.OpCharClass:
		return lettersOf(n)
	case syntax.OpCapture:
		return stringsOf(n.Sub[0])
	case syntax.OpConcat:
		words, end := wordsAt(n.Sub)
		if end < len(n.Sub) {
			return nil
		}
		return words
	case syntax.OpAlternate:
		var all []string
		for _, s := range n.Sub {
			words := stringsOf(s)
			if words == nil || len(all)+len(words) > maxWords {
				return nil
			}
			all = append(all, words...)
		}
		return all
	case syntax.OpQuest:
		if words := stringsOf(n.Sub[0]); words != nil {
			return append([]string{""}, words...)
		}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	}
	return nil
}

// lettersOf returns the characters of a small class.
func lettersOf(n *syntax.Regexp) []string {
	var set [unicode.MaxASCII + 1]bool
	for i := 0; i < len(n.Rune); i += 2 {
		if n.Rune[i+1] > unicode.MaxASCII {
			return nil
		}
		for r := n.Rune[i]; r <= n.Rune[i+1]; r++ {
			set[unicode.ToLower(r)] = true
		}
	}
	var all []string
	for r, ok := range set {
		if ok {
			all = append(all, string(rune(r)))
		}
		if len(all) > 10 {
			return nil
		}
	}
	return all
}

// innerAnchors returns the anchors inside a node, if each match of it has one.
func innerAnchors(n *syntax.Regexp) []anchor {
	switch n.Op {
	case syntax.OpCapture:
		return anchorsOf(n.Sub[:1])
	case syntax.OpConcat:
		return anchorsOf(n.Sub)
	case syntax.OpAlternate:
		var all []anchor
		for _, s := range n.Sub {
			set := anchorsOf([]*syntax.Regexp{s})
			if set == nil {
				return nil
			}
			all = append(all, set...)
		}
		return all
	case syntax.OpPlus, syntax.OpRepeat:
		return repeatedAnchors(n)
	}
	return nil
}

// repeatedAnchors takes the anchors of the first round.
func repeatedAnchors(n *syntax.Regexp) []anchor {
	if n.Op == syntax.OpRepeat && n.Min < 1 {
		return nil
	}
	set := anchorsOf(n.Sub[:1])
	more := &syntax.Regexp{Op: syntax.OpStar, Flags: n.Flags, Sub: n.Sub}
	if n.Op == syntax.OpRepeat && n.Max >= 0 {
		more = &syntax.Regexp{Op: syntax.OpRepeat, Flags: n.Flags, Sub: n.Sub, Max: n.Max - 1}
	}
	for i := range set {
		set[i].tail = append(set[i].tail[:len(set[i].tail):len(set[i].tail)], more)
	}
	return set
}

// around returns the anchors inside nodes[i] as those of all nodes.
func around(inner []anchor, nodes []*syntax.Regexp, i int) []anchor {
	before := ofAll(nodes[:i])
	var set []anchor
	for _, a := range inner {
		tail := append(a.tail[:len(a.tail):len(a.tail)], nodes[i+1:]...)
		last := a.last
		if bytes, ok := a.before.bounded(); ok && bytes == 0 {
			last = lastOf(nodes[:i])
		}
		set = append(set, anchor{words: a.words, before: extent{op: extentSequence, parts: []extent{before, a.before}}, last: last, tail: tail})
	}
	return set
}

// quality orders sets of anchors by their worst word: long ones are rare, single letters are
// in every other word, and one that anything may stand before makes for long regions.
func quality(set []anchor) int {
	q, words := 2*maxWord, 0
	for _, a := range set {
		words += len(a.words)
		for _, w := range a.words {
			q = min(q, qualityOf(w))
		}
		if before, ok := a.before.bounded(); !ok || before > farBefore {
			q = min(q, minQuality)
		}
	}
	if words > maxWords {
		return 0
	}
	return q
}

func qualityOf(word string) int {
	if len(word) == 1 && isWord(word[0]) {
		return minQuality
	}
	return 2 * min(len(word), maxWord)
}
