// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// The program is run once, with all ways through it side by side: each branch is tried from the
// same state, what it wrote is noted and taken back, and behind it the ways meet again.

// A state is where the walk stands.
//
// facts are what the checks on the way here prove of the arguments. dead says that this point is not
// reached: the way ended with return, throw, break or a call that never comes back. A dead state still has
// its slots; whoever takes up another way undoes them.
//
// conds and frees count the open branches around this point whose condition depends on an
// argument, and on the configuration alone. A frame remembers both from its beginning, which tells whether
// the configuration alone decided to leave it.
type state struct {
	journal *journal

	facts   facts
	tool    string // the tool that this way serves, where one handler serves many
	dead    bool
	conds   int
	frees   int
	frames  *frame
	catcher *catcher // of the innermost try; nil: nobody catches
}

// A way is one way that ended: what is known on it, and what it wrote.
type way struct {
	facts  facts
	tool   string
	writes []written
	value  Value // that was returned
	free   bool  // the configuration alone decided to go here
}

// A frame is a function, loop, switch or block that ways may leave before its end.
type frame struct {
	up    *frame
	label string
	kind  frameKind
	mark  int
	floor int // of what is around it
	left  int // the clock when a way last left it, or what is around it
	conds int // conditions on arguments, and on other things, that held when it began
	frees int
	ways  []way // break, return
	next  []way // continue
}

type frameKind uint8

const (
	frameFunction frameKind = iota
	frameLoop
	frameSwitch
	frameBlock
)

// close goes back to what was open before. Where a way has left the present function or loop since,
// what that way leads to may hold all slots that there are.
func (st *state) close(floor int) {
	st.journal.floor = floor
	if st.frames != nil {
		st.journal.floor = max(floor, st.frames.left)
	}
}

// here is the way that ends now.
func (st *state) here(mark int) way {
	return way{facts: st.facts, tool: st.tool, writes: st.journal.capture(mark)}
}

// meet goes on where the ways meet. The state is that of the mark. Without ways, nothing goes on.
// If free, which way is taken does not depend on the arguments but on the configuration, and what
// one of them checks is taken to be checked.
func (st *state) meet(ways []way, free bool) {
	if len(ways) == 0 {
		st.dead = true
		return
	}
	st.dead = false
	before := st.facts
	common, tool := common(ways, free), ways[0].tool
	for _, w := range ways[1:] {
		if w.tool != tool {
			tool = ""
		}
	}
	for _, w := range st.journal.merged(ways, before) {
		st.journal.keep(w.s)
		w.s.content = w.what
	}
	st.facts, st.tool = common, tool
}

// common is what is known behind ways that meet. Ways that the configuration alone chose are left
// out where there are others: a check that can be switched off is a check.
func common(ways []way, free bool) facts {
	var out facts
	first := true
	for pass := range 2 {
		for _, w := range ways {
			switch {
			case pass == 0 && w.free:
			case first:
				out, first = w.facts, false
			case free || w.free && pass == 1:
				out = out.and(w.facts)
			default:
				out = out.or(w.facts)
			}
		}
		if !first {
			break
		}
	}
	return out
}

// gained is what a way knows that was not known before.
func gained(f, before facts) facts {
	if f == before {
		return facts{}
	}
	var out []fact
	for _, x := range f.all() {
		if b := x.bits &^ before.of(x.origin); b != 0 {
			out = append(out, x)
		}
	}
	return factsOf(out)
}

// A choice is what is known on one side of a branch.
type choice struct {
	facts    facts
	tool     string
	free     bool // it does not depend on arguments
	possible bool
}

// fork runs one side of a branch from the present state, and takes it back.
func (st *state) fork(c choice, run func()) (w way, alive bool) {
	before, tool := st.facts, st.tool
	mark, floor := st.journal.open()
	st.facts = st.facts.and(c.facts)
	if c.tool != "" {
		st.tool = c.tool
	}
	counter := &st.conds
	if c.free {
		counter = &st.frees
	}
	*counter++
	run()
	*counter--
	w, alive = st.here(mark), !st.dead
	st.journal.undo(mark)
	st.close(floor)
	st.facts, st.tool, st.dead = before, tool, false
	return w, alive
}

// maxWays bounds the ways that are told apart behind a function or a loop.
const maxWays = 16

// leave ends the present way at a frame.
func (st *state) leave(f *frame, next bool, v Value) {
	if f == nil {
		st.dead = true
		return
	}
	for g := st.frames; g != nil; g = g.up {
		g.left = st.journal.clock + 1
		if g == f {
			break
		}
	}
	defer st.journal.rise()
	w := way{facts: st.facts, tool: st.tool}
	if !next && len(f.ways) < maxWays || next && len(f.next) < maxWays {
		w = st.here(f.mark)
	}
	w.value = v
	w.free = st.frees > f.frees && st.conds == f.conds
	switch {
	case next && len(f.next) < maxWays:
		f.next = append(f.next, w)
	case !next && len(f.ways) < maxWays:
		f.ways = append(f.ways, w)
	case !next:
		last := &f.ways[maxWays-1]
		last.facts = last.facts.or(w.facts)
		last.value = join(last.value, w.value)
	}
	st.dead = true
}

func (st *state) push(kind frameKind, label string) *frame {
	f := &frame{up: st.frames, kind: kind, label: label, conds: st.conds, frees: st.frees}
	f.mark, f.floor = st.journal.open()
	st.frames = f
	return f
}

// pop closes a frame.
func (st *state) pop(f *frame) {
	st.frames = f.up
	st.close(f.floor)
}

// end leaves a frame: the ways that left it early meet the present one.
func (st *state) end(f *frame) {
	ways := f.ways
	if len(ways) > 0 && !st.dead {
		ways = append(ways, st.here(f.mark))
	}
	if len(ways) > 0 {
		st.journal.undo(f.mark)
	}
	st.pop(f)
	if len(ways) > 0 {
		st.meet(ways, false)
	}
}

func (st *state) labelled(label string, run func()) {
	if label == "" {
		run()
		return
	}
	f := st.push(frameBlock, label)
	run()
	st.end(f)
}

// branch leaves a loop, a switch or a block.
func (st *state) branch(b *ast.BranchStatement) {
	label := ""
	if b.Label != nil {
		label = b.Label.Name.String()
	}
	next := b.Token == token.CONTINUE
	for f := st.frames; f != nil && f.kind != frameFunction; f = f.up {
		if label != "" && f.label != label || label == "" && (f.kind == frameBlock || next && f.kind == frameSwitch) {
			continue
		}
		st.leave(f, next, nil)
		return
	}
	st.dead = true
}

// either takes both sides of a branch that are possible.
func (st *state) either(yes, no choice, a, b func()) {
	if st.dead {
		return
	}
	switch {
	case yes.possible && !no.possible:
		st.facts = st.facts.and(yes.facts)
		a()
		return
	case no.possible && !yes.possible:
		st.facts = st.facts.and(no.facts)
		b()
		return
	}
	first, alive1 := st.fork(yes, a)
	second, alive2 := st.fork(no, b)
	var ways []way
	if alive1 {
		ways = append(ways, first)
	}
	if alive2 {
		ways = append(ways, second)
	}
	st.meet(ways, yes.free)
}

// again lets the ways that continue meet at the end of a round.
func (st *state) again(f *frame) {
	if len(f.next) == 0 {
		return
	}
	ways := f.next
	if !st.dead {
		ways = append(ways, st.here(f.mark))
	}
	f.next = nil
	st.journal.undo(f.mark)
	st.meet(ways, false)
}

// alternatives runs something for each atom from the same state, and joins what comes of it.
func (st *state) alternatives(v Value, run func(a Atom) Value) Value {
	if len(v) == 1 {
		out := run(v[0])
		return out.given(v[0].under, v[0].free)
	}
	var out Value
	var ways []way
	for _, a := range v {
		var r Value
		c := choice{facts: a.under, tool: a.tool, possible: true, free: !v.depends()}
		w, alive := st.fork(c, func() { r = run(a) })
		if alive {
			r = r.given(a.under.and(gained(w.facts, st.facts)), a.free)
			if a.tool != "" {
				r = tagged(r, a.tool)
			}
			out = join(out, r)
			ways = append(ways, w)
		}
	}
	if len(v) > 0 {
		st.meet(ways, false)
	}
	return out
}

// returned is what a function returns: on all its ways, each with what is known on it.
func (st *state) returned(f *frame) Value {
	if !st.dead {
		w := st.here(f.mark)
		w.value = undefined()
		f.ways = append(f.ways, w)
	}
	if len(f.ways) == 0 {
		st.pop(f)
		return undefined()
	}
	before := factsAt(f)
	st.journal.undo(f.mark)
	st.pop(f)
	st.meet(f.ways, false)
	if len(f.ways) == 1 {
		return f.ways[0].value
	}
	var out Value
	for _, w := range f.ways {
		out = join(out, w.value.given(gained(w.facts, before), w.free))
	}
	return out
}

// ofTool leaves out of arguments what was chosen for another tool than the present one.
func (st *state) ofTool(args []Value) []Value {
	if st.tool == "" {
		return args
	}
	out := args
	for i, v := range args {
		if !slices.ContainsFunc(v, func(a Atom) bool { return a.tool != "" && a.tool != st.tool }) {
			continue
		}
		var kept Value
		for _, a := range v {
			if a.tool == "" || a.tool == st.tool {
				kept = append(kept, a)
			}
		}
		if len(kept) == 0 {
			continue
		}
		if &out[0] == &args[0] {
			out = append([]Value(nil), args...)
		}
		out[i] = kept
	}
	return out
}
