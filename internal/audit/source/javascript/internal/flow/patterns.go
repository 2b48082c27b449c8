// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"regexp"
	"strings"

	"github.com/dop251/goja/parser"
)

// Regular expressions. Those of Go run in linear time, so a pattern from the program cannot stall
// the analysis; patterns that Go cannot express prove nothing.

// compilePattern translates a regular expression of JavaScript to Go, or returns nil where Go has
// nothing like it (look-ahead, back references). A guard with such a pattern proves nothing. Long
// patterns are refused: they are tables, and slow to compile.
func compilePattern(pattern, flags string) *regexp.Regexp {
	if len(pattern) > 4000 {
		return nil
	}
	s, err := safeTransform(pattern, strings.Contains(flags, "s"), strings.Contains(flags, "u"))
	if err != nil {
		return nil
	}
	mode := ""
	for _, f := range "im" {
		if strings.ContainsRune(flags, f) {
			mode += string(f)
		}
	}
	// The flags g and y change the place where a match begins, which tries do not depend on.
	if mode != "" {
		s = "(?" + mode + ")" + s
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil
	}
	return re
}

// safeTransform calls goja's translation, which panics on some patterns.
func safeTransform(pattern string, dotAll, unicode bool) (s string, err error) {
	defer func() {
		if recover() != nil {
			err = errPattern
		}
	}()
	return parser.TransformRegExp(pattern, dotAll, unicode)
}

// regexOf is the pattern of a value that is one regular expression.
func regexOf(v Value) *regexp.Regexp {
	if len(v) == 1 && v[0].kind == isObject && v[0].obj.native == "RegExp" && v[0].obj.schema != nil {
		return v[0].obj.schema.pattern
	}
	return nil
}

// matches is r.test(v): the pattern is tried on the attacks. It learns nothing for undefined,
// which some patterns match as the text "undefined".
func (st *state) matches(v Value, r *regexp.Regexp) Value {
	return st.holds(textOf(v.present()), nil, func(s, _ string) ternary { return tern(r.MatchString(s)) })
}

// matchText is text.match(r): null, or groups that are pieces of the text. Being an object at all
// is the proof that the pattern matched.
func (in *interp) matchText(this, pattern Value, key string) Value {
	r := regexOf(pattern)
	if r == nil {
		o := in.heap.newArray()
		o.array.rest = pieceOf(this)
		return join(objectOf(o), Value{{kind: isNull, dep: this.depends()}})
	}
	if s, ok := this.one(); ok {
		m := r.FindStringSubmatch(s)
		if m == nil {
			return Value{{kind: isNull}}
		}
		o := in.heap.newArray()
		for _, g := range m {
			o.array.list = append(o.array.list, constant(g))
		}
		return objectOf(o)
	}
	o := in.heap.newArray()
	o.array.rest = pieceOf(this)
	groups := in.heap.newObject("")
	groups.any = &slot{content: content{v: o.array.rest}}
	in.heap.set(o, "groups", objectOf(groups))
	var out Value
	// The groups carry the facts of a match, and null those of no match.
	truthy, falsy := sides(in.state.matches(this, r))
	for _, a := range truthy {
		out = join(out, objectOf(o).given(a.under, a.free))
	}
	for _, a := range falsy {
		out = join(out, Value{{kind: isNull, dep: true, under: a.under}})
	}
	if key == "matchAll" {
		list := in.heap.newArray()
		list.array.rest = objectOf(o)
		return objectOf(list)
	}
	return out
}

// replace is text.replace(pattern, with). For each family it is tried whether the function
// removes all of its attacks; if so, the hole is safe from the family.
//
//	name.replace(/[^a-z]/g, "")     // nothing is left of any attack on a path or a shell
//	name.replace("..", "")          // "....//" is not tried, but "../../etc" survives
//
// A function as the replacement is called, and counts as one that puts in something harmless.
func (in *interp) replace(this Value, args []Value, key string, at position) Value {
	with, okWith := arg(args, 1).one()
	if len(callable(arg(args, 1))) > 0 {
		in.call(arg(args, 1), undefined(), []Value{pieceOf(this)}, at)
		with, okWith = "_", true
	}
	apply := func(s string) (string, bool) {
		if !okWith {
			return "", false
		}
		if r := regexOf(arg(args, 0)); r != nil {
			// "$&" and "$" mean something else to Go's engine.
			repl := strings.ReplaceAll(strings.ReplaceAll(with, "$&", "${0}"), "$$", "$$$$")
			if arg(args, 0)[0].obj.schema.global || key == "replaceAll" {
				return r.ReplaceAllString(s, repl), true
			}
			loc := r.FindStringIndex(s)
			if loc == nil {
				return s, true
			}
			return s[:loc[0]] + r.ReplaceAllString(s[loc[0]:loc[1]], repl) + s[loc[1]:], true
		}
		if c, ok := arg(args, 0).one(); ok && arg(args, 0)[0].kind == isText {
			if key == "replaceAll" {
				return strings.ReplaceAll(s, c, with), true
			}
			return strings.Replace(s, c, with, 1), true
		}
		return "", false
	}
	out := append(Value(nil), this...)
	for i, a := range out {
		text := append([]part(nil), a.text...)
		for j, p := range text {
			switch {
			case p.hole != nil:
				h := *p.hole
				h.safe |= cleaned(h, apply)
				text[j].hole = &h
			case !p.unknown:
				if s, ok := apply(p.s); ok && len(s) <= maxText {
					text[j].s = s
				} else {
					text[j] = part{unknown: true}
				}
			}
		}
		out[i].text, out[i].open = text, false
	}
	// The caller's text is put into another one.
	if with := textOf(arg(args, 1)); len(with.tainted()) > 0 { // the replacement
		out = join(out, concat(this, with))
	}
	return out
}
