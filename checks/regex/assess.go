// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

// A risk is how long a backtracking engine may take for a text that does not match.
type risk int

const (
	linear      risk = iota
	polynomial       // the fourth power of the text's length, or more
	exponential      //
	unknown          // there was too much to look at
)

func (r risk) message() string {
	return [...]string{
		polynomial:  "can take very long on a long text: several loops, one behind the other, match the same text",
		exponential: "must not be able to take exponential time: a loop, or a row of parts, matches one text in many ways",
		unknown:     "is too complex to know that it does not take exponential time",
	}[r]
}

func (r risk) mend() string {
	return [...]string{
		polynomial:  "let the loops match different characters, such as [^,]* instead of .*",
		exponential: "do not put a loop into a loop as in (a+)+, nor alternatives that match the same as in (a|a)*",
		unknown:     "make it shorter, or write smaller repetitions",
	}[r]
}

// loopsInChain is how many loops that match the same text make an expression slow. Real
// ones have up to three: .*error.*timeout.*
const loopsInChain = 4

// assess looks at an expression, and at all parts of it that are matched apart.
func assess(tree *node) risk {
	worst := linear
	steps := maxSteps
	for todo := []*node{tree}; len(todo) > 0; todo = todo[1:] {
		g := &graph{steps: &steps}
		g.build(todo[0], &todo)
		g.compare()
		if steps < 0 {
			return unknown
		}
		if choices(todo[0]) >= maxChoices {
			return exponential
		}
		if worst = max(worst, g.risk()); worst >= exponential {
			return worst
		}
	}
	return worst
}

func (g *graph) risk() risk {
	parts := g.components()
	for state, edges := range g.next {
		for _, e := range edges {
			if e.twice && parts[state] == parts[e.to] && len(g.sets[state]) > 0 && len(g.sets[e.to]) > 0 {
				return exponential
			}
		}
	}
	if r := g.twoWays(parts); r != linear {
		return r
	}
	if g.chain() >= loopsInChain {
		return polynomial
	}
	return linear
}

// compare finds out which states share a character.
func (g *graph) compare() {
	g.shares = make([][]bool, len(g.sets))
	for i := range g.sets {
		g.shares[i] = make([]bool, len(g.sets))
		for j := range i + 1 {
			if *g.steps -= len(g.sets[i]) + len(g.sets[j]); *g.steps < 0 {
				return
			}
			both := g.sets[i].meets(g.sets[j])
			g.shares[i][j], g.shares[j][i] = both, both
		}
	}
}

// twoWays looks for two paths that read the same text from one state back to it, in the product
// of the graph with itself: it starts at the pairs of one state with itself, and must never come
// back to such a pair from a pair of two. All of it stays within one strongly connected
// component, so every state leads back to the begin.
func (g *graph) twoWays(parts []int) risk {
	n := len(g.sets)
	seen := make([]bool, n*n)
	var queue [][2]int
	for i := range n {
		queue = append(queue, [2]int{i, i})
	}
	for ; len(queue) > 0; queue = queue[1:] {
		p, q := queue[0][0], queue[0][1]
		for i, a := range g.next[p] {
			if parts[a.to] != parts[p] {
				continue
			}
			rest := g.next[q]
			if p == q {
				rest = rest[i+1:] // the pairs (a,b) and (b,a) are one
			}
			*g.steps -= len(rest)
			for _, b := range rest {
				if parts[b.to] != parts[p] || !g.shares[a.to][b.to] {
					continue
				}
				if a.to == b.to {
					return exponential
				}
				if pair := min(a.to, b.to)*n + max(a.to, b.to); !seen[pair] {
					seen[pair] = true
					queue = append(queue, [2]int{a.to, b.to})
				}
			}
		}
		if *g.steps < 0 {
			return unknown
		}
	}
	return linear
}

// chain is how many loops over one character can follow each other and match one text.
func (g *graph) chain() int {
	length := make([]int, len(g.sets)) // of the longest chain that ends at a loop
	longest := 0
	for from := range g.sets { // in the order of the expression
		if !g.loops(from) {
			continue
		}
		length[from]++
		longest = max(longest, length[from])
		for to := range g.reach(from) {
			if to > from && g.loops(to) {
				length[to] = max(length[to], length[from])
			}
		}
	}
	return longest
}

func (g *graph) loops(state int) bool {
	for _, e := range g.next[state] {
		if e.to == state {
			return true
		}
	}
	return false
}

// reach is every state that a loop leads to by characters of its own.
func (g *graph) reach(from int) map[int]bool {
	found := map[int]bool{}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, e := range g.next[queue[0]] {
			if !found[e.to] && g.shares[from][e.to] {
				found[e.to] = true
				queue = append(queue, e.to)
			}
		}
	}
	return found
}
