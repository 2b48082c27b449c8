// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"math"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// Expressions. The walk evaluates each of them to a value, in the order of the language.

// eval returns the value of an expression: everything that it may be. Evaluation has side effects
// as in JavaScript: it writes slots, adds facts, ends ways and finds sinks, in the order of the
// program.
func (in *interp) eval(e ast.Expression, s *scope, u *unit) Value {
	in.budget.tick()
	in.nesting.syntax++
	defer func() { in.nesting.syntax-- }()
	if in.nesting.syntax > maxNest {
		in.budget.stop()
	}
	switch e := e.(type) {
	case nil:
		return undefined()
	case *ast.Identifier:
		return in.identifier(e.Name.String(), s)
	case *ast.StringLiteral:
		return constant(e.Value.String())
	case *ast.NumberLiteral:
		return numberLiteral(e)
	case *ast.BooleanLiteral:
		return truth(e.Value)
	case *ast.NullLiteral:
		return Value{{kind: isNull}}
	case *ast.RegExpLiteral:
		o := in.heap.newObject("RegExp")
		o.schema = &schema{pattern: compilePattern(e.Pattern, e.Flags), global: containsByte(e.Flags, 'g')}
		return objectOf(o)
	case *ast.TemplateLiteral:
		return in.template(e, s, u)
	case *ast.DotExpression:
		return in.get(in.eval(e.Left, s, u), e.Identifier.Name.String(), position{u, e.Identifier.Idx})
	case *ast.PrivateDotExpression:
		return in.get(in.eval(e.Left, s, u), "#"+e.Identifier.Name.String(), position{u, e.Identifier.Idx})
	case *ast.BracketExpression:
		return in.index(in.eval(e.Left, s, u), in.eval(e.Member, s, u), position{u, e.Member.Idx0()})
	case *ast.CallExpression:
		return in.callExpression(e, s, u)
	case *ast.NewExpression:
		return in.construct(in.eval(e.Callee, s, u), in.arguments(e.ArgumentList, s, u), position{u, e.New})
	case *ast.FunctionLiteral:
		return in.function(e, s, u)
	case *ast.ArrowFunctionLiteral:
		return in.arrow(e, s, u)
	case *ast.ClassLiteral:
		return in.class(e, s, u)
	case *ast.ObjectLiteral:
		return in.objectLiteral(e, s, u)
	case *ast.ArrayLiteral:
		return objectOf(in.heap.newArray(in.arguments(e.Value, s, u)...))
	case *ast.AssignExpression:
		return in.assignment(e, s, u)
	case *ast.BinaryExpression:
		return in.binary(e, s, u)
	case *ast.UnaryExpression:
		return in.unary(e, s, u)
	case *ast.ConditionalExpression:
		return in.conditional(e, s, u)
	case *ast.SequenceExpression:
		out := undefined()
		for _, x := range e.Sequence {
			out = in.eval(x, s, u)
		}
		return out
	// There is no event loop. A promise stands for its value, so await does nothing, and code
	// that would run at the same time runs in the order of the text.
	case *ast.AwaitExpression:
		return settledOf(in.eval(e.Argument, s, u))
	case *ast.YieldExpression:
		return in.yield(e, s, u)
	// a?.b is a.b: reading a property of undefined gives undefined here anyway.
	case *ast.OptionalChain:
		return in.eval(e.Expression, s, u)
	case *ast.Optional:
		return in.eval(e.Expression, s, u)
	case *ast.ThisExpression:
		return thisOf(s)
	case *ast.SuperExpression:
		return superOf(s)
	case *ast.SpreadElement:
		return in.eval(e.Expression, s, u)
	case *ast.MetaProperty:
		return unknown()
	}
	return unknown()
}

// numberLiteral is a number of the program's text.
func numberLiteral(e *ast.NumberLiteral) Value {
	switch n := e.Value.(type) {
	case int64:
		return number(float64(n))
	case float64:
		return number(n)
	}
	return Value{{kind: isUnknown}}
}

// containsByte reports whether a text has a byte, as the flags of a regular expression.
func containsByte(s string, b byte) bool {
	for i := range len(s) {
		if s[i] == b {
			return true
		}
	}
	return false
}

// identifier reads a variable. A declared one that has no value so far is undefined: functions
// see variables that are declared behind them.
func (in *interp) identifier(name string, s *scope) Value {
	if sl := s.lookup(name); sl != nil {
		v := in.read(sl)
		// The slot was declared and never written.
		if v == nil {
			return undefined()
		}
		return v
	}
	switch name {
	case "undefined":
		return undefined()
	case "NaN":
		return number(math.NaN())
	case "Infinity":
		return number(math.Inf(1))
	case "arguments":
		o := in.heap.newArray(s.function().args...)
		return objectOf(o)
	}
	return in.heap.global(name)
}

// template is a template literal. Most of a server's paths, URLs and command lines are made so:
//
//	`https://api.example.com/${args.id}`   // a constant and a hole
func (in *interp) template(e *ast.TemplateLiteral, s *scope, u *unit) Value {
	if e.Tag != nil {
		return in.taggedTemplate(e, s, u)
	}
	out := constant("")
	for i, el := range e.Elements {
		if el != nil {
			out = concat(out, constant(el.Parsed.String()))
		}
		if i < len(e.Expressions) {
			out = concat(out, textOf(in.eval(e.Expressions[i], s, u)))
		}
	}
	return out
}

// taggedTemplate calls the tag of tag`…` with the texts and the values. Tags that start programs
// (zx, execa) quote the values; sinks that know these names rely on the call.
func (in *interp) taggedTemplate(e *ast.TemplateLiteral, s *scope, u *unit) Value {
	words := in.heap.newArray()
	args := []Value{objectOf(words)}
	for _, el := range e.Elements {
		words.array.list = append(words.array.list, constant(el.Parsed.String()))
	}
	for _, x := range e.Expressions {
		args = append(args, in.eval(x, s, u))
	}
	in.heap.set(words, "raw", objectOf(words))
	return in.call(in.eval(e.Tag, s, u), undefined(), args, position{u, e.OpenQuote})
}

// textOf is a value as a text, as String(value) would give it. A text from the caller that may be
// an object becomes a plain text: from here on it has no fields. Other objects are asked for
// their data, and are unknown if they have none.
func textOf(v Value) Value {
	if isPlainText(v) {
		return v
	}
	var out Value
	for _, a := range v {
		switch {
		case a.kind == isObject && a.obj.native == "URL":
			out = join(out, urlText(a.obj))
		case a.kind == isObject && a.obj.array != nil:
			out = join(out, joinArray(a.obj, constant(",")))
		case a.kind == isObject && len(a.obj.data) > 0:
			out = join(out, a.obj.data)
		case a.kind == isText && a.open:
			a.open = false
			out = join(out, Value{a})
		default:
			out = join(out, Value{{kind: isText, text: a.parts(), under: a.under, dep: a.dep, tool: a.tool}})
		}
	}
	if len(out) == 0 {
		return unknown()
	}
	return out
}

// isPlainText reports whether a value needs no conversion, which is the common case.
func isPlainText(v Value) bool {
	for _, a := range v {
		if a.kind != isText || a.open {
			return false
		}
	}
	return len(v) > 0
}

// index is o[k]. With constant keys it is a read of each; otherwise the caller may choose.
func (in *interp) index(o, k Value, at position) Value {
	if key, ok := k.one(); ok {
		return in.get(o, key, at)
	}
	if words := k.words(); len(words) == len(k) && len(k) > 0 {
		var out Value
		for _, w := range words {
			out = join(out, in.get(o, w, at))
		}
		return out
	}
	return in.chosen(o, k, at)
}

// pick notes the name of a tool by which a table gives a handler: an entry is a function, or an
// object with a method that handles calls.
func (in *interp) pick(name string, v Value) {
	for _, a := range v {
		if a.kind == isObject && (a.obj.call != nil || a.obj.native == "" && a.obj.array == nil && len(in.handlerOf(a.obj)) > 0) {
			in.registry.picks[name] = true
		}
	}
}

// chosen is o[k] with a key that the caller chooses. Two cases tell more than "any property":
//
//	handlers[request.params.name](args)   // each alternative knows the tool it serves
//	const dir = folders[args.folder]      // a value of the program, whatever the caller says
//
// In the second one the value may be undefined, and where it is not, the key was among the
// program's own, so that no attack is in it.
func (in *interp) chosen(o, k Value, at position) Value {
	if isToolName(k) {
		var out Value
		for _, a := range o {
			if a.kind == isObject && a.obj.array == nil {
				for _, name := range in.heap.names(a.obj) {
					v := in.getObject(a, name, at)
					in.pick(name, v)
					out = join(out, tagged(v, name))
				}
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	v := in.getAny(o)
	// A table of the program's values, indexed by the caller.
	if len(k.tainted()) > 0 && len(v.tainted()) == 0 && allObjects(o) {
		var member facts
		for _, a := range k {
			for _, b := range among(a.text) {
				member = member.and(b.yes)
			}
		}
		out := undefined()
		for _, a := range v {
			if a.kind != isUndefined {
				a.under = a.under.and(member)
				out = join(out, Value{a})
			}
		}
		return out
	}
	return v
}

// allObjects reports whether all alternatives are objects of the program other than lists.
func allObjects(v Value) bool {
	for _, a := range v {
		if a.kind != isObject || a.obj.array != nil {
			return false
		}
	}
	return true
}

// arguments evaluates a list of arguments or elements. Elements of ...spread without a known
// index stand as one further value.
func (in *interp) arguments(list []ast.Expression, s *scope, u *unit) []Value {
	var out []Value
	for _, e := range list {
		if sp, ok := e.(*ast.SpreadElement); ok {
			q := in.heap.elements(in.eval(sp.Expression, s, u))
			in.budget.cost(len(q.known))
			if len(out) < maxElements {
				out = append(out, q.known...)
			}
			if len(q.rest) > 0 {
				out = append(out, q.rest)
			}
			continue
		}
		out = append(out, in.eval(e, s, u))
	}
	return out
}

// key is the name of a property in a literal, a class or a pattern: a word, or [computed].
func (in *interp) key(e ast.Expression, computed bool, s *scope, u *unit) Value {
	if !computed {
		switch e := e.(type) {
		case *ast.Identifier:
			return constant(e.Name.String())
		case *ast.PrivateIdentifier:
			return constant("#" + e.Name.String())
		case *ast.StringLiteral:
			return constant(e.Value.String())
		}
	}
	return in.eval(e, s, u)
}

// assignment is a = b, and a += b and the like. For ||=, &&= and ??= the value joins the old one,
// although the condition would tell more.
func (in *interp) assignment(e *ast.AssignExpression, s *scope, u *unit) Value {
	if e.Operator == token.ASSIGN {
		v := in.named(e.Right, e.Left, s, u)
		in.assign(e.Left, v, s, u)
		return v
	}
	old := in.eval(e.Left, s, u)
	switch e.Operator {
	case token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE:
		v := join(old, in.eval(e.Right, s, u))
		in.assign(e.Left, v, s, u)
		return v
	}
	v := arithmetic(e.Operator, old, in.eval(e.Right, s, u))
	in.assign(e.Left, v, s, u)
	return v
}

// named evaluates a value that gets a name. A function takes the name. A call with the name of an
// MCP method in its text makes the schema of that request; minified bundles are recognised by
// this alone.
func (in *interp) named(e ast.Expression, target ast.Expression, s *scope, u *unit) Value {
	v := in.eval(e, s, u)
	if id, ok := target.(*ast.Identifier); ok {
		nameFunction(v, id.Name.String())
	}
	if u != nil && len(u.marks) > 0 {
		if method := u.requestIn(e); method != "" {
			v = v.schemaOfRequest(method)
		}
	}
	return v
}

// binary is an operator with two sides. "#x in o" is unknown and not worth more.
func (in *interp) binary(e *ast.BinaryExpression, s *scope, u *unit) Value {
	switch e.Operator {
	case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
		return in.logical(e, s, u)
	}
	if p, ok := e.Left.(*ast.PrivateIdentifier); ok {
		in.eval(e.Right, s, u)
		_ = p
		return anyTruth(false)
	}
	left := in.eval(e.Left, s, u)
	right := in.eval(e.Right, s, u)
	switch e.Operator {
	case token.EQUAL, token.STRICT_EQUAL:
		return in.equal(left, right, e.Operator == token.STRICT_EQUAL)
	case token.NOT_EQUAL, token.STRICT_NOT_EQUAL:
		return not(in.equal(left, right, e.Operator == token.STRICT_NOT_EQUAL))
	case token.IN:
		return hasKey(right, left)
	case token.INSTANCEOF:
		return instanceOf(left, right)
	}
	return arithmetic(e.Operator, left, right)
}

// conditional is test ? a : b. Each side is evaluated under its condition, and its value keeps
// the condition's facts:
//
//	read(ok(p) ? p : "/srv/a")    // the alternative p knows that ok(p) held
func (in *interp) conditional(e *ast.ConditionalExpression, s *scope, u *unit) Value {
	yes, no := choices(in.eval(e.Test, s, u))
	var a, b Value
	in.state.either(yes, no, func() { a = in.eval(e.Consequent, s, u) }, func() { b = in.eval(e.Alternate, s, u) })
	if !yes.possible || !no.possible {
		return join(a, b)
	}
	return join(a.given(yes.facts, false), b.given(no.facts, false))
}

// unary is an operator with one side. typeof of an undeclared name is unknown, since it asks
// where the program runs. ~ has a second meaning: package parse writes an await at the top level
// so.
func (in *interp) unary(e *ast.UnaryExpression, s *scope, u *unit) Value {
	switch e.Operator {
	case token.TYPEOF:
		if id, ok := e.Operand.(*ast.Identifier); ok && s.lookup(id.Name.String()) == nil {
			return unknown()
		}
		return typeOf(in.eval(e.Operand, s, u))
	case token.DELETE:
		if d, ok := e.Operand.(*ast.DotExpression); ok {
			in.heap.setAll(in.eval(d.Left, s, u), d.Identifier.Name.String(), undefined())
			return truth(true)
		}
	}
	v := in.eval(e.Operand, s, u)
	switch e.Operator {
	case token.NOT:
		return not(v)
	case token.BITWISE_NOT: // an await at the top level is written so; see package parse
		if n, ok := v.num(); ok {
			return number(float64(^int64(n)))
		}
		return settledOf(v)
	case token.VOID:
		return undefined()
	case token.MINUS:
		if n, ok := v.num(); ok {
			return number(-n)
		}
	case token.PLUS:
		if n, ok := toNumber(v); ok {
			return number(n)
		}
	case token.INCREMENT, token.DECREMENT:
		d := 1.0
		if e.Operator == token.DECREMENT {
			d = -1
		}
		if n, ok := v.num(); ok {
			in.assign(e.Operand, number(n+d), s, u)
			if e.Postfix {
				return v
			}
			return number(n + d)
		}
		in.assign(e.Operand, unknownDepIf(v.depends()), s, u)
	}
	return unknownDepIf(v.depends())
}

// yield collects the values of a generator in a variable of its function; the call returns them
// as a list of unknown order (state.run).
func (in *interp) yield(e *ast.YieldExpression, s *scope, u *unit) Value {
	v := in.eval(e.Argument, s, u)
	fn := s.function()
	if fn.fn != nil {
		if e.Delegate {
			v = in.heap.elements(v).all()
		}
		in.journal.write(in.heap.declare(fn, "yield*", nil), join(fn.lookup("yield*").v, v))
	}
	return unknown()
}

// settledOf is the value that a promise resolves to. A promise without a value never resolves,
// and counts as unknown.
func settledOf(v Value) Value {
	if !slices.ContainsFunc(v, Atom.isPromise) {
		return v
	}
	var out Value
	for _, a := range v {
		if a.isPromise() {
			out = join(out, a.obj.data.given(a.under, a.free))
		} else {
			out = join(out, Value{a})
		}
	}
	if len(out) == 0 {
		return unknown()
	}
	return out
}

// isPromise reports whether an alternative is a promise. Most functions that return promises
// return their values instead.
func (a Atom) isPromise() bool { return a.kind == isObject && a.obj.native == "Promise" }
