// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// The run of a handler, with arguments that stand for everything a caller can send.

// A turn is the run of one handler. Its origins name the fields of the arguments, and end with
// it: facts about one handler's arguments say nothing of another's.
//
// A handler of many tools has a turn for each of them, with the tool's name in its arguments. On
// the way to the branch for that name everything counts for this tool; other branches are not
// possible.
type turn struct {
	budget *budget
	state  *state
	report *report

	handler  *handler // nil while files are loaded
	origins  map[string]*origin
	nOrigins int // over all turns, so that ids stay unique; 0 is the origin of facts about the program's own values
}

// widened reports whether the present handler has cost so much that rounds of loops, exceptions
// and elements of lists are no longer told apart.
func (t *turn) widened() bool { return t.handler != nil && t.budget.pressed() }

// rounds bounds the rounds of a loop over known values.
func (t *turn) rounds() int {
	if t.widened() {
		return 12
	}
	return maxIterations
}

// maxThrown bounds the ways into a catch.
func (t *turn) maxThrown() int {
	if t.widened() {
		return 1
	}
	return 6
}

// maxList bounds a list that a loop fills one by one.
func (t *turn) maxList() int {
	if t.widened() {
		return 50
	}
	return maxElements
}

// toolName is the tool that the present way serves.
func (t *turn) toolName() string {
	if t.state.tool != "" {
		return t.state.tool
	}
	return t.handler.tool
}

// originOf is the origin of a field of the present handler's arguments.
func (t *turn) originOf(pointer string) *origin {
	o := t.origins[pointer]
	if o == nil {
		t.nOrigins++
		o = &origin{id: t.nOrigins, pointer: pointer}
		t.origins[pointer] = o
	}
	return o
}

// sent is a field of the arguments as the caller sent it: any text, or any object.
func (t *turn) sent(pointer string, at position, note string) Value {
	h := &hole{origin: t.originOf(pointer)}
	h.step = h.step.then(at, note)
	return Value{{kind: isText, text: []part{{hole: h}}, open: true}}
}

// runHandler runs a handler with arguments from a caller, and reports whether it came to its end.
// A handler of many tools gets twice the steps: it has the code of all tools.
func (in *interp) runHandler(h *handler) bool {
	steps := in.budget.limits.StepsHandler
	if h.low && h.tool == "" {
		steps *= 2 // it has the code of all tools
	}
	if h.of != nil {
		in.bounded(steps, func() { h.this = in.resolved(want{token: objectOf(h.of.ctor)}) })
		in.state.dead, h.of = false, nil
	}
	whole := in.isolated(h, steps, func() { in.call(h.fn, h.this, in.handlerArguments(h), h.at) })
	return whole && !h.cut
}

// isolated runs something as the present handler and takes back all that it writes. Handlers run
// in any order at run time, so none may see another's writes. A weakness that needs two calls is
// missed: one tool stores a path, and another opens it.
func (in *interp) isolated(h *handler, steps int, run func()) (whole bool) {
	mark, floor := in.journal.open()
	in.turn.origins, in.state.facts, in.state.tool, in.state.dead, in.turn.handler = map[string]*origin{}, facts{}, h.tool, false, h
	in.memory.memos, in.budget.began, in.heap.began = map[memoKey]*memo{}, in.budget.steps, in.heap.nextID
	whole = in.bounded(steps, run)
	in.journal.undo(mark)
	in.state.close(floor)
	in.state.facts, in.state.tool, in.state.dead, in.turn.handler = facts{}, "", false, nil
	in.memory.memos, in.budget.began = map[memoKey]*memo{}, in.budget.steps
	return whole
}

// handlerArguments are the arguments of a handler: those that the caller sent, behind the tool's
// schema; for a low-level handler a request with them inside.
func (in *interp) handlerArguments(h *handler) []Value {
	root := in.turn.sent("", h.at, "the arguments of "+toolWord(h))
	if !h.low {
		v := root
		if len(h.schema) > 0 {
			v = in.validated(h.schema, root, h.at)
		}
		// { context } of Mastra, or the arguments themselves: both are possible.
		if h.wrapped {
			o := in.heap.newObject("")
			in.heap.set(o, "context", v)
			return []Value{join(objectOf(o), v), unknown()}
		}
		return []Value{v, unknown()}
	}
	name := constant(h.tool)
	if h.tool == "" {
		name = Value{{kind: isText, text: []part{{hole: &hole{origin: in.turn.originOf(toolPointer)}}}}}
	}
	params := in.heap.newObject("")
	in.heap.set(params, "name", name)
	in.heap.set(params, "arguments", root)
	in.heap.set(params, "_meta", unknown())
	request := in.heap.newObject("")
	in.heap.set(request, "params", objectOf(params))
	in.heap.set(request, "method", constant(toolsCall))
	if h.rpc {
		return in.heap.rpcArguments(h.fn[0].obj.call, request, params)
	}
	return []Value{objectOf(request), unknown()}
}
