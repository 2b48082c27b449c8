// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// Files and packages. Files of the audited directory run; packages are natives with the name of
// the package. Whether a specifier is one or the other is decided by the loader.

// modules are the files of the program, each loaded once.
type modules struct {
	load  Loader
	units map[string]*unit // by name
	short bool             // a statement of the present file was not run to its end
}

// require is require("…"). esbuild writes import("…") as such a call, too.
func (in *interp) require(e *ast.CallExpression, s *scope, u *unit) Value {
	args := in.arguments(e.ArgumentList, s, u)
	if name, ok := arg(args, 0).one(); ok {
		return in.requireName(name, u)
	}
	return unknown()
}

// requireName loads a module by its specifier. A file that cannot be parsed is unknown, a package
// is native.
func (in *interp) requireName(name string, u *unit) Value {
	from := ""
	if u != nil {
		from = u.file.Name
	}
	f, ok := in.modules.load(from, name)
	if !ok {
		return packageValue(name)
	}
	if f == nil {
		return unknown()
	}
	return in.module(f)
}

// module runs a file once and returns its exports. In a cycle the second file sees the exports so
// far, as in Node.js.
//
// A file may be loaded in the midst of a handler, by import() or a lazy require. It belongs to
// none: facts are put aside, and its writes leave the trail, so that no undo takes them back.
func (in *interp) module(f *parse.File) Value {
	// Loaded already, or being loaded further up the stack.
	if u, ok := in.modules.units[f.Name]; ok {
		return u.exported()
	}
	u := &unit{file: f, exports: in.heap.newObject("module"), marks: marksOf(f.Text), decorated: strings.Contains(f.Text, "__decorate")}
	in.modules.units[f.Name] = u
	in.heap.set(u.exports, "exports", objectOf(in.heap.newObject("")))
	u.exports.native = ""
	s := &scope{up: nil, isFun: true, this: undefined()}
	in.heap.declare(s, "module", objectOf(u.exports))
	in.heap.declare(s, "exports", u.exports.own("exports"))
	in.heap.declare(s, "__filename", unknown())
	in.heap.declare(s, "__dirname", unknown())
	// A bundle defines these helpers in its own text.
	for helper := range helpers {
		if strings.Contains(f.Text, helper) {
			in.heap.declare(s, helper, native(helper))
		}
	}
	before, dead, current, mark, began := in.state.facts, in.state.dead, in.turn.handler, len(in.journal.trail), in.budget.began
	in.state.facts, in.budget.began = facts{}, in.budget.steps
	whole := in.bounded(in.budget.limits.StepsFile, func() {
		in.hoistVars(f.Program.DeclarationList, s)
		in.hoist(f.Program.Body, s, u)
		frame := in.state.push(frameFunction, "")
		s.fn = frame
		in.nesting.calls++
		for _, st := range f.Program.Body {
			in.topLevel(st, s, u)
		}
		in.nesting.calls--
		in.state.pop(frame)
	})
	in.state.facts, in.state.dead, in.turn.handler, in.budget.began = before, dead, current, began
	in.journal.trail = in.journal.trail[:mark] // the effects of loading a file stay
	// The report names files that were cut, since tools may be missing.
	if !whole || in.modules.short {
		in.modules.short = false
		in.report.cut = append(in.report.cut, f.Name)
	}
	return u.exported()
}

// topLevel runs a statement of a file.
func (in *interp) topLevel(st ast.Statement, s *scope, u *unit) {
	var list []*ast.Binding
	switch st := st.(type) {
	case *ast.VariableStatement:
		list = st.List
	case *ast.LexicalDeclaration:
		list = st.List
	default:
		in.alone(func() { in.statement(st, s, u, "") })
	}
	for _, b := range list {
		in.declaration(b, s, u)
	}
}

// alone runs a part of a file, with a budget of its own. A part that throws does not end the
// file: the values here are guesses, and at run time it may well not throw.
func (in *interp) alone(run func()) {
	if !in.bounded(in.budget.limits.StepsFile/4, run) {
		in.modules.short = true
	}
	in.state.dead = false
}

// helpers are functions that compilers put into files. They are known by their names and not
// read: their text goes through property descriptors and iterators, which would blur every
// import.
var helpers = map[string]bool{"__toESM": true, "__toCommonJS": true, "__importStar": true, "__importDefault": true, "__asyncGenerator": true, "__forAwait": true, "__async": true, "__awaiter": true}

// exported is the present value of a file's exports.
func (u *unit) exported() Value {
	v := u.exports.own("exports")
	if len(v) == 0 {
		return unknown()
	}
	return v
}
