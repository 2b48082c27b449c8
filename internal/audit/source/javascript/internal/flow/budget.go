// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/dop251/goja/ast"
)

// Limits bound an analysis. A step is one visit of a node of the syntax tree.
type Limits struct {
	// StepsFile is for the code that a file runs when it is loaded, StepsHandler for one handler,
	// and Steps for everything.
	StepsFile    int
	StepsHandler int
	Steps        int
	// Depth bounds the calls of functions in functions.
	Depth    int
	Handlers int
}

// A budget is the work that an analysis may do. It counts steps and not seconds, so that the
// same program gives the same report on a fast and on a slow machine; the clock only ends what
// would take far too long. Steps add up over the whole analysis: a part of it gets a share by a
// lower limit (see bounded), and is measured from began on.
//
// Invariant: steps <= limit, or a panic with spent is on its way to the next bounded.
type budget struct {
	ctx    context.Context
	limits Limits

	steps int  // that were taken
	limit int  // at which the present part ends
	began int  // the steps when the present handler or file began
	apart int  // steps for declarations that were put off; they count for no handler
	late  bool // the context ended
}

// spent is the value of the panic that ends a part without steps left. A panic, since the walk is
// hundreds of Go frames deep and has no result to return.
type spent struct{}

// stop ends the present part; bounded goes on behind it.
func (b *budget) stop() { panic(spent{}) }

// tick takes a step. It looks at the clock only every 1024 steps, because a look costs more than
// a step.
func (b *budget) tick() {
	b.steps++
	if b.steps > b.limit {
		b.stop()
	}
	if b.steps&1023 == 0 && b.ctx.Err() != nil {
		b.late = true
		b.stop()
	}
}

// cost takes steps for work on n things at once, as copying a list. Such work is cheaper than
// visits of nodes; four of these things count as a step.
func (b *budget) cost(n int) {
	b.steps += n / 4
	b.tick()
}

// pressed reports whether the present handler or file has cost so much that the rest is looked at
// less closely. The looser look may blur a guard: a call with similar arguments is then taken to
// come to the same, although something else that it reads may have changed.
func (b *budget) pressed() bool { return b.steps-b.began > memoPressure }

// nesting is how deep the walk is in the program. Each counter bounds one way in which a
// program could otherwise make the walk endless, or overflow the stack of this process.
type nesting struct {
	calls   int              // of functions in functions
	syntax  int              // of expressions and statements in others
	loops   int              // of loops in loops
	running map[ast.Node]int // how often each function is on the stack
}

// top reports whether no function runs.
func (n *nesting) top() bool { return n.calls == 0 }

// bounded runs something within a number of steps, and reports whether it came to its end. Its
// writes stay in any case: half of a program has more tools than none, and handlers report the
// missing rest.
//
// Everything tied to the Go stack is restored here, because a panic skips the code that would do
// so: depths, frames, the catcher and open branches. A fault of this package ends here, too; one
// handler that it cannot read must not hide the others.
func (in *interp) bounded(steps int, run func()) (whole bool) {
	oldLimit, facts, tool, frames, depth, nest, loops := in.budget.limit, in.state.facts, in.state.tool, in.state.frames, in.nesting.calls, in.nesting.syntax, in.nesting.loops
	conds, frees, dead, probing := in.state.conds, in.state.frees, in.state.dead, in.probes.on
	in.budget.limit = min(oldLimit, in.budget.steps+steps)
	stack, catcher, floor := in.nesting.running, in.state.catcher, in.journal.floor
	in.nesting.running, in.state.catcher = map[ast.Node]int{}, nil
	defer func() {
		in.state.catcher, in.journal.floor = catcher, floor
		in.budget.limit, in.state.frames, in.nesting.calls, in.nesting.syntax, in.nesting.loops, in.nesting.running = oldLimit, frames, depth, nest, loops, stack
		in.state.conds, in.state.frees, in.probes.on = conds, frees, probing
		if whole {
			return
		}
		// Only steps that are used up are expected here.
		if r := recover(); r != nil {
			if _, ok := r.(spent); !ok {
				in.report.notes = append(in.report.notes, "the reader broke off") // a fault of ours must not hide the rest
			}
		}
		in.state.facts, in.state.tool, in.state.dead = facts, tool, dead
	}()
	run()
	return true
}
