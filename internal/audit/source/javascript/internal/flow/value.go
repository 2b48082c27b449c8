// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
)

// A kind is what an atom is.
type kind uint8

const (
	isUndefined kind = iota
	isNull
	isBool    // b
	isTruth   // true or false, which is not known; yes and no say what follows
	isNumber  // n
	isText    // text, of which parts may not be known
	isObject  // obj
	isNative  // name: something of Node.js, the language or a package
	isUnknown // anything
)

// A Value is what an expression may be: one of its atoms. Without atoms it is what was never set.
type Value []Atom

// An Atom is one alternative.
type Atom struct {
	kind kind
	b    bool
	dep  bool // rests on an argument in a way that is not followed: a length, a comparison
	open bool // text that may as well be an object with fields from the caller
	free bool // chosen by the configuration alone
	n    float64
	text []part
	obj  *Object
	name string
	tool string // the tool whose name chose this alternative
	pick string // the tool that is called where this is true

	under   facts // holds where the value is this alternative
	yes, no facts // hold where the value is truthy, falsy
}

// A part of a text is a constant, a hole for an argument, or unknown.
type part struct {
	s       string
	hole    *hole
	unknown bool
}

// A form is what of an argument stands in a hole, where that matters to guards.
type form uint8

const (
	formRaw form = iota
	formURL      // parsed and written again
	formHost
	formAddress  // what a host resolved to
	formScheme   // of a URL; nothing a guard of it says concerns the host
	formResolved // an absolute path without ".."
	formReal     // and without symbolic links
	formJoined   // to a folder; without ".."
	formRelative // from a root
	formPiece    // of a text that was split or cut
	formRange    // the name of a range of addresses, as ipaddr.js has them
	formType     // what typeof says
	formOther    // an extension, a port
	formQuoted   // for a shell
)

// A hole is where an argument stands in a text.
type hole struct {
	origin *origin
	form   form
	rooted bool  // joined to a folder
	normal bool  // without ".." but at its beginning
	lookup bool  // of an address: what is no name is resolved to itself
	safe   Bits  // families that no longer are in what stands here
	parsed bool  // went through a schema
	split  bool  // cut at white space
	wild   bool  // any field of the origin, whose name is not known
	step   *step // how it came here
}

// An origin is one field of the arguments of one tool's handler.
type origin struct {
	id      int
	pointer string
}

// A step is a place on the way of a value, newest first.
type step struct {
	prev  *step
	at    position
	note  string
	depth int
}

// A slot is what can be written: a variable, a property, the elements of an array.
type slot struct {
	content
	born        int // the interp's clock when it was made
	mark, index int // notes of whoever goes through many slots
	wait        *deferred
}

// content is what a slot holds.
type content struct {
	v    Value
	list []Value // of an array
	rest Value   // elements whose index is not known
}

// An Object is an object, array, function, class or map.
type Object struct {
	id      int
	props   map[string]*slot
	keys    []string // in the order they were set
	getters map[string]Value
	proto   *Object
	array   *slot
	call    *closure
	class   *class
	native  string // the class of something of Node.js or a package: "URL", "zod"
	any     *slot  // properties whose name is not known
	schema  *schema
	data    Value  // what a URL, promise or stream was made of
	request string // the method that it is the schema of

	options  []Value // that an instance was made with
	networks []netip.Prefix
}

// A closure is a function of the program.
type closure struct {
	name   string
	params *ast.ParameterList
	body   ast.Node
	expr   bool
	vars   []*ast.VariableDeclaration
	scope  *scope
	this   Value
	arrow  bool
	file   *unit
	home   *class // for super
	begin  int
	end    int
	bound  []Value
	node   ast.Node

	generator bool
}

type class struct {
	name   string
	ctor   *Object
	parent Value
	init   Value // the constructor
	fields []*ast.FieldDefinition
	scope  *scope
	file   *unit

	protoObject *Object

	tokens  map[int]want // what a container gives to the constructor
	members map[string]want
	types   []Value // of its parameters
	typesOf Value   // a function that gives them
}

// informs says whether something is known where the value is this alternative.
func (a *Atom) informs() bool { return a.under.list != nil || a.yes.list != nil || a.no.list != nil }

func undefined() Value         { return Value{{kind: isUndefined}} }
func unknown() Value           { return Value{{kind: isUnknown}} }
func unknownDep() Value        { return Value{{kind: isUnknown, dep: true}} }
func constant(s string) Value  { return Value{{kind: isText, text: []part{{s: s}}}} }
func number(n float64) Value   { return Value{{kind: isNumber, n: n}} }
func truth(b bool) Value       { return Value{{kind: isBool, b: b}} }
func anyTruth(dep bool) Value  { return Value{{kind: isTruth, dep: dep}} }
func native(name string) Value { return Value{{kind: isNative, name: name}} }
func objectOf(o *Object) Value { return Value{{kind: isObject, obj: o}} }

// maxAtoms bounds the alternatives of a value, maxParts the parts of a text.
const (
	maxAtoms = 16
	maxParts = 64
	maxText  = 4096
)

func sameText(a, b []part) bool {
	return slices.EqualFunc(a, b, func(x, y part) bool {
		if x.hole != nil && y.hole != nil {
			return x.hole.origin == y.hole.origin && x.hole.form == y.hole.form && x.hole.split == y.hole.split && x.hole.safe == y.hole.safe && x.hole.rooted == y.hole.rooted && x.hole.normal == y.hole.normal && x.hole.lookup == y.hole.lookup && x.hole.wild == y.hole.wild && x.hole.parsed == y.hole.parsed
		}
		return x.s == y.s && x.unknown == y.unknown && x.hole == nil && y.hole == nil
	})
}

func (a *Atom) same(b *Atom) bool {
	return a.kind == b.kind && a.b == b.b && (a.n == b.n || a.n != a.n && b.n != b.n) && a.obj == b.obj && a.name == b.name &&
		a.dep == b.dep && a.open == b.open && a.tool == b.tool && a.pick == b.pick && a.free == b.free && sameText(a.text, b.text)
}

// join is either value.
func join(v, w Value) Value {
	if len(v) == 0 {
		return w
	}
	if len(w) == 0 || len(v) == len(w) && &v[0] == &w[0] {
		return v
	}
	out := v[:len(v):len(v)]
	owned := false
	for j := range w {
		b := &w[j]
		i := 0
		for i < len(out) && !out[i].same(b) {
			i++
		}
		if i == len(out) {
			if full(out) && !(b.matters() && slices.ContainsFunc(out[1:], Atom.negligible)) {
				continue
			}
			if !owned {
				out, owned = append(make(Value, 0, len(out)+len(w)-j), out...), true
			}
			out = append(out, *b)
			continue
		}
		if !out[i].informs() {
			continue
		}
		if !owned {
			out, owned = slices.Clone(out), true
		}
		out[i].under = out[i].under.or(b.under)
		out[i].yes = out[i].yes.or(b.yes)
		out[i].no = out[i].no.or(b.no)
	}
	return limit(out)
}

// limit drops alternatives when there are too many; those with arguments in them stay longest.
func limit(v Value) Value {
	if len(v) <= maxAtoms {
		return v
	}
	kept := make(Value, 1, maxAtoms)
	kept[0].kind = isUnknown
	for _, matters := range []bool{true, false} {
		for i := range v {
			if v[i].matters() == matters && len(kept) < maxAtoms && !v[i].same(&kept[0]) {
				kept = append(kept, v[i])
			}
		}
	}
	return kept
}

// full says whether limit dropped alternatives of a value: it has no room for others.
func full(v Value) bool { return len(v) == maxAtoms && v[0].same(&Atom{kind: isUnknown}) }

// matters says whether an alternative is one that limit keeps longest.
func (a *Atom) matters() bool { return a.kind == isObject || a.kind == isText && tainted(a.text) }

func (a Atom) negligible() bool { return !a.matters() }

func tainted(text []part) bool {
	for i := range text {
		if text[i].hole != nil {
			return true
		}
	}
	return false
}

func holes(text []part) []*hole {
	var list []*hole
	for _, p := range text {
		if p.hole != nil {
			list = append(list, p.hole)
		}
	}
	return list
}

// tainted are the holes of all alternatives.
func (v Value) tainted() []*hole {
	var list []*hole
	for _, a := range v {
		list = append(list, holes(a.text)...)
	}
	return list
}

// depends says whether the value rests on an argument.
func (v Value) depends() bool {
	for _, a := range v {
		if a.dep || tainted(a.text) {
			return true
		}
	}
	return false
}

// under adds what is known to each alternative.
func (v Value) given(f facts, free bool) Value {
	if f.list == nil && !free {
		return v
	}
	out := slices.Clone(v)
	for i := range out {
		out[i].under = out[i].under.and(f)
		out[i].free = out[i].free || free
	}
	return out
}

// constText is the text of an atom if all of it is known.
func (a Atom) constText() (string, bool) {
	switch a.kind {
	case isText:
		if len(a.text) == 0 {
			return "", true
		}
		if len(a.text) == 1 && a.text[0].hole == nil && !a.text[0].unknown {
			return a.text[0].s, true
		}
	case isNumber:
		return formatNumber(a.n), true
	}
	return "", false
}

// one is the constant text that the value is, if it is one only.
func (v Value) one() (string, bool) {
	if len(v) != 1 {
		return "", false
	}
	return v[0].constText()
}

// words are all constant texts among the alternatives.
func (v Value) words() []string {
	var list []string
	for _, a := range v {
		if s, ok := a.constText(); ok {
			list = append(list, s)
		}
	}
	return list
}

// num is the number that the value is.
func (v Value) num() (float64, bool) {
	if len(v) == 1 && v[0].kind == isNumber {
		return v[0].n, true
	}
	return 0, false
}

func formatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// parts writes an atom as text.
func (a Atom) parts() []part {
	switch a.kind {
	case isText:
		return a.text
	case isNumber:
		return []part{{s: formatNumber(a.n)}}
	case isUndefined:
		return []part{{s: "undefined"}}
	case isNull:
		return []part{{s: "null"}}
	case isBool:
		return []part{{s: strconv.FormatBool(a.b)}}
	case isTruth:
		return []part{{unknown: true}}
	}
	return []part{{unknown: true}}
}

// concat joins texts, in all combinations of the alternatives, within bounds.
func concat(v, w Value) Value {
	out := make(Value, 0, min(len(v)*len(w), maxAtoms))
	for i := range v {
		for j := range w {
			if len(out) >= maxAtoms {
				return limit(out)
			}
			a, b := &v[i], &w[j]
			c := Atom{kind: isText, text: appendParts(a.parts(), b.parts()...), tool: a.tool, dep: a.dep || b.dep, under: a.under.and(b.under)}
			k := 0
			for k < len(out) && !out[k].same(&c) {
				k++
			}
			if k == len(out) {
				out = append(out, c)
			} else {
				out[k].under = out[k].under.or(c.under)
			}
		}
	}
	if len(out) == 0 {
		return unknown()
	}
	return out
}

func appendParts(text []part, more ...part) []part {
	out := append(make([]part, 0, len(text)+len(more)), text...)
	for _, p := range more {
		if n := len(out); n > 0 && p.hole == nil && out[n-1].hole == nil {
			last := &out[n-1]
			if !p.unknown && !last.unknown && len(last.s)+len(p.s) <= maxText {
				last.s += p.s
				continue
			}
			if p.unknown && last.unknown {
				continue
			}
		}
		if len(out) >= maxParts && p.hole == nil {
			continue
		}
		if len(out) >= 2*maxParts {
			break
		}
		out = append(out, p)
	}
	return out
}

// reshape changes each hole of a value, and leaves out what is constant beside them: what a function
// makes of a text that it does not keep as it is.
func reshape(v Value, change func(h hole) hole) Value {
	var out Value
	for _, a := range v {
		list := holes(a.text)
		if len(list) == 0 {
			continue
		}
		var text []part
		for _, h := range list {
			n := change(*h)
			text = append(text, part{hole: &n})
		}
		if len(text) > 4 {
			text = text[:4]
		}
		out = join(out, Value{{kind: isText, text: text, under: a.under, dep: a.dep, tool: a.tool}})
	}
	if len(out) == 0 {
		return Value{{kind: isUnknown, dep: v.depends()}}
	}
	return out
}

// remap changes each hole of a value in its place.
func remap(v Value, change func(h hole) hole) Value {
	out := slices.Clone(v)
	for i, a := range out {
		if !tainted(a.text) {
			continue
		}
		text := slices.Clone(a.text)
		for j, p := range text {
			if p.hole != nil {
				n := change(*p.hole)
				text[j].hole = &n
			}
		}
		out[i].text = text
	}
	return out
}

// prefix is the constant text that a text begins with, and whether all before its first hole is
// free of arguments (it always is) and not empty.
func prefix(text []part) (s string, something bool) {
	var b strings.Builder
	for i, p := range text {
		if p.hole != nil {
			return b.String(), i > 0
		}
		if p.unknown {
			return b.String(), true
		}
		b.WriteString(p.s)
	}
	return b.String(), true
}

// present is a value without undefined and null, where it may be anything else: an argument that was
// not sent passes a guard, and nothing is to be said of it behind that.
func (v Value) present() Value {
	some := slices.DeleteFunc(slices.Clone(v), func(a Atom) bool { return a.kind == isUndefined || a.kind == isNull })
	if len(some) == 0 {
		return v
	}
	return some
}
