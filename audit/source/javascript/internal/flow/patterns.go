// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"regexp"
	"strings"

	"github.com/dop251/goja/parser"
)

// compilePattern makes a regular expression of Go of one of JavaScript, or none where Go has no such.
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
	if mode != "" {
		s = "(?" + mode + ")" + s
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil
	}
	return re
}

func safeTransform(pattern string, dotAll, unicode bool) (s string, err error) {
	defer func() {
		if recover() != nil {
			err = errPattern
		}
	}()
	return parser.TransformRegExp(pattern, dotAll, unicode)
}

func regexOf(v Value) *regexp.Regexp {
	if len(v) == 1 && v[0].kind == isObject && v[0].obj.native == "RegExp" && v[0].obj.schema != nil {
		return v[0].obj.schema.pattern
	}
	return nil
}

// matches says what it means that a text matches.
func (st *state) matches(v Value, r *regexp.Regexp) Value {
	return st.holds(textOf(v.present()), nil, func(s, _ string) ternary { return tern(r.MatchString(s)) })
}

// matchText is text.match: null, or pieces of the text.
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

// replace tells what is left of each attack.
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
	if with := textOf(arg(args, 1)); len(with.tainted()) > 0 { // what is put in
		out = join(out, concat(this, with))
	}
	return out
}
