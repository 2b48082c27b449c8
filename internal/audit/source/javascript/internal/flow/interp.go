// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package flow follows values through a JavaScript program, from the arguments of MCP tools to the
// functions that open files, make requests and start programs. It is an abstract interpreter: a
// value is a set of alternatives, a text knows where an argument stands in it, and both sides of a
// branch are taken. What a check says of an argument is known on the way behind it (facts.go); it
// is read by trying the check on attacks (predicate.go). Nothing of the program is run.
//
//	program → unit → statements → values ─┬─ sources.go: a tool is registered
//	                                      └─ sinks.go: an argument arrives
package flow

import (
	"context"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// A Loader finds what a module asks for. Without ok it is a package that is not read.
type Loader func(from, specifier string) (f *parse.File, ok bool)

// Limits bound an analysis. A step is one node of the syntax tree that is looked at.
type Limits struct {
	StepsFile    int // of the code that a file runs when it is loaded
	StepsHandler int
	Steps        int // in all
	Depth        int // of calls
	Handlers     int
}

// A unit is one file.
type unit struct {
	file    *parse.File
	exports *Object // the module's own object, with the property exports
	marks   []mark

	decorated bool // it calls decorators
}

type position struct {
	unit *unit
	idx  file.Idx
}

// A scope holds variables.
type scope struct {
	up    *scope
	vars  map[string]*slot
	this  Value
	fn    *frame
	home  *class
	isFun bool
	args  []Value
}

type interp struct {
	ctx    context.Context
	load   Loader
	limits Limits
	units  map[string]*unit

	clock   int // counts the places to which what was written is taken back
	floor   int // the clock at the last of them that is open
	trail   []written
	epoch   int
	facts   facts
	tool    string
	dead    bool
	conds   int
	frees   int
	frames  *frame
	catcher *catcher // of what is being tried

	steps, limit int
	began        int // the steps before the present handler
	beganID      int // the objects
	depth        int // of calls
	nest         int // of expressions
	loops        int
	stack        map[ast.Node]int // closures that are being run
	ran          map[ast.Node]bool
	closures     []*Object
	classes      []*Object
	ready        bool // what was set up is no longer looked through
	nextID       int
	probing      bool
	memos        map[memoKey]*memo // of the present handler
	looked       []byte            // room for a look
	costly       map[ast.Node]bool // functions that cost much
	probed       map[probeKey]probed

	globals       *scope
	natives       map[string]*Object // packages that the program wrote to
	origins       map[string]*origin
	nOrigins      int
	handlers      []*handler
	listings      []Value         // functions that list the tools
	beginnings    []Value         // functions that answer initialize
	ofTools       []*handler      // that were run, each for one tool
	picks         map[string]bool // names of tools that handlers compare with
	current       *handler
	found         *findings
	params        map[string]map[string]bool // that tools declare or read
	notes         []string
	late          bool // the time was up
	short         bool // a statement of the present file was not run to its end
	nested        int
	spentOnProbes int
	spentApart    int     // on what was put off
	made          []*slot // by what was put off, while it is run
	dropped       int
	providers     map[any][]*provider // of all containers
	decorations   []decoration
	wrapped       map[*Object]bool // tools whose arguments are in a property

	unfinished []*handler
	cut        []string // files that were not run to their end
}

// spent is what a panic carries when the steps are spent.
type spent struct{}

// stop ends what is being run; bounded goes on behind it.
func (in *interp) stop() { panic(spent{}) }

func (in *interp) tick() {
	in.steps++
	if in.steps > in.limit {
		in.stop()
	}
	if in.steps&1023 == 0 && in.ctx.Err() != nil {
		in.late = true
		in.stop()
	}
}

// cost spends steps for what is done at once.
func (in *interp) cost(n int) {
	in.steps += n / 4
	in.tick()
}

// maxElements bounds the elements of a list that are told apart.
const maxElements = 2000

// clamp makes elements beyond the bound such whose place is not known.
func clamp(c *content) {
	if len(c.list) > maxElements {
		q := sequence{known: c.list[maxElements:]}
		c.rest = join(c.rest, q.all())
		c.list = c.list[:maxElements:maxElements]
	}
}

// bounded runs something within so many steps. What it wrote until then stays.
func (in *interp) bounded(steps int, run func()) (whole bool) {
	oldLimit, facts, tool, frames, depth, nest, loops := in.limit, in.facts, in.tool, in.frames, in.depth, in.nest, in.loops
	conds, frees, dead, probing := in.conds, in.frees, in.dead, in.probing
	in.limit = min(oldLimit, in.steps+steps)
	stack, catcher, floor := in.stack, in.catcher, in.floor
	in.stack, in.catcher = map[ast.Node]int{}, nil
	defer func() {
		in.catcher, in.floor = catcher, floor
		in.limit, in.frames, in.depth, in.nest, in.loops, in.stack = oldLimit, frames, depth, nest, loops, stack
		in.conds, in.frees, in.probing = conds, frees, probing
		if whole {
			return
		}
		if r := recover(); r != nil {
			if _, ok := r.(spent); !ok {
				in.notes = append(in.notes, "the reader broke off") // a fault of ours must not hide the rest
			}
		}
		in.facts, in.tool, in.dead = facts, tool, dead
	}()
	run()
	return true
}

func (in *interp) newObject(native string) *Object {
	in.nextID++
	return &Object{id: in.nextID, native: native}
}

func (in *interp) newArray(list ...Value) *Object {
	o := in.newObject("Array")
	o.array = in.newSlot(content{list: list})
	clamp(&o.array.content)
	return o
}

func (s *scope) lookup(name string) *slot {
	for ; s != nil; s = s.up {
		if v, ok := s.vars[name]; ok {
			return v
		}
	}
	return nil
}

func (in *interp) declare(s *scope, name string, v Value) *slot {
	if s.vars == nil {
		s.vars = map[string]*slot{}
	}
	if old, ok := s.vars[name]; ok {
		return old
	}
	n := in.newSlot(content{v: v})
	s.vars[name] = n
	return n
}

// function is the scope of the function that a scope is in.
func (s *scope) function() *scope {
	for s.up != nil && !s.isFun {
		s = s.up
	}
	return s
}
