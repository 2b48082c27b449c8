// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/parser"
)

// A TextUse is a part of a condition that compares an argument as text. If the argument is a path, "..",
// links and other spellings get around the comparison. Or a part follows an argument as a path behind other text,
// which is another path than the server opens.
type TextUse struct {
	Address      string // of the argument: a JSON Pointer, with a step * for every element of a list
	Literal      string // the text that it is compared with, as far as it is a literal at its beginning
	Line, Column int    // of the argument in the condition, in characters from 1
	Fix          string // the same part, comparing where the path leads
	Joined       bool   // it is followed behind other text
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
	info   *ast.SourceInfo
	pieces []string // variables that stand for a piece of a text
	list   []TextUse
}

// A flow is the text of an argument in the value of an expression.
type flow struct {
	address string
	depth   int // how many lists or maps of the expression's own the text lies in
}

// bindings are the flows into the variables of comprehensions.
type bindings map[string][]flow

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
		if name := c.FunctionName(); name == withinFunction || name == resolveFunction {
			u.follow(e, parts[0], bound)
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
		u.visit(c.AccuInit(), bound)
		if r := c.IterRange(); r.Kind() == ast.CallKind && r.AsCall().FunctionName() == "split" {
			u.pieces = append(u.pieces, c.IterVar())
		}
		inner := comprehended(c, bound)
		for _, part := range []ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()} {
			u.visit(part, inner)
		}
	}
}

// compare notes a comparison of arguments, unless it is with nothing.
func (u *users) compare(e ast.Expr, function string, parts []ast.Expr, bound bindings) {
	for i, part := range parts {
		flows := flowsOf(part, bound)
		if len(flows) == 0 || len(parts) != 2 {
			continue
		}
		other := parts[1-i]
		if literal := other.AsLiteral(); other.Kind() == ast.LiteralKind && (literal == types.NullValue || literal == types.String("")) {
			continue
		}
		at := u.info.GetStartLocation(first(part).ID())
		for _, f := range flows {
			use := TextUse{
				Address: f.address, Literal: beginning(other),
				Line: max(at.Line(), 1), Column: max(at.Column(), 0) + 1,
				Fix: u.fix(e, function, part, other, i),
			}
			if !slices.Contains(u.list, use) {
				u.list = append(u.list, use)
			}
		}
	}
}

// follow notes a path that is followed behind other text. Two arguments that make a path together are fine.
func (u *users) follow(e, path ast.Expr, bound bindings) {
	if path.Kind() != ast.CallKind || path.AsCall().FunctionName() != operators.Add {
		return
	}
	var argument ast.Expr
	for _, part := range path.AsCall().Args() {
		if len(flowsOf(part, bound)) > 0 {
			if argument != nil {
				return
			}
			argument = part
		}
	}
	if argument == nil || argument == path.AsCall().Args()[0] {
		return
	}
	flows := flowsOf(argument, bound)
	bare, err := parser.Unparse(argument, u.info)
	if err != nil || len(flows) != 1 {
		return
	}
	whole, err := parser.Unparse(e, u.info)
	if err != nil {
		return
	}
	joint, err := parser.Unparse(path, u.info)
	if err != nil {
		return
	}
	at := u.info.GetStartLocation(first(argument).ID())
	u.list = append(u.list, TextUse{
		Address: flows[0].address, Literal: beginning(path), Line: max(at.Line(), 1), Column: max(at.Column(), 0) + 1,
		Fix: strings.Replace(whole, joint, bare, 1), Joined: true,
	})
}

// flowsOf returns the flows of arguments into an expression's value. None come out of the functions of paths, nor of
// those that tell nothing but a number or a truth.
func flowsOf(e ast.Expr, bound bindings) []flow {
	switch e.Kind() {
	case ast.IdentKind:
		if flows, ok := bound[e.AsIdent()]; ok {
			return flows
		}
		if e.AsIdent() == "args" {
			return []flow{{}}
		}
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return nil
		}
		return into(flowsOf(s.Operand(), bound), s.FieldName())
	case ast.ListKind:
		return out(joined(e.AsList().Elements(), bound))
	case ast.MapKind:
		var all []flow
		for _, entry := range e.AsMap().Entries() {
			all = append(all, joined([]ast.Expr{entry.AsMapEntry().Key(), entry.AsMapEntry().Value()}, bound)...)
		}
		return out(all)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return flowsOf(c.Result(), comprehended(c, bound))
	case ast.CallKind:
		return flowsOfCall(e.AsCall(), bound)
	}
	return nil
}

func flowsOfCall(c ast.CallExpr, bound bindings) []flow {
	switch parts := c.Args(); c.FunctionName() {
	case operators.Index, operators.OptIndex:
		step := "*"
		if name, ok := parts[1].AsLiteral().(types.String); ok {
			step = string(name)
		}
		return into(flowsOf(parts[0], bound), step)
	case operators.Conditional:
		return joined(parts[1:], bound)
	case operators.Add, "string", "bytes", "dyn":
		return joined(parts, bound)
	case "lowerAscii":
		return flowsOf(c.Target(), bound)
	case "split":
		return out(flowsOf(c.Target(), bound))
	}
	return nil
}

func joined(parts []ast.Expr, bound bindings) []flow {
	var all []flow
	for _, part := range parts {
		all = append(all, flowsOf(part, bound)...)
	}
	return all
}

// comprehended returns the bindings within a comprehension. A step reads from the accumulator what the last one left there:
// after two steps nothing new comes.
func comprehended(c ast.ComprehensionExpr, bound bindings) bindings {
	inner := bindings{}
	maps.Copy(inner, bound)
	elements := into(flowsOf(c.IterRange(), bound), "*")
	inner[c.IterVar()] = elements
	if c.HasIterVar2() {
		inner[c.IterVar2()] = elements
	}
	inner[c.AccuVar()] = flowsOf(c.AccuInit(), bound)
	for range 2 {
		for _, f := range flowsOf(c.LoopStep(), inner) {
			if !slices.Contains(inner[c.AccuVar()], f) {
				inner[c.AccuVar()] = append(slices.Clone(inner[c.AccuVar()]), f)
			}
		}
	}
	return inner
}

// into returns the flows into an element: one step down the argument, or one out of the expression's own lists.
func into(flows []flow, name string) []flow {
	flows = slices.Clone(flows)
	for i, f := range flows {
		if f.depth > 0 {
			flows[i].depth--
		} else {
			flows[i].address += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		}
	}
	return flows
}

// out returns the flows into a list or map of the values.
func out(flows []flow) []flow {
	flows = slices.Clone(flows)
	for i := range flows {
		flows[i].depth++
	}
	return flows
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

// leaf returns the path itself in an expression: not the path in other letters, nor a part of it. It is nil if the path
// lies in a list or map of the condition's own.
func (u *users) leaf(e ast.Expr) ast.Expr {
	switch e.Kind() {
	case ast.IdentKind:
		if !slices.Contains(u.pieces, e.AsIdent()) {
			return e
		}
	case ast.SelectKind:
		if u.leaf(e.AsSelect().Operand()) != nil {
			return e
		}
	case ast.CallKind:
		switch c := e.AsCall(); {
		case c.IsMemberFunction():
			return u.leaf(c.Target())
		case c.FunctionName() == "dyn", c.FunctionName() == "string", c.FunctionName() == "bytes":
			return u.leaf(c.Args()[0])
		case c.FunctionName() == operators.Index:
			if operand := u.leaf(c.Args()[0]); operand != c.Args()[0] {
				return operand
			}
			return e
		case c.FunctionName() == operators.Add, c.FunctionName() == operators.Conditional:
			return e
		}
	}
	return nil
}

// fix writes a comparison of text as one of where the path leads; "" if that is not a small change.
func (u *users) fix(e ast.Expr, function string, text, other ast.Expr, index int) string {
	text = u.leaf(text)
	if text == nil {
		return ""
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
