// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package flow follows values through a JavaScript program, from the arguments of MCP tools to
// the functions that open files, make requests and start programs. It is an abstract interpreter:
// it walks the syntax tree as an interpreter would, but with sets of alternatives instead of
// values. A text knows where an argument stands in it, and both sides of a branch are taken.
// Nothing of the program is run.
//
//	program → unit → statements → values ─┬─ sources.go: a tool is registered
//	                                      └─ sinks.go: an argument arrives
//
// A check of an argument becomes a fact on the way behind it (facts.go). Its meaning is found by
// trying the check on attacks (predicate.go, probe.go).
//
// The analysis is neither sound nor complete, by choice: it exists to find weaknesses in real
// servers. Where it has to guess, it errs against the server only if a caller can use the guess.
// A call that it cannot follow gives unknown, without holes; a loop over checked elements is
// taken to have run; a check that the configuration can switch off counts as a check. Each such
// choice has a comment where it is made.
//
// Where to begin reading:
//
//	value.go, text.go,         what is computed with: alternatives, texts with holes,
//	facts.go                   facts
//	state.go, journal.go       ways, branches, and taking back writes
//	statements.go, …           the walk, by kinds of syntax: expressions.go, calls.go, classes.go
//	conditions.go              how a condition turns into facts
//	predicate.go, probe.go     how a check gets its meaning
//	natives.go, …              what is known about functions outside the program: language.go,
//	                           node.go, paths.go, schemas.go, zod.go, inject.go, decorate.go
//	sources.go, registry.go    how tools are found; lowlevel.go and rpc.go for servers without the SDK
//	handlers.go, lanes.go      how handlers run
//	sinks.go, verdicts.go      how arguments are judged; arguments.go for those of programs
//	budget.go, memo.go,        what keeps the cost of all this in bounds
//	deferred.go
package flow

import (
	"context"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// A Loader finds the file that a module asks for. Without ok the specifier names a package, which
// is not read.
type Loader func(from, specifier string) (f *parse.File, ok bool)

// A unit is a file that was loaded.
type unit struct {
	file *parse.File
	// the module object; its property exports is the result of an import
	exports *Object
	// where the text names MCP methods
	marks []mark

	// it calls decorators
	decorated bool
}

// A position is a place in a file. The zero position is nowhere: the report leaves steps there out.
type position struct {
	unit *unit
	idx  file.Idx
}

// A scope holds variables, and the meaning of this, arguments and super. Blocks have scopes of
// their own; isFun marks those of functions and files, to which var and return belong.
type scope struct {
	up    *scope
	vars  map[string]*slot
	this  Value
	fn    *frame
	home  *class
	isFun bool
	args  []Value
}

// An interp reads one program. It holds only the walk over the syntax tree: eval, statement, call
// and what these need. Data belongs to a part with a purpose of its own, so a method on a part
// can depend on nothing but the part and its links.
//
// The parts are values, not pointers: there is one of each, and newInterp links those that need
// each other. An interp must therefore not be copied.
type interp struct {
	budget      budget      // work that is left
	nesting     nesting     // depths of the walk
	journal     journal     // old contents of slots, to take writes back
	state       state       // facts at this point, and whether it is reached
	heap        heap        // objects, variables and their properties
	modules     modules     // files
	definitions definitions // functions and classes that nothing has called so far
	memory      memory      // results of calls, to use them again
	probes      probes      // guards, tried on attacks
	registry    registry    // registrations: handlers, lists, initialize
	container   container   // dependency injection
	turn        turn        // the present handler
	sinks       sinks       // functions that must not get a caller's text unchecked
	report      report      // arrivals, tools and gaps
}

// newInterp makes an interpreter and links its parts.
func newInterp(ctx context.Context, load Loader, limits Limits) *interp {
	in := &interp{
		budget:      budget{ctx: ctx, limits: limits, limit: limits.Steps},
		nesting:     nesting{running: map[ast.Node]int{}},
		heap:        heap{globals: &scope{}, natives: map[string]*Object{}},
		modules:     modules{load: load, units: map[string]*unit{}},
		definitions: definitions{called: map[ast.Node]bool{}},
		memory:      memory{memos: map[memoKey]*memo{}, costly: map[ast.Node]bool{}},
		probes:      probes{known: map[probeKey]probed{}},
		registry:    registry{picks: map[string]bool{}},
		turn:        turn{origins: map[string]*origin{}},
		report:      report{found: &arrivals{}, params: map[string]map[string]bool{}},
	}
	in.journal.budget = &in.budget
	in.state.journal = &in.journal
	in.heap.budget, in.heap.journal = &in.budget, &in.journal
	in.memory.budget, in.memory.heap, in.memory.journal = &in.budget, &in.heap, &in.journal
	in.memory.state, in.memory.probes, in.memory.turn = &in.state, &in.probes, &in.turn
	in.registry.budget = &in.budget
	in.container.heap, in.container.probes = &in.heap, &in.probes
	in.turn.budget, in.turn.state, in.turn.report = &in.budget, &in.state, &in.report
	in.sinks = sinks{heap: &in.heap, state: &in.state, turn: &in.turn, probes: &in.probes, report: &in.report}
	return in
}

// lookup finds a variable by its name, from the inside out.
func (s *scope) lookup(name string) *slot {
	for ; s != nil; s = s.up {
		if v, ok := s.vars[name]; ok {
			return v
		}
	}
	return nil
}

// function returns the scope of the innermost function, or of the file.
func (s *scope) function() *scope {
	for s.up != nil && !s.isFun {
		s = s.up
	}
	return s
}
