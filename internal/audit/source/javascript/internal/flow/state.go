// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// The program is walked once, with all ways through it side by side. At a branch each side starts
// from the same state; its writes are noted and taken back, and behind the branch the ways join.
//
// This is a path-insensitive analysis with one exception: facts and values remember the
// conditions of their own way (Atom.under), so a value that was checked on one way stays
// checked behind it.

// A state is where the walk stands.
//
// facts are what the checks on the way here prove of the arguments. dead says that this point is
// not reached: the way ended with return, throw, break or a call that never comes back. A dead
// state still has its slots; whoever takes up another way undoes them.
//
// conds and frees count the open branches around this point whose condition depends on an
// argument, and on the configuration alone. A frame remembers both from its beginning:
//
//	function check(p) {
//	  if (process.env.UNSAFE) return p     // frees is one more than at the beginning, conds is not
//	  inside(p); return p
//	}
//
// The first return was decided by the configuration alone, so behind the call p counts as
// checked.
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

// A way is one path of execution that ended, or reached a place where others join it: its facts
// and its writes. The ways of a branch, of a function's returns and of a loop's breaks all end
// so.
type way struct {
	facts  facts
	tool   string
	writes []written
	// value is the result, where the way is a return or throw.
	value Value
	// free: the configuration alone decided to go this way.
	free bool
}

// A frame is a function, loop, switch or labelled block that ways may leave before its end. ways
// are those that have left it with break or return; next are those that go on with the next round
// of a loop. Both wait until the frame ends (state.end, returned) or the round does (again).
type frame struct {
	up    *frame
	label string
	kind  frameKind
	mark  int
	// floor is the journal's floor around the frame.
	floor int
	// left is the clock when a way last left this frame or one around it. Such a way has captured
	// the slots, so writes after it need notes again (see close).
	left int
	// conds and frees are the state's counters when the frame began.
	conds int
	frees int
	ways  []way // break, return
	next  []way // continue
}

// A frameKind decides which statements leave a frame: return leaves functions, continue loops,
// and break loops, switches and labelled blocks.
type frameKind uint8

const (
	frameFunction frameKind = iota
	frameLoop
	frameSwitch
	frameBlock
)

// close ends a mark, and lowers the floor to that before it. If a way has left the present frame
// since then, the floor stays where that way set it: its capture will be joined with slots that
// are older than it, so their writes must be noted.
func (st *state) close(floor int) {
	st.journal.floor = floor
	if st.frames != nil {
		st.journal.floor = max(floor, st.frames.left)
	}
}

// here is the way that ends now; mark is where it began.
func (st *state) here(mark int) way {
	return way{facts: st.facts, tool: st.tool, writes: st.journal.capture(mark)}
}

// meet goes on where ways join. The slots must be those at the mark again. Afterwards facts hold
// only the knowledge common to all ways, and slots join the writes of all; without ways, nothing
// goes on.
//
// If free, the configuration chose between the ways, and not the caller. The check on one of them
// then counts for all: a server may offer a switch to turn a check off, and is not vulnerable for
// it.
func (st *state) meet(ways []way, free bool) {
	if len(ways) == 0 {
		st.dead = true
		return
	}
	st.dead = false
	before := st.facts
	common, tool := common(ways, free), ways[0].tool
	// The tool is known behind the ways only if all of them serve the same one.
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

// common are the facts behind the join of ways. Ways that the configuration alone chose are left
// out where there are others, for the same reason as in meet:
//
//	if (config.unsafe) return p     // free: left out
//	inside(p); return p
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

// gained is what a way has learned since before.
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

// A choice is one side of a branch.
type choice struct {
	// facts are proved by the condition on this side. tool is the tool singled out by it.
	facts facts
	tool  string
	// free: the condition does not depend on arguments.
	free bool
	// possible: some alternative of the condition leads here.
	possible bool
}

// fork runs one side of a branch from the present state and takes it back. The way is what the
// side came to; alive reports whether it reached its end.
func (st *state) fork(c choice, run func()) (w way, alive bool) {
	before, tool := st.facts, st.tool
	mark, floor := st.journal.open()
	st.facts = st.facts.and(c.facts)
	if c.tool != "" {
		st.tool = c.tool
	}
	// A branch inside sees that it runs under a condition on an argument, or on the
	// configuration.
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

// maxWays bounds the ways that are told apart behind a function or a loop. Each of them holds a
// capture of all slots that it wrote. Further ways join the last one: their facts and values
// count, and their writes are lost. Further ways with continue are dropped.
const maxWays = 16

// leave ends the present way at a frame: return, break, or with next continue. Without a frame
// the code is outside of any function, and the way is dead.
func (st *state) leave(f *frame, next bool, v Value) {
	// A return outside of any function.
	if f == nil {
		st.dead = true
		return
	}
	// Every frame that this way leaves behind has to note later writes again (see close).
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
	// Too many ways: this one joins the last.
	case !next:
		last := &f.ways[maxWays-1]
		last.facts = last.facts.or(w.facts)
		last.value = join(last.value, w.value)
	}
	st.dead = true
}

// push opens a frame.
func (st *state) push(kind frameKind, label string) *frame {
	f := &frame{up: st.frames, kind: kind, label: label, conds: st.conds, frees: st.frees}
	f.mark, f.floor = st.journal.open()
	st.frames = f
	return f
}

// pop closes a frame. Its ways are the business of end, again and returned.
func (st *state) pop(f *frame) {
	st.frames = f.up
	st.close(f.floor)
}

// end leaves a frame: the ways that left it early join the present one.
func (st *state) end(f *frame) {
	ways := f.ways
	// The way that reaches the end of the block is one of the ways.
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

// labelled runs a block. Only one with a label needs a frame, for "break label".
func (st *state) labelled(label string, run func()) {
	if label == "" {
		run()
		return
	}
	f := st.push(frameBlock, label)
	run()
	st.end(f)
}

// branch is break or continue: it leaves the innermost frame of the right kind, or that with the
// label. It never leaves a function.
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

// either takes both sides of a branch that are possible. With one possible side there is nothing
// to take back, so it runs in place.
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

// again ends a round of a loop: the ways that continue join the one at the end of the body.
func (st *state) again(f *frame) {
	if len(f.next) == 0 {
		return
	}
	ways := f.next
	// Falling off the end returns undefined.
	if !st.dead {
		ways = append(ways, st.here(f.mark))
	}
	f.next = nil
	st.journal.undo(f.mark)
	st.meet(ways, false)
}

// alternatives runs something for each atom of a value, each from the same state, and joins the
// results. With each atom, its own facts hold:
//
//	const check = strict ? checkPath : (p) => p
//	check(args.path)      // both are called, and the ways join behind the call
//
// The results know in addition what the call proved on their way.
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

// returned is the value of a call. Each return adds its value, with the facts of its way: "return
// true" in a guard has the facts of the checks in front of it, and "return false" has none. Facts
// that all ways share are in the state already and are not repeated in the value.
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
	// A check of an argument chose between the returns, so the result rests on it, even where it is a constant: no configuration chose. Otherwise a
	// branch on the result would count as a switch of the configuration, and the check of one side for both.
	checked := slices.ContainsFunc(f.ways, func(w way) bool { return !w.free && gained(w.facts, before).list != nil })
	var out Value
	for _, w := range f.ways {
		v := w.value.given(gained(w.facts, before), w.free)
		if checked && !w.free {
			v = clear(v)
		}
		out = join(out, v)
	}
	return out
}

// ofTool leaves alternatives of other tools out of arguments. A table of schemas and a table of
// handlers are both indexed by the tool's name; without this, each handler would meet all
// schemas.
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
