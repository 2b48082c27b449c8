// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// The program is run once, with all ways through it side by side: each branch is tried from the
// same state, what it wrote is noted and taken back, and behind it the ways meet again.

// A way is one way that ended: what is known on it, and what it wrote.
type way struct {
	facts  facts
	tool   string
	writes []written
	value  Value // that was returned
	free   bool  // the configuration alone decided to go here
}

// A written is a slot and what it holds at the end of a way, or held before it was written.
type written struct {
	s    *slot
	what content
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

func (in *interp) write(s *slot, v Value) {
	in.keep(s)
	s.v = v
}

// open begins what may be taken back, and gives what undo and whoever closes it need.
func (in *interp) open() (mark, floor int) {
	floor = in.floor
	in.rise()
	return len(in.trail), floor
}

// rise makes all slots that there are such that what they hold is noted before they are written.
func (in *interp) rise() {
	in.clock++
	in.floor = in.clock
}

// close goes back to what was open before. Where a way has left the present function or loop since,
// what that way leads to may hold all slots that there are.
func (in *interp) close(floor int) {
	in.floor = floor
	if in.frames != nil {
		in.floor = max(floor, in.frames.left)
	}
}

// keep notes what a slot holds, before it is written. Slots that were made since the last place to
// which things are taken back need no note: nobody sees them there.
func (in *interp) keep(s *slot) {
	if s.born >= in.floor {
		return
	}
	in.trail = append(in.trail, written{s, s.content})
}

// capture notes what was written since a mark.
func (in *interp) capture(mark int) []written {
	if len(in.trail) == mark {
		return nil
	}
	in.epoch++
	in.cost(len(in.trail) - mark)
	var out []written
	for _, e := range in.trail[mark:] {
		if e.s.mark != in.epoch {
			e.s.mark = in.epoch
			out = append(out, written{e.s, e.s.content})
		}
	}
	return out
}

// undo takes back what was written since a mark.
func (in *interp) undo(mark int) {
	for i := len(in.trail) - 1; i >= mark; i-- {
		in.trail[i].s.content = in.trail[i].what
	}
	in.trail = in.trail[:mark]
}

// here is the way that ends now.
func (in *interp) here(mark int) way {
	return way{facts: in.facts, tool: in.tool, writes: in.capture(mark)}
}

// meet goes on where the ways meet. The state is that of the mark. Without ways, nothing goes on.
// If free, which way is taken does not depend on the arguments but on the configuration, and what
// one of them checks is taken to be checked.
func (in *interp) meet(ways []way, free bool) {
	if len(ways) == 0 {
		in.dead = true
		return
	}
	in.dead = false
	before := in.facts
	common, tool := common(ways, free), ways[0].tool
	for _, w := range ways[1:] {
		if w.tool != tool {
			tool = ""
		}
	}
	for _, w := range in.merged(ways, before) {
		in.keep(w.s)
		w.s.content = w.what
	}
	in.facts, in.tool = common, tool
}

// merged is what the slots hold behind ways that meet.
func (in *interp) merged(ways []way, before facts) []written {
	if len(ways) == 1 {
		return ways[0].writes
	}
	var out []written
	in.epoch++
	union := in.epoch
	for _, w := range ways {
		for _, x := range w.writes {
			if x.s.mark != union {
				x.s.mark = union
				out = append(out, written{s: x.s})
			}
		}
	}
	for i, w := range ways {
		learnt := gained(w.facts, before)
		in.epoch++
		for j, x := range w.writes {
			x.s.mark, x.s.index = in.epoch, j
		}
		for k := range out {
			n := out[k].s.content
			if out[k].s.mark == in.epoch {
				n = w.writes[out[k].s.index].what
			}
			n.v = n.v.given(learnt, w.free)
			if i == 0 {
				out[k].what = n
			} else {
				out[k].what = joinSlots(out[k].what, n)
			}
		}
	}
	return out
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

func joinSlots(a, b content) content {
	out := content{v: join(a.v, b.v), rest: join(a.rest, b.rest)}
	if a.v == nil && b.v != nil || b.v == nil && a.v != nil {
		out.v = join(out.v, undefined())
	}
	n := min(len(a.list), len(b.list))
	if len(a.list) == len(b.list) && (n == 0 || &a.list[0] == &b.list[0]) {
		out.list = a.list
		return out
	}
	for i := range n {
		out.list = append(out.list, join(a.list[i], b.list[i]))
	}
	out.list = append(out.list, a.list[n:]...)
	out.list = append(out.list, b.list[n:]...)
	return out
}

// A choice is what is known on one side of a branch.
type choice struct {
	facts    facts
	tool     string
	free     bool // it does not depend on arguments
	possible bool
}

// fork runs one side of a branch from the present state, and takes it back.
func (in *interp) fork(c choice, run func()) (w way, alive bool) {
	before, tool := in.facts, in.tool
	mark, floor := in.open()
	in.facts = in.facts.and(c.facts)
	if c.tool != "" {
		in.tool = c.tool
	}
	counter := &in.conds
	if c.free {
		counter = &in.frees
	}
	*counter++
	run()
	*counter--
	w, alive = in.here(mark), !in.dead
	in.undo(mark)
	in.close(floor)
	in.facts, in.tool, in.dead = before, tool, false
	return w, alive
}

// maxWays bounds the ways that are told apart behind a function or a loop.
const maxWays = 16

// leave ends the present way at a frame.
func (in *interp) leave(f *frame, next bool, v Value) {
	if f == nil {
		in.dead = true
		return
	}
	for g := in.frames; g != nil; g = g.up {
		g.left = in.clock + 1
		if g == f {
			break
		}
	}
	defer in.rise()
	w := way{facts: in.facts, tool: in.tool}
	if !next && len(f.ways) < maxWays || next && len(f.next) < maxWays {
		w = in.here(f.mark)
	}
	w.value = v
	w.free = in.frees > f.frees && in.conds == f.conds
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
	in.dead = true
}
