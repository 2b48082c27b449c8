// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"math"
	"slices"
)

// maxChoices is from how many choices on, of two each, an expression without a loop counts as exponential: a?a?a?… has one for each part, and an engine
// tries 2²⁰ ways in some hundredths of a second.
const maxChoices = 20

// maxWidth bounds what a part counts for: a longer one is rarely matched at every length.
const maxWidth = 16

// choices is how many choices of two an engine has for one text, beside those in endless loops, which the graph tells. It is a sum of logarithms, and
// holds parts apart as the graph does.
func choices(n *node) float64 {
	switch n.op {
	case opCat:
		return choicesInRow(n.subs)
	case opAlt:
		most, same := 0.0, 0.0
		texts := make([][]set, len(n.subs))
		for i, sub := range n.subs {
			most = max(most, choices(sub))
			texts[i] = singles(sub)
			if same == 0 && slices.ContainsFunc(texts[:i], func(other []set) bool { return sameTexts(texts[i], other) }) {
				same = 1
			}
		}
		return most + same
	case opRepeat:
		return choicesInRounds(n)
	}
	return 0
}

// choicesInRounds counts those of a counted repetition: in each round, and how the text is shared out among rounds that may be empty.
func choicesInRounds(n *node) float64 {
	body := n.subs[0]
	rounds := max(n.min, 1)
	if n.max > 0 && n.max <= maxCopies {
		rounds = n.max
	}
	count := float64(rounds) * choices(body)
	if least, most := width(body); least == 0 && most > 0 && n.min > 1 {
		count += float64(n.min) * lengths(most)
	}
	return count
}

// choicesInRow counts those of parts one behind the other. Parts that may be empty share a text out if they match the same characters.
func choicesInRow(parts []*node) float64 {
	count := 0.0
	for i, part := range parts {
		count += choices(part)
		if optional(part) && (i > 0 && optional(parts[i-1]) && meets(part, parts[i-1]) || i+1 < len(parts) && optional(parts[i+1]) && meets(part, parts[i+1])) {
			_, most := width(part)
			count += lengths(most)
		}
	}
	return count
}

// lengths is the logarithm of the number of lengths from 0 to most.
func lengths(most int) float64 { return math.Log2(float64(min(most, maxWidth) + 1)) }

// optional reports whether a part may be empty, or not. Endless loops in a row are polynomial.
func optional(n *node) bool {
	least, most := width(n)
	return least == 0 && most > 0 && most < endless
}

func meets(a, b *node) bool { return characters(a).meets(characters(b)) }

// sameTexts reports whether two alternatives are as long as each other, and can match the same characters at each place.
func sameTexts(x, y []set) bool {
	if len(x) == 0 || len(x) != len(y) {
		return false
	}
	for i := range x {
		if !x[i].meets(y[i]) {
			return false
		}
	}
	return true
}

// singles are the sets of a part that is characters alone; nil of any other.
func singles(n *node) []set {
	switch n.op {
	case opChar:
		return []set{n.set}
	case opCat:
		var list []set
		for _, sub := range n.subs {
			one := singles(sub)
			if one == nil {
				return nil
			}
			list = append(list, one...)
		}
		return list
	}
	return nil
}
