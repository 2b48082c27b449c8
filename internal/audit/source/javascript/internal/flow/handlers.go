// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// runHandler runs a handler with arguments from a caller, and says whether it came to its end.
func (in *interp) runHandler(h *handler) bool {
	steps := in.limits.StepsHandler
	if h.low && h.tool == "" {
		steps *= 2 // it holds the code of all tools
	}
	if h.of != nil {
		in.bounded(steps, func() { h.this = in.resolved(want{token: objectOf(h.of.ctor)}) })
		in.dead, h.of = false, nil
	}
	whole := in.isolated(h, steps, func() { in.call(h.fn, h.this, in.handlerArguments(h), h.at) })
	return whole && !h.cut
}

// isolated runs something as the present handler. What it writes is taken back.
func (in *interp) isolated(h *handler, steps int, run func()) (whole bool) {
	mark, floor := in.open()
	in.origins, in.facts, in.tool, in.dead, in.current = map[string]*origin{}, facts{}, h.tool, false, h
	in.memos, in.began, in.beganID = map[memoKey]*memo{}, in.steps, in.nextID
	whole = in.bounded(steps, run)
	in.undo(mark)
	in.close(floor)
	in.facts, in.tool, in.dead, in.current = facts{}, "", false, nil
	in.memos, in.began = map[memoKey]*memo{}, in.steps
	return whole
}

func (in *interp) handlerArguments(h *handler) []Value {
	root := in.sent("", h.at, "the arguments of "+in.toolWord(h))
	if !h.low {
		v := root
		if len(h.schema) > 0 {
			v = in.validated(h.schema, root, h.at)
		}
		if h.wrapped {
			o := in.newObject("")
			in.set(o, "context", v)
			return []Value{join(objectOf(o), v), unknown()}
		}
		return []Value{v, unknown()}
	}
	name := constant(h.tool)
	if h.tool == "" {
		name = Value{{kind: isText, text: []part{{hole: &hole{origin: in.originOf(toolPointer)}}}}}
	}
	params := in.newObject("")
	in.set(params, "name", name)
	in.set(params, "arguments", root)
	in.set(params, "_meta", unknown())
	request := in.newObject("")
	in.set(request, "params", objectOf(params))
	in.set(request, "method", constant(toolsCall))
	if h.rpc {
		return in.rpcArguments(h.fn[0].obj.call, request, params)
	}
	return []Value{objectOf(request), unknown()}
}
