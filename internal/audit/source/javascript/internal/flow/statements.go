// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// Statements. They change the state and have no value.

// maxNest bounds the nesting of the syntax, and with it the stack of this process: parse refuses
// deep files, but generated ones nest calls of many functions. maxIterations bounds a loop over
// known values; a loop that goes on longer fills a table, and its rounds look alike.
const (
	maxNest       = 1500
	maxIterations = 400
)

// block runs statements in a scope of their own.
func (in *interp) block(list []ast.Statement, s *scope, u *unit) {
	inner := &scope{up: s}
	in.hoist(list, inner, u)
	in.statements(list, inner, u)
}

// hoist declares the functions, classes and names of a block before it runs, as JavaScript does.
func (in *interp) hoist(list []ast.Statement, s *scope, u *unit) {
	for _, st := range list {
		switch st := st.(type) {
		case *ast.FunctionDeclaration:
			if st.Function.Name != nil {
				in.heap.declare(s, st.Function.Name.Name.String(), nil).v = in.function(st.Function, s, u)
			}
		case *ast.LexicalDeclaration:
			for _, b := range st.List {
				in.declarePattern(b.Target, s)
			}
		case *ast.ClassDeclaration:
			if st.Class.Name != nil {
				in.heap.declare(s, st.Class.Name.Name.String(), nil)
			}
		}
	}
}

// hoistVars declares the variables of var, which belong to the whole function.
func (in *interp) hoistVars(list []*ast.VariableDeclaration, s *scope) {
	for _, d := range list {
		for _, b := range d.List {
			in.declarePattern(b.Target, s)
		}
	}
}

// declarePattern declares all names in a pattern.
func (in *interp) declarePattern(target ast.Expression, s *scope) {
	in.nesting.syntax++
	defer func() { in.nesting.syntax-- }()
	if in.nesting.syntax > maxNest {
		in.budget.stop()
	}
	switch t := target.(type) {
	case *ast.Identifier:
		in.heap.declare(s, t.Name.String(), nil)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				in.heap.declare(s, p.Name.Name.String(), nil)
			case *ast.PropertyKeyed:
				in.declarePattern(p.Value, s)
			}
		}
		if t.Rest != nil {
			in.declarePattern(t.Rest, s)
		}
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			if e != nil {
				in.declarePattern(e, s)
			}
		}
		if t.Rest != nil {
			in.declarePattern(t.Rest, s)
		}
	case *ast.AssignExpression:
		in.declarePattern(t.Left, s)
	case *ast.Binding:
		in.declarePattern(t.Target, s)
	}
}

// statements runs a list until a way ends.
func (in *interp) statements(list []ast.Statement, s *scope, u *unit) {
	for _, st := range list {
		if in.state.dead {
			return
		}
		in.statement(st, s, u, "")
	}
}

// statement runs one statement. label is the label in front of it.
func (in *interp) statement(st ast.Statement, s *scope, u *unit, label string) {
	in.budget.tick()
	in.nesting.syntax++
	defer func() { in.nesting.syntax-- }()
	if in.nesting.syntax > maxNest {
		in.budget.stop()
	}
	switch st := st.(type) {
	case *ast.ExpressionStatement:
		in.eval(st.Expression, s, u)
	case *ast.VariableStatement:
		for _, b := range st.List {
			in.bindInit(b, s, u)
		}
	case *ast.LexicalDeclaration:
		for _, b := range st.List {
			in.bindInit(b, s, u)
		}
	case *ast.ClassDeclaration:
		v := in.class(st.Class, s, u)
		if st.Class.Name != nil {
			in.journal.write(in.heap.declare(s, st.Class.Name.Name.String(), nil), v)
		}
	case *ast.BlockStatement:
		in.state.labelled(label, func() { in.block(st.List, s, u) })
	case *ast.IfStatement:
		in.ifStatement(st, s, u)
	case *ast.ReturnStatement:
		v := undefined()
		if st.Argument != nil {
			v = in.eval(st.Argument, s, u)
		}
		if !in.state.dead {
			in.state.leave(s.function().fn, false, v)
		}
	case *ast.ThrowStatement:
		in.state.throw(in.eval(st.Argument, s, u), in.turn.maxThrown())
	case *ast.BranchStatement:
		in.state.branch(st)
	case *ast.TryStatement:
		in.try(st, s, u)
	case *ast.SwitchStatement:
		in.switchStatement(st, s, u, label)
	case *ast.ForStatement:
		in.forStatement(st, s, u, label)
	case *ast.WhileStatement:
		in.loop(label, &scope{up: s}, u, st.Test, nil, func(inner *scope) { in.statement(st.Body, inner, u, "") }, false)
	case *ast.DoWhileStatement:
		in.loop(label, &scope{up: s}, u, st.Test, nil, func(inner *scope) { in.statement(st.Body, inner, u, "") }, true)
	case *ast.ForOfStatement:
		in.forOf(st.Into, in.heap.elements(in.eval(st.Source, s, u)), st.Body, s, u, label)
	case *ast.ForInStatement:
		in.forOf(st.Into, in.heap.keysOf(in.eval(st.Source, s, u)), st.Body, s, u, label)
	case *ast.LabelledStatement:
		in.statement(st.Statement, s, u, st.Label.Name.String())
	case *ast.WithStatement:
		in.eval(st.Object, s, u)
		in.statement(st.Body, s, u, "")
	}
}

// bindInit runs one binding of a declaration. "let x" sets undefined; "var x" leaves what a
// parameter of the same name holds.
func (in *interp) bindInit(b *ast.Binding, s *scope, u *unit) {
	if b.Initializer == nil {
		if id, ok := b.Target.(*ast.Identifier); ok {
			if sl := s.lookup(id.Name.String()); sl != nil && sl.v == nil {
				in.journal.write(sl, undefined())
			}
		}
		return
	}
	v := in.named(b.Initializer, b.Target, s, u)
	in.bind(b.Target, v, s, u, false)
}

// ifStatement is the source of most facts: a guard is an if with a throw or return on one side.
func (in *interp) ifStatement(st *ast.IfStatement, s *scope, u *unit) {
	yes, no := choices(in.eval(st.Test, s, u))
	in.state.either(yes, no, func() { in.statement(st.Consequent, &scope{up: s}, u, "") }, func() {
		if st.Alternate != nil {
			in.statement(st.Alternate, &scope{up: s}, u, "")
		}
	})
}

// switchStatement compares the value with one case after the other. From each case that may
// match, the statements run to the next break, in a fork. Behind a case, the facts of "not equal"
// hold for those that follow; the default comes last, wherever it stands.
//
//	switch (request.params.name) { case "read_file": …   // each case knows its tool
func (in *interp) switchStatement(st *ast.SwitchStatement, s *scope, u *unit, label string) {
	v := in.eval(st.Discriminant, s, u)
	inner := &scope{up: s}
	for _, c := range st.Body {
		in.hoist(c.Consequent, inner, u)
	}
	f := in.state.push(frameSwitch, label)
	otherwise, fallback, decided := choice{possible: true}, -1, false
	for i, c := range st.Body {
		if c.Test == nil {
			fallback = i
			continue
		}
		// decided: an earlier case matches for certain, so no later one is compared.
		yes, no := choices(in.equal(v, in.eval(c.Test, inner, u), true))
		if decided || !yes.possible {
			continue
		}
		decided = !no.possible
		if w, alive := in.state.fork(yes, func() { in.cases(st.Body[i:], inner, u) }); alive {
			f.ways = append(f.ways, w)
		}
		// Cases behind this one are reached only where it does not match.
		in.state.facts = in.state.facts.and(no.facts)
		otherwise.free = yes.free
	}
	if !decided {
		w, alive := in.state.fork(otherwise, func() {
			if fallback >= 0 {
				in.cases(st.Body[fallback:], inner, u)
			}
		})
		if alive {
			f.ways = append(f.ways, w)
		}
	}
	in.state.dead = true
	in.journal.undo(f.mark)
	in.state.pop(f)
	in.state.meet(f.ways, false)
}

// cases runs the statements of cases, falling through from one to the next.
func (in *interp) cases(list []*ast.CaseStatement, s *scope, u *unit) {
	for _, c := range list {
		in.statements(c.Consequent, s, u)
	}
}

// forStatement is for (init; test; update).
func (in *interp) forStatement(st *ast.ForStatement, s *scope, u *unit, label string) {
	inner := &scope{up: s}
	switch init := st.Initializer.(type) {
	case *ast.ForLoopInitializerExpression:
		in.eval(init.Expression, s, u)
	case *ast.ForLoopInitializerVarDeclList:
		for _, b := range init.List {
			in.bindInit(b, s, u)
		}
	case *ast.ForLoopInitializerLexicalDecl:
		for _, b := range init.LexicalDeclaration.List {
			in.declarePattern(b.Target, inner)
			in.bindInit(b, inner, u)
		}
	}
	in.loop(label, inner, u, st.Test, st.Update, func(inner *scope) { in.statement(st.Body, inner, u, "") }, false)
}

// loop runs a body as long as the test is known to be true, and twice where it is unknown. Two
// rounds are enough for a value that one round writes and the next one reads:
//
//	let r = "/srv/a", s = "/srv/b"
//	for (const e of list) { r = s; s = p }   // r is p from the second round on
//
// A chain of three such variables is missed. There is no fixed point: facts about texts have no
// useful widening, and each further round costs as much as the body.
//
// The way on which the very first test fails is dropped. A loop that checks the elements of an
// argument then counts as a check, although there is no check of an empty list: there is no
// attack in that either.
func (in *interp) loop(label string, s *scope, u *unit, test, update ast.Expression, body func(*scope), bodyFirst bool) {
	f := in.state.push(frameLoop, label)
	// Nested loops multiply their rounds; the counter makes inner ones run less often.
	in.nesting.loops++
	defer func() { in.nesting.loops-- }()
	unknownRounds := in.unknownRounds()
	var left []way // ways on which the test failed
	for range in.turn.rounds() {
		if in.state.dead {
			break
		}
		sure := false
		// sure: the test is known to be true, and the round counts as one that is told apart.
		if test != nil && !bodyFirst {
			yes, no := choices(in.eval(test, s, u))
			// The test is known to fail: this way leaves the loop, and nothing else goes on.
			if !yes.possible {
				in.state.facts = in.state.facts.and(no.facts)
				f.ways = append(f.ways, in.state.here(f.mark))
				in.state.dead = true
				break
			}
			sure = !no.possible
			if !sure {
				w := in.state.here(f.mark)
				w.facts = w.facts.and(no.facts)
				left = append(left, w)
				in.state.facts = in.state.facts.and(yes.facts)
			}
		}
		in.state.frames = f
		in.journal.rise()
		body(s)
		in.state.again(f)
		if in.state.dead {
			break
		}
		if update != nil {
			in.eval(update, s, u)
		}
		// Only the first round of do … while runs without its test.
		bodyFirst = bodyFirst && test == nil
		if !sure || test == nil {
			if unknownRounds--; unknownRounds <= 0 {
				break
			}
		}
	}
	if len(left) > 1 || len(left) == 1 && !in.state.dead {
		// The way around the loop is dropped (see above).
		left = left[1:]
	}
	f.ways = append(f.ways, left...)
	if constTrue(test) {
		in.state.dead = true // only a break leaves it
	}
	in.state.end(f)
}

// bounded joins the elements past a number of rounds, so that they are gone through together.
func (q sequence) bounded(rounds int) sequence {
	if len(q.known) <= rounds {
		return q
	}
	return sequence{q.known[:rounds], join(sequence{known: q.known[rounds:]}.all(), q.rest)}
}

// unknownRounds is how often the body of a loop runs when nobody knows how often it would. The
// inner loops of deep nests run once, because the outer ones repeat them.
func (in *interp) unknownRounds() int {
	if in.nesting.loops > 2 || in.turn.widened() {
		return 1
	}
	return 2
}

// constTrue reports whether a test is always true: nothing but break or return leaves such a
// loop.
func constTrue(test ast.Expression) bool {
	switch t := test.(type) {
	case nil:
		return true
	case *ast.BooleanLiteral:
		return t.Value
	case *ast.UnaryExpression: // minified: !0
		n, ok := t.Operand.(*ast.NumberLiteral)
		return t.Operator == token.NOT && ok && n.Literal == "0"
	case *ast.NumberLiteral:
		return t.Literal != "0"
	}
	return false
}

// forOf runs a body for each known element, and twice with all others joined.
func (in *interp) forOf(into ast.ForInto, list sequence, body ast.Statement, s *scope, u *unit, label string) {
	f := in.state.push(frameLoop, label)
	in.nesting.loops++
	round := func(v Value) {
		in.journal.rise()
		inner := &scope{up: s}
		switch into := into.(type) {
		case *ast.ForIntoVar:
			in.bind(into.Binding.Target, v, inner, u, false)
		case *ast.ForDeclaration:
			in.declarePattern(into.Target, inner)
			in.bind(into.Target, v, inner, u, false)
		case *ast.ForIntoExpression:
			in.assign(into.Expression, v, inner, u)
		}
		in.statement(body, inner, u, "")
		in.state.again(f)
	}
	list = list.bounded(in.turn.rounds())
	for _, v := range list.known {
		if in.state.dead {
			break
		}
		in.state.frames = f
		round(v)
	}
	if len(list.rest) > 0 {
		for i := 0; i < in.unknownRounds() && !in.state.dead; i++ {
			in.state.frames = f
			round(list.rest)
		}
	}
	in.nesting.loops--
	in.state.end(f)
}
