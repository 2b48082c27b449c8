// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/dop251/goja/ast"
)

// Limits bound an analysis. A step is one node of the syntax tree that is looked at.
type Limits struct {
	StepsFile    int // of the code that a file runs when it is loaded
	StepsHandler int
	Steps        int // in all
	Depth        int // of calls
	Handlers     int
}

// A budget is the work that an analysis may do. It counts steps and not seconds, so that the same program
// gives the same report on a fast and on a slow machine; the clock only ends what would take far too
// long. Steps add up over the whole analysis: a part of it gets a share by a lower limit (see
// bounded), and is measured from began on.
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

// spent is what a panic carries when the steps are spent.
type spent struct{}

// stop ends what is being run; bounded goes on behind it.
func (b *budget) stop() { panic(spent{}) }

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

// cost spends steps for what is done at once.
func (b *budget) cost(n int) {
	b.steps += n / 4
	b.tick()
}

// pressed says whether the present handler or file has cost so much that what is left is looked at
// less closely. That may blur what a guard is worth, and what a call reads beside its arguments is
// taken to be as it was.
func (b *budget) pressed() bool { return b.steps-b.began > memoPressure }

// nesting is how deep the walk is in the program. Each counter bounds one way in which a program could
// otherwise make the walk endless, or overflow the stack of this process.
type nesting struct {
	calls   int              // of functions in functions
	syntax  int              // of expressions and statements in others
	loops   int              // of loops in loops
	running map[ast.Node]int // how often each function is on the stack
}

// top says whether no function is being run.
func (n *nesting) top() bool { return n.calls == 0 }

// bounded runs something within so many steps. What it wrote until then stays.
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
