// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/parser"
)

// A TextUse is a part of a condition that compares an argument as text. If the argument is a path, "..",
// links and other spellings get around the comparison.
type TextUse struct {
	Address      string // of the argument: a JSON Pointer, with a step * for every element of a list
	Literal      string // the text that it is compared with, as far as it is a literal at its beginning
	Line, Column int    // of the argument in the condition, in characters from 1
	Fix          string // the same part, comparing where the path leads
}

// TextUses returns the parts of a condition that compare arguments as text. It is empty for a condition
// that cannot be read.
func TextUses(when string) []TextUse {
	env, err := newEnvironment()
	if err != nil {
		return nil
	}
	return env.textUses(when)
}

func (e *environment) textUses(when string) []TextUse {
	parsed, issues := e.Parse(when)
	if issues.Err() != nil {
		return nil
	}
	u := users{info: parsed.NativeRep().SourceInfo()}
	u.visit(parsed.NativeRep().Expr(), nil)
	return u.list
}

// users collects the uses of texts.
type users struct {
	info *ast.SourceInfo
	list []TextUse
}

// bindings are the addresses that the variables of comprehensions stand for.
type bindings map[string]string

// comparisons are the functions that compare a text.
var comparisons = []string{
	operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.In,
	"startsWith", "endsWith", "contains", matchesFunction, globFunction,
}

func (u *users) visit(e ast.Expr, bound bindings) {
	switch e.Kind() {
	case ast.CallKind:
		c := e.AsCall()
		parts := c.Args()
		if c.IsMemberFunction() {
			parts = append([]ast.Expr{c.Target()}, parts...)
		}
		if slices.Contains(comparisons, c.FunctionName()) {
			u.compare(e, c.FunctionName(), parts, bound)
		}
		for _, part := range parts {
			u.visit(part, bound)
		}
	case ast.SelectKind:
		u.visit(e.AsSelect().Operand(), bound)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			u.visit(element, bound)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			u.visit(entry.AsMapEntry().Key(), bound)
			u.visit(entry.AsMapEntry().Value(), bound)
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		u.visit(c.IterRange(), bound)
		inner := bindings{}
		for name, address := range bound {
			inner[name] = address
		}
		delete(inner, c.IterVar())
		if addresses := texts(c.IterRange(), bound); len(addresses) == 1 && !c.HasIterVar2() {
			inner[c.IterVar()] = addresses[0] + "/*"
		}
		for _, part := range []ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()} {
			u.visit(part, inner)
		}
	}
}

// compare notes a comparison of arguments, unless it is with nothing.
func (u *users) compare(e ast.Expr, function string, parts []ast.Expr, bound bindings) {
	for i, part := range parts {
		addresses := texts(part, bound)
		if len(addresses) == 0 || len(parts) != 2 {
			continue
		}
		other := parts[1-i]
		if literal := other.AsLiteral(); other.Kind() == ast.LiteralKind && (literal == types.NullValue || literal == types.String("")) {
			continue
		}
		at := u.info.GetStartLocation(first(part).ID())
		for _, address := range addresses {
			u.list = append(u.list, TextUse{
				Address: address, Literal: beginning(other),
				Line: max(at.Line(), 1), Column: max(at.Column(), 0) + 1,
				Fix: u.fix(e, function, part, other, i),
			})
		}
	}
}

// texts returns the addresses of the arguments whose text becomes part of an expression's value. The functions of paths
// return none.
func texts(e ast.Expr, bound bindings) []string {
	switch e.Kind() {
	case ast.IdentKind:
		if address, ok := bound[e.AsIdent()]; ok {
			return []string{address}
		}
		if e.AsIdent() == "args" {
			return []string{""}
		}
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return nil
		}
		return steps(texts(s.Operand(), bound), s.FieldName())
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case operators.Index, operators.OptIndex:
			step := "*"
			if name, ok := c.Args()[1].AsLiteral().(types.String); ok {
				step = string(name)
			}
			return steps(texts(c.Args()[0], bound), step)
		case operators.Add, operators.Conditional, "string", "lowerAscii", "split":
			var all []string
			parts := c.Args()
			if c.IsMemberFunction() {
				parts = []ast.Expr{c.Target()}
			}
			if c.FunctionName() == operators.Conditional {
				parts = parts[1:]
			}
			for _, part := range parts {
				all = append(all, texts(part, bound)...)
			}
			return all
		}
	}
	return nil
}

func steps(addresses []string, name string) []string {
	for i := range addresses {
		addresses[i] += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return addresses
}

// beginning returns the literal that a text begins with.
func beginning(e ast.Expr) string {
	switch e.Kind() {
	case ast.LiteralKind:
		s, _ := e.AsLiteral().(types.String)
		return string(s)
	case ast.CallKind:
		if c := e.AsCall(); c.FunctionName() == operators.Add {
			return beginning(c.Args()[0])
		}
	case ast.ListKind:
		if elements := e.AsList().Elements(); len(elements) > 0 {
			return beginning(elements[0])
		}
	}
	return ""
}

// first returns the part of an expression that stands first in its text. CEL places a whole at its operator.
func first(e ast.Expr) ast.Expr {
	for {
		switch e.Kind() {
		case ast.SelectKind:
			e = e.AsSelect().Operand()
		case ast.CallKind:
			switch c := e.AsCall(); {
			case c.IsMemberFunction():
				e = c.Target()
			case c.FunctionName() == operators.Index, c.FunctionName() == operators.Add:
				e = c.Args()[0]
			default:
				return e
			}
		default:
			return e
		}
	}
}

// fix writes a comparison of text as one of where the path leads.
func (u *users) fix(e ast.Expr, function string, text, other ast.Expr, index int) string {
	for text.Kind() == ast.CallKind && text.AsCall().IsMemberFunction() { // the path itself, not the path in other letters
		text = text.AsCall().Target()
	}
	path, err := parser.Unparse(text, u.info)
	if err != nil {
		return ""
	}
	literal := beginning(other)
	if function == "startsWith" && index == 0 && (strings.HasPrefix(literal, "/") || strings.HasPrefix(literal, "file:///")) {
		if root, err := parser.Unparse(other, u.info); err == nil {
			root = strings.Replace(root, `"file://`, `"`, 1)
			if short, ok := strings.CutSuffix(root, ` + "/"`); ok {
				root = short
			} else if short, ok := strings.CutSuffix(root, `/"`); ok && short != `"` {
				root = short + `"`
			}
			return fmt.Sprintf("within(%s, %s)", path, root)
		}
	}
	whole, err := parser.Unparse(e, u.info)
	if err != nil {
		return ""
	}
	return strings.Replace(whole, path, "resolve("+path+")", 1)
}
