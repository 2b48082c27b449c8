// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
)

// A guard is a part of a condition that can be answered without CEL: comparisons of an argument, or
// of a property of the session, with literals. If none of its tests holds, and each was made on a
// text, the condition is false. Nothing else in it can change that, not even an error, because
// false && error is false in CEL. A nil guard says nothing.
type guard []test

// A test compares the text in a place with a literal.
type test struct {
	place   place
	literal string
	relation
}

// A relation is the literal's to the text.
type relation byte

const (
	whole relation = iota // they are the same
	prefix
	suffix
	part
)

// A place is a field below args or session, as names joined by U+0000, which no key holds.
type place string

func newPlace(names []string) place { return place(strings.Join(names, "\x00")) }

// maxTests bounds the tests of a guard. A condition with more is evaluated each time.
const maxTests = 1024

// guardOf returns the guard of a checked condition.
func guardOf(checked *ast.AST) guard {
	g := guardOfExpr(checked, checked.Expr())
	if len(g) > maxTests {
		return nil
	}
	return g
}

func guardOfExpr(checked *ast.AST, e ast.Expr) guard {
	if e.Kind() != ast.CallKind {
		return nil
	}
	c := e.AsCall()
	switch args := c.Args(); c.FunctionName() {
	case operators.LogicalAnd: // any of its parts will do: the one with the fewest tests is the best
		var best guard
		for _, arg := range args {
			if g := guardOfExpr(checked, arg); g != nil && (best == nil || len(g) < len(best)) {
				best = g
			}
		}
		return best
	case operators.LogicalOr: // all of its parts must be false
		var all guard
		for _, arg := range args {
			g := guardOfExpr(checked, arg)
			if g == nil {
				return nil
			}
			all = append(all, g...)
		}
		return all
	case operators.Equals:
		if g := compared(checked, args[0], whole, args[1]); g != nil {
			return g
		}
		return compared(checked, args[1], whole, args[0])
	case operators.In:
		if args[1].Kind() == ast.ListKind && args[1].AsList().Size() > 0 {
			return compared(checked, args[0], whole, args[1].AsList().Elements()...)
		}
	case overloads.StartsWith:
		return compared(checked, c.Target(), prefix, args...)
	case overloads.EndsWith:
		return compared(checked, c.Target(), suffix, args...)
	case overloads.Contains:
		return compared(checked, c.Target(), part, args...)
	}
	return nil
}

// compared returns the guard of a comparison of e with any of some expressions, which must be literals.
func compared(checked *ast.AST, e ast.Expr, as relation, with ...ast.Expr) guard {
	// A text in a place of another type is an error of the condition, and no answer.
	switch checked.GetType(e.ID()).Kind() {
	case types.StringKind, types.DynKind:
	default:
		return nil
	}
	names := namesOf(e)
	if len(names) < 2 || names[0] != "args" && names[0] != "session" {
		return nil
	}
	var g guard
	for _, w := range with {
		literal, ok := literalOf(w)
		if !ok {
			return nil
		}
		g = append(g, test{newPlace(names), literal, as})
	}
	return g
}

func literalOf(e ast.Expr) (literal string, ok bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// namesOf returns the names in an expression like args.a.b or args["a"].b, nil for any other.
func namesOf(e ast.Expr) []string {
	switch e.Kind() {
	case ast.IdentKind:
		return []string{e.AsIdent()}
	case ast.SelectKind:
		s := e.AsSelect()
		if names := namesOf(s.Operand()); names != nil && !s.IsTestOnly() {
			return append(names, s.FieldName())
		}
	case ast.CallKind:
		c := e.AsCall()
		if c.FunctionName() != operators.Index {
			return nil
		}
		if key, ok := literalOf(c.Args()[1]); ok {
			if names := namesOf(c.Args()[0]); names != nil {
				return append(names, key)
			}
		}
	}
	return nil
}

// An index finds the rules whose guards do not already say that they are false. Its sets of rules
// are bits, by the rules' places in the list.
type index struct {
	unguarded bits
	places    []indexedPlace
}

// An indexedPlace holds the rules that test the text in one place.
type indexedPlace struct {
	names    []string
	rules    bits             // all of them, if the place holds no text
	equal    map[string][]int // by the literal
	prefixes map[string][]int // by the literal
	lengths  []int            // of the prefixes, in bytes, ascending
	searched []searched
}

// A searched literal is looked for in the text of its place.
type searched struct {
	test
	rule int
}

// maxSearched bounds a text that all literals are looked for in, in bytes. CEL looks for them in a
// longer one, because it counts what that costs.
const maxSearched = 4 << 10

type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

func newIndex(rules []planned) *index {
	x := &index{unguarded: newBits(len(rules))}
	places := map[place]*indexedPlace{}
	for i, r := range rules {
		if r.guard == nil || r.stale {
			x.unguarded.set(i)
			continue
		}
		for _, t := range r.guard {
			p := places[t.place]
			if p == nil {
				p = &indexedPlace{strings.Split(string(t.place), "\x00"), newBits(len(rules)), map[string][]int{}, map[string][]int{}, nil, nil}
				places[t.place] = p
			}
			p.rules.set(i)
			switch t.relation {
			case whole:
				p.equal[t.literal] = append(p.equal[t.literal], i)
			case prefix:
				p.prefixes[t.literal] = append(p.prefixes[t.literal], i)
				p.lengths = append(p.lengths, len(t.literal))
			default:
				p.searched = append(p.searched, searched{t, i})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		p := places[name]
		slices.Sort(p.lengths)
		p.lengths = slices.Compact(p.lengths)
		x.places = append(x.places, *p)
	}
	return x
}

// candidates returns the rules that have to be evaluated for a call. Text returns the text in a
// place, and whether there is one.
func (x *index) candidates(text func(names []string) (string, bool)) bits {
	found := slices.Clone(x.unguarded)
	for _, p := range x.places {
		s, ok := text(p.names)
		if !ok {
			for i, word := range p.rules {
				found[i] |= word
			}
			continue
		}
		for _, i := range p.equal[s] {
			found.set(i)
		}
		for _, l := range p.searched {
			if len(s) > maxSearched || l.relation == suffix && strings.HasSuffix(s, l.literal) || l.relation == part && strings.Contains(s, l.literal) {
				found.set(l.rule)
			}
		}
		for _, n := range p.lengths {
			if n > len(s) {
				break
			}
			for _, i := range p.prefixes[s[:n]] {
				found.set(i)
			}
		}
	}
	return found
}

// text returns the text in a place of the call. Of a value of another kind, of a missing one, and of
// a property of the session that is not known, CEL has to say what becomes of the condition.
func (in *Input) text(names []string) (string, bool) {
	var v any
	switch names[0] {
	case "args":
		v = in.Args
	case "session":
		value := sessionProperties[names[1]]
		if value == nil {
			return "", false
		}
		v, names = value(in.Session), names[1:]
	}
	for _, name := range names[1:] {
		object, ok := v.(map[string]any)
		if !ok {
			return "", false
		}
		v = object[name]
	}
	s, ok := v.(string)
	return s, ok
}

var sessionProperties = func() map[string]func(any) any {
	values := map[string]func(any) any{}
	for _, p := range properties()[sessionType.TypeName()] {
		values[p.name] = p.value
	}
	return values
}()
