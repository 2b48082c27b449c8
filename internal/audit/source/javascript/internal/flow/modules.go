// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// require is require("…"), and what esbuild writes of import("…").
func (in *interp) require(e *ast.CallExpression, s *scope, u *unit) Value {
	args := in.arguments(e.ArgumentList, s, u)
	if name, ok := arg(args, 0).one(); ok {
		return in.requireName(name, u)
	}
	return unknown()
}

func (in *interp) requireName(name string, u *unit) Value {
	from := ""
	if u != nil {
		from = u.file.Name
	}
	f, ok := in.load(from, name)
	if !ok {
		return packageValue(name)
	}
	if f == nil {
		return unknown()
	}
	return in.module(f)
}

// module runs a file once, and gives what it exports. A cycle sees what is exported so far.
func (in *interp) module(f *parse.File) Value {
	if u, ok := in.units[f.Name]; ok {
		return in.exported(u)
	}
	u := &unit{file: f, exports: in.newObject("module"), marks: marksOf(f.Text), decorated: strings.Contains(f.Text, "__decorate")}
	in.units[f.Name] = u
	in.set(u.exports, "exports", objectOf(in.newObject("")))
	u.exports.native = ""
	s := &scope{up: nil, isFun: true, this: undefined()}
	in.declare(s, "module", objectOf(u.exports))
	in.declare(s, "exports", in.getOwn(u.exports, "exports"))
	in.declare(s, "__filename", unknown())
	in.declare(s, "__dirname", unknown())
	for helper := range helpers {
		if strings.Contains(f.Text, helper) {
			in.declare(s, helper, native(helper))
		}
	}
	before, dead, current, mark, began := in.facts, in.dead, in.current, len(in.trail), in.began
	in.facts, in.began = facts{}, in.steps
	whole := in.bounded(in.limits.StepsFile, func() {
		in.hoistVars(f.Program.DeclarationList, s)
		in.hoist(f.Program.Body, s, u)
		frame := in.push(frameFunction, "")
		s.fn = frame
		in.depth++
		for _, st := range f.Program.Body {
			in.topLevel(st, s, u)
		}
		in.depth--
		in.pop(frame)
	})
	in.facts, in.dead, in.current, in.began = before, dead, current, began
	in.trail = in.trail[:mark] // what a file sets up stays, whichever way it was loaded on
	if !whole || in.short {
		in.short = false
		in.cut = append(in.cut, f.Name)
	}
	return in.exported(u)
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

// alone runs a part of a file. That one throws does not end the file: what throws in all cases we
// know of may not do so in others.
func (in *interp) alone(run func()) {
	if !in.bounded(in.limits.StepsFile/4, run) {
		in.short = true
	}
	in.dead = false
}

// helpers are what compilers put into files. They are known by name, and not replaced by their text,
// which says the same in a way that is hard to read.
var helpers = map[string]bool{"__toESM": true, "__toCommonJS": true, "__importStar": true, "__importDefault": true, "__asyncGenerator": true, "__forAwait": true, "__async": true, "__awaiter": true}

func (in *interp) exported(u *unit) Value {
	v := in.getOwn(u.exports, "exports")
	if len(v) == 0 {
		return unknown()
	}
	return v
}
