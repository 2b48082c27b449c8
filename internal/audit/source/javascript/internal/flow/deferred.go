// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// A bundle sets up all of its packages when it is loaded, and its tools need few of them. A
// declaration of a file's top level that costs much and registers no tool in its text is taken
// back, and runs when one of its names is read for the first time.

// Both count steps.
const (
	// a declaration that costs more is put off
	deferCost = 20_000
	// for one that was put off
	deferLimit = 400_000
)

// A deferred is a declaration that was put off.
type deferred struct {
	run  func()
	done bool
	// it was not run to its end
	cut bool
}

// declaration runs one binding of a declaration of the top level, or puts it off:
//
//	var schemas = buildEverySchema()    // in a bundle: put off, perhaps for ever
//	const app = createServer()          // cheap, or registers tools: runs now
func (in *interp) declaration(b *ast.Binding, s *scope, u *unit) {
	run := func() { in.bindInit(b, s, u) }
	if b.Initializer == nil || u.urgent(b.Initializer) {
		in.alone(run)
		return
	}
	if in.cheaply(run) {
		return
	}
	// Each name that the pattern declares waits for the same declaration.
	d := &deferred{run: run}
	for _, name := range namesIn(b.Target, nil) {
		if sl := s.vars[name]; sl != nil {
			sl.wait = d
		}
	}
}

// urgent reports whether the text of an expression registers a tool or loads a file: its effects
// are wanted whether or not anybody reads the name.
func (u *unit) urgent(e ast.Expression) bool {
	from, to := max(int(e.Idx0())-1, 0), min(int(e.Idx1())-1, len(u.file.Text))
	if from >= to {
		return true
	}
	text := u.file.Text[from:to]
	return strings.Contains(text, "require(") || registersTools(text)
}

// cheaply runs something at the top level, and takes it back if it costs too much. Effects other
// than writes are not taken back: a handler registered by it stays, as it should.
func (in *interp) cheaply(run func()) bool {
	mark, floor := in.journal.open()
	whole := in.bounded(deferCost, run)
	if !whole {
		in.journal.undo(mark)
	}
	in.journal.trail = in.journal.trail[:mark]
	in.state.close(floor)
	in.state.dead = false
	return whole
}

// read is the value of a variable.
func (in *interp) read(s *slot) Value {
	if s.wait != nil {
		in.force(s)
	}
	return s.v
}

// force runs a declaration that was put off. The writes stay, since at run time they came before
// any handler. If the declaration was cut off, a handler that reads the name counts as
// unfinished.
func (in *interp) force(s *slot) {
	d := s.wait
	if !d.done {
		d.done = true
		d.cut = !in.apart(d.run)
	}
	if d.cut && in.turn.handler != nil {
		in.turn.handler.cut = true
	}
	// Nothing reached this name, so its value is unknown.
	if d.cut && len(s.v) == 0 {
		s.v = unknown()
	}
}

// apart runs code of the top level in the midst of something else. It starts without facts,
// without a handler and with a budget of its own. New slots count as old ones afterwards (born =
// 0): they exist in every state that the handler may go back to.
func (in *interp) apart(run func()) (whole bool) {
	before, tool, dead, current, limit, steps := in.state.facts, in.state.tool, in.state.dead, in.turn.handler, in.budget.limit, in.budget.steps
	made, mark, floor, began := in.journal.made, len(in.journal.trail), in.journal.floor, in.budget.began
	in.budget.began = steps
	in.state.facts, in.state.tool, in.state.dead, in.turn.handler = facts{}, "", false, nil
	in.journal.made = []*slot{}
	in.budget.limit = steps + min(deferLimit, max(in.budget.limits.StepsFile-in.budget.apart, 0))
	whole = in.bounded(deferLimit, func() {
		// A try may be the first to read the name; the declaration itself is not one.
		in.probes.on = false
		in.journal.rise()
		f := in.state.push(frameFunction, "")
		run()
		in.state.pop(f)
	})
	for _, s := range in.journal.made {
		s.born = 0
	}
	in.journal.trail = in.journal.trail[:mark]
	in.budget.apart += in.budget.steps - steps
	in.journal.made, in.journal.floor, in.budget.steps, in.budget.began = made, floor, steps, began // these steps have a budget of their own
	in.state.facts, in.state.tool, in.state.dead, in.turn.handler, in.budget.limit = before, tool, dead, current, limit
	if in.budget.late {
		in.budget.stop()
	}
	return whole
}

// namesIn are the names that a pattern declares.
func namesIn(target ast.Expression, list []string) []string {
	switch t := target.(type) {
	case *ast.Identifier:
		return append(list, t.Name.String())
	case *ast.Binding:
		return namesIn(t.Target, list)
	case *ast.AssignExpression:
		return namesIn(t.Left, list)
	case *ast.PropertyKeyed:
		return namesIn(t.Value, list)
	case *ast.PropertyShort:
		return append(list, t.Name.Name.String())
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			list = namesIn(p, list)
		}
		return namesIn(t.Rest, list)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			list = namesIn(e, list)
		}
		return namesIn(t.Rest, list)
	}
	return list
}
