// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// A journal takes back what was written. The walk goes both ways of a branch from one state:
//
//	if (x) { a = 1; b = 2 } else { a = 3 }
//
// It runs the first side and captures its writes (a = 1, b = 2), undoes them, does the same with
// the second side (a = 3), and joins both captures behind the branch: a is 1 or 3, and b is 2 or
// what it was before (state.meet). Copying the heap instead would cost as much as the heap is
// large, at every branch.
//
// trail has the old content of each slot before a write, oldest first. open gives a mark in it,
// and undo goes back to the mark. clock and floor save most of the notes: floor is the clock of
// the innermost open mark. A younger slot (born >= floor) cannot be seen from the state at that
// mark, so its writes need no note. Most writes are of this kind, since functions write their own
// variables.
//
// Invariants: undo(mark) restores every slot older than the mark to its content at open. The
// trail never shrinks below the mark of an open frame.
type journal struct {
	budget *budget

	clock int // counts the marks
	floor int // the clock at the innermost open mark
	trail []written
	epoch int     // tells one pass over marked slots from the next
	made  []*slot // slots made while a put-off declaration runs; nil otherwise
}

// A written is a slot with a content: in the trail the old one, in a capture the new one.
type written struct {
	s    *slot
	what content
}

// newSlot makes a slot. Slots of a put-off declaration are collected: they outlive the handler
// that forced it (see apart).
func (j *journal) newSlot(c content) *slot {
	s := &slot{content: c, born: j.clock}
	if j.made != nil {
		j.made = append(j.made, s)
	}
	return s
}

// write sets the value of a slot.
func (j *journal) write(s *slot, v Value) {
	j.keep(s)
	s.v = v
}

// open begins something that may be taken back. undo needs the mark, and close the floor.
func (j *journal) open() (mark, floor int) {
	floor = j.floor
	j.rise()
	return len(j.trail), floor
}

// rise moves the floor above all slots that exist: from here on, every write to one of them is
// noted.
func (j *journal) rise() {
	j.clock++
	j.floor = j.clock
}

// keep notes the content of a slot before a write. A slot that is younger than the innermost mark
// needs no note: no state that can be restored knows it.
func (j *journal) keep(s *slot) {
	if s.born >= j.floor {
		return
	}
	j.trail = append(j.trail, written{s, s.content})
}

// capture returns the writes since a mark, each slot once.
func (j *journal) capture(mark int) []written {
	if len(j.trail) == mark {
		return nil
	}
	j.epoch++
	j.budget.cost(len(j.trail) - mark)
	var out []written
	for _, e := range j.trail[mark:] {
		if e.s.mark != j.epoch {
			e.s.mark = j.epoch
			out = append(out, written{e.s, e.s.content})
		}
	}
	return out
}

// undo takes back the writes since a mark. It goes backwards, so that the oldest note of a slot
// wins.
func (j *journal) undo(mark int) {
	for i := len(j.trail) - 1; i >= mark; i-- {
		j.trail[i].s.content = j.trail[i].what
	}
	j.trail = j.trail[:mark]
}

// merged joins the captures of ways into the content of the slots behind them. On ways without a
// write to a slot, the slot keeps its present content: every slot of the union is joined over all
// ways. Each value gets the facts of its way:
//
//	let safe = "/srv/x"
//	if (ok(p)) safe = p     // behind it, safe is "/srv/x", or p with ok's facts
//
// mark and index of the slots find a way's write without a map.
func (j *journal) merged(ways []way, before facts) []written {
	if len(ways) == 1 {
		return ways[0].writes
	}
	var out []written
	j.epoch++
	union := j.epoch
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
		j.epoch++
		for n, x := range w.writes {
			x.s.mark, x.s.index = j.epoch, n
		}
		for k := range out {
			c := out[k].s.content
			if out[k].s.mark == j.epoch {
				c = w.writes[out[k].s.index].what
			}
			c.v = c.v.given(learnt, w.free)
			if i == 0 {
				out[k].what = c
			} else {
				out[k].what = joinSlots(out[k].what, c)
			}
		}
	}
	return out
}

// joinSlots joins two contents of one slot. Where only one side has set the value, undefined is
// another alternative. Of two lists, elements with the same index are joined; the longer tail
// stays.
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
