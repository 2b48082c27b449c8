// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import "slices"

// A graph is the position automaton (Glushkov 1961) of an expression: a state for each
// place where a character is matched, and an edge from each to those that may come next.
// It has no empty transitions, so that two ways to match one text are two paths in it.
type graph struct {
	sets   []set
	next   [][]edge
	shares [][]bool // two states can match one character
	steps  *int     // that may still be taken; below 0 nothing is known
}

// An edge leads to a state. Twice says that it does so in two ways: as in (a*)*, where the
// next a may belong to the same round of the outer loop or to the next one.
type edge struct {
	to    int
	twice bool
}

const (
	// maxStates bounds a graph, and maxSteps the work on all of an expression: some 50 ms.
	maxStates = 500
	maxSteps  = 4_000_000
	// maxCopies is up to which number a counted repetition is written out. A larger one
	// counts as unlimited: 2⁹ ways are not endless, but 2³⁰ might as well be.
	maxCopies = 8
)

// A span is a part of a graph: where it may begin and end, and whether it may be empty, and
// that in many ways: as in (|), which two alternatives match without a character.
type span struct {
	first, last []int
	empty, many bool
}

// build adds a node to the graph. An atomic match is one state here, and goes onto the list
// apart.
func (g *graph) build(n *node, apart *[]*node) span {
	if *g.steps < 0 {
		return span{empty: true}
	}
	switch n.op {
	case opChar:
		return g.state(n.set, false)
	case opRecall:
		return g.state(everything, true)
	case opCat:
		s := span{empty: true}
		for _, sub := range n.subs {
			s = g.join(s, g.build(sub, apart))
		}
		return s
	case opAlt:
		var s span
		for _, sub := range n.subs {
			b := g.build(sub, apart)
			s = span{append(s.first, b.first...), append(s.last, b.last...), s.empty || b.empty, s.many || b.many || s.empty && b.empty}
		}
		return s
	case opRepeat:
		return g.repeat(n, apart)
	case opApart:
		return g.apart(n, apart)
	}
	return span{empty: true}
}

func (g *graph) state(s set, empty bool) span {
	if len(g.sets) == maxStates {
		*g.steps = -1
		return span{empty: true}
	}
	id := len(g.sets)
	g.sets = append(g.sets, s)
	g.next = append(g.next, nil)
	return span{first: []int{id}, last: []int{id}, empty: empty}
}

// link adds an edge from each end to each beginning.
func (g *graph) link(ends, beginnings []int) {
	for _, from := range ends {
		for _, to := range beginnings {
			if *g.steps -= len(g.next[from]); *g.steps < 0 {
				return
			}
			g.linkOne(from, to)
		}
	}
}

func (g *graph) linkOne(from, to int) {
	for i := range g.next[from] {
		if e := &g.next[from][i]; e.to == to {
			e.twice = true
			return
		}
	}
	g.next[from] = append(g.next[from], edge{to: to})
}

func (g *graph) join(a, b span) span {
	g.link(a.last, b.first)
	both := a.empty && b.empty
	return span{
		first: past(a.first, b.first, a),
		last:  past(b.last, a.last, b),
		empty: both,
		many:  both && (a.many || b.many),
	}
}

// past adds the states behind a span that may be empty: twice, and never more often, if it may be
// so in many ways. Edges that come of it are then told to be two.
func past(near, far []int, s span) []int {
	list := slices.Clone(near)
	if s.empty && s.many {
		far = slices.Clone(far)
		slices.Sort(far)
		far = slices.Compact(far)
		list = append(list, far...)
	}
	if s.empty {
		list = append(list, far...)
	}
	return list
}

func (g *graph) repeat(n *node, apart *[]*node) span {
	endless := n.max < 0 || n.max > maxCopies
	copies := n.max
	if endless {
		copies = max(1, min(n.min, 2))
	}
	bodies := make([]span, copies)
	for i := range bodies { // the states have the order of the expression
		bodies[i] = g.build(n.subs[0], apart)
		if endless && i == copies-1 {
			g.link(bodies[i].last, bodies[i].first)
		}
	}
	s := span{empty: true}
	for i := copies - 1; i >= 0; i-- { // x{0,2} is (x(x)?)?: the second comes behind the first alone
		s = g.join(bodies[i], s)
		if i >= n.min { // it may be left out, besides being empty
			s.many = s.many || s.empty
			s.empty = true
		}
	}
	return s
}

// apart: nothing backtracks into an atomic match, so from outside it is one step. Its inside is
// judged for itself, except for a loop that is all of it: when its next round fails, it is
// content with the last.
func (g *graph) apart(n *node, apart *[]*node) span {
	inside := n.subs[0]
	for !n.look && inside.op == opCat && len(inside.subs) == 1 {
		inside = inside.subs[0]
	}
	if !n.look && inside.op == opRepeat {
		inside = inside.subs[0]
	}
	*apart = append(*apart, inside)
	if n.look {
		return span{empty: true}
	}
	least, _ := width(n.subs[0])
	return g.state(characters(n.subs[0]), least == 0)
}

// manyRanges is from which on a set counts as every character, to keep sums of sets cheap.
const manyRanges = 64

// characters is every character that a node may match, or more.
func characters(n *node) set {
	if n.op == opRecall || len(n.set) > manyRanges {
		return everything
	}
	all := n.set
	for _, sub := range n.subs {
		if all = union(all, characters(sub)); len(all) > manyRanges {
			return everything
		}
	}
	return all
}
