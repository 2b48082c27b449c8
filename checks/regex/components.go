// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

// components numbers the strongly connected components of the graph (Tarjan 1972), with a
// stack of its own: a graph may be one long path.
func (g *graph) components() []int {
	t := &tarjan{graph: g, number: make([]int, len(g.sets)), low: make([]int, len(g.sets)), part: make([]int, len(g.sets))}
	for state := range g.sets {
		if t.number[state] == 0 {
			t.visit(state)
		}
	}
	return t.part
}

type tarjan struct {
	graph  *graph
	number []int // in the order of discovery, from 1
	low    []int
	part   []int // 0: not known yet
	open   []int // states whose part is not known
	count  int
	parts  int
}

// A frame is a state that is being visited, and the edge to follow next.
type frame struct{ state, edge int }

func (t *tarjan) visit(start int) {
	path := []frame{t.enter(start)}
	for len(path) > 0 {
		top := &path[len(path)-1]
		edges := t.graph.next[top.state]
		if top.edge < len(edges) {
			to := edges[top.edge].to
			top.edge++
			switch {
			case t.number[to] == 0:
				path = append(path, t.enter(to))
			case t.part[to] == 0:
				t.low[top.state] = min(t.low[top.state], t.number[to])
			}
			continue
		}
		t.leave(top.state)
		path = path[:len(path)-1]
		if len(path) > 0 {
			parent := path[len(path)-1].state
			t.low[parent] = min(t.low[parent], t.low[top.state])
		}
	}
}

func (t *tarjan) enter(state int) frame {
	t.count++
	t.number[state], t.low[state] = t.count, t.count
	t.open = append(t.open, state)
	return frame{state: state}
}

// leave closes the component whose first state it is.
func (t *tarjan) leave(state int) {
	if t.low[state] != t.number[state] {
		return
	}
	t.parts++
	for {
		last := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.part[last] = t.parts
		if last == state {
			return
		}
	}
}
