// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/dop251/goja/ast"
)

// Values: the sets of alternatives in the walk's computations, and the texts with arguments in
// them.

// A kind tells the alternatives of a value apart. There is no kind for functions, arrays or
// promises: these are objects, told apart by their fields.
type kind uint8

const (
	isUndefined kind = iota
	isNull
	isBool // b
	// either true or false; yes and no of the atom hold what each of the two proves
	isTruth
	isNumber // n
	// a text; parts of it may be unknown or come from the caller
	isText
	isObject // obj
	// something outside the program, by its name: "fs.readFile", "zod", "String.trim"
	isNative
	// anything at all, but nothing the caller can shape into an attack (see Atom.dep)
	isUnknown
)

// A Value is the set of things that an expression may be, one atom for each. Without atoms it is
// a variable before its first assignment.
//
//	const file = x ? "/srv/a" : args.path   // two atoms: a constant, and a text with a hole
//
// The set is not complete: unknown stands for everything that the analysis cannot follow. A value
// is never changed in place, because many slots share it; functions here return a new one.
type Value []Atom

// An Atom is one alternative of a value.
//
// Three of its fields are facts about arguments, and they differ in when they hold:
//
//	under   in every run in which the value is this alternative
//	yes     in every run in which this alternative was tested and is truthy
//	no      in every run in which it was tested and is falsy
//
// So a guard's result carries its meaning along until somebody branches on it:
//
//	const ok = p.startsWith("/srv/")   // isTruth, yes: p does not leave /srv
//	if (!ok) return                    // not() swaps yes and no; behind it, yes is known
type Atom struct {
	kind kind
	b    bool
	// dep: the value rests on an argument in a way that is not followed, as a length or the
	// result of a comparison does. No attack is in it, but a branch on it is the caller's choice.
	dep bool
	// open: a text that the caller may as well have sent as an object or a list, because nothing
	// looked at its type so far. Reading a property of it gives a field of the arguments.
	open bool
	// free: the configuration alone chose this alternative, as in process.env.STRICT ? a : b.
	free bool
	n    float64
	text []part
	obj  *Object
	name string
	// tool is the tool whose name chose this alternative, as in handlers[name].
	tool string
	// pick is the tool that is called where this truth is true, as in name === "read_file".
	pick string

	under   facts
	yes, no facts
}

// A part is a piece of a text: a constant, a hole for an argument, or something unknown that does
// not come from the caller, as a configured folder. `/srv/${dir}/${args.name}` has five parts.
type part struct {
	s       string
	hole    *hole
	unknown bool
}

// A form says what of an argument stands in a hole, as far as guards and sinks care. Each form
// has its own attacks (predicate.go): "../x" is an attack in a raw path, but cannot occur in a
// resolved one, where the same attack looks like "/etc/passwd".
type form uint8

const (
	// as the caller sent it
	formRaw form = iota
	// a URL, parsed and written again
	formURL
	formHost
	// the addresses that a host name resolved to
	formAddress
	// the scheme, port or user of a URL: a guard of these proves nothing about the host
	formScheme
	// an absolute path without ".."
	formResolved
	// an absolute path without ".." and without symbolic links
	formReal
	// joined to a folder, without ".." behind it
	formJoined
	// the path from a root to the argument, as path.relative gives it
	formRelative
	// a piece of a text that was split, cut or matched
	formPiece
	// the name of a range of addresses, as ipaddr.js gives it: "loopback"
	formRange
	// the result of typeof
	formType
	// a part without danger of its own: an extension, a port
	formOther
	// quoted for a shell
	formQuoted
)

// A hole is the place of an argument in a text. It is copied on every change, since several texts
// may hold the same one.
type hole struct {
	origin *origin
	form   form
	// joined to a folder: a constant or configured path stands in front
	rooted bool
	// normalised: ".." can only stand at the beginning
	normal bool
	// of an address: it came from dns.lookup, which gives an address back as it is
	lookup bool
	// families that a function removed from this text, as basename removes ".."
	safe Bits
	// it went through a schema
	parsed bool
	// the text was cut at white space: each piece can become an argument of its own
	split bool
	// any field of the origin: the name of the field is unknown so far
	wild bool
	// how the value came here
	step *step
}

// An origin is one field of the arguments, for one run of a handler. Facts are about origins and
// not about values: a check of one copy of an argument holds for all copies.
//
//	const q = p; inside(q); read(p)   // p is checked
//
// This is sound because arguments are texts, and a text never changes.
type origin struct {
	id      int
	pointer string
}

// A step is a place on the way of a value. Steps form a list from the newest to the oldest, and
// values share their tails.
type step struct {
	prev  *step
	at    position
	note  string
	depth int
}

// A slot is a place that can be written: a variable, a property, or the elements of an array.
type slot struct {
	content
	// born is the journal's clock when the slot was made. A younger slot than the open mark needs
	// no note before a write.
	born int
	// mark and index are scratch fields for one pass over many slots; journal.epoch tells whose
	// they are.
	mark, index int
	// wait is the declaration that sets the slot, where it was put off.
	wait *deferred
}

// content is everything in a slot that a write can change: the journal saves one struct. An array
// keeps the elements of known index in list and joins all others into rest; neither says how long
// the array is.
type content struct {
	v    Value
	list []Value // of an array
	rest Value   // elements whose index is not known
}

// An Object stands for all objects that one expression made on one pass of the walk: plain
// objects, arrays, functions, classes, instances, maps, and instances of native classes.
type Object struct {
	id    int
	props map[string]*slot
	// the names of props in the order of their first writes: JSON, loops and schemas depend on it
	keys    []string
	getters map[string]Value
	proto   *Object
	array   *slot
	call    *closure
	class   *class
	// native is the class of an object of the language, Node.js or a package: "URL", "Map",
	// "zod".
	native string
	// any joins the values of all properties whose names are unknown.
	any    *slot
	schema *schema
	// data is the value that a URL, promise, stream or iterator was made of.
	data Value
	// request is the MCP method whose schema this object is: "tools/call".
	request string

	// options are the first arguments of the constructor of a native class.
	options  []Value
	networks []netip.Prefix
}

// A closure is a function of the program, with the scope that it sees. begin and end are its
// place in the text of the file; bound are the arguments of a bind().
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
	// home is the class of a method; super is looked up from it.
	home  *class
	begin int
	end   int
	bound []Value
	node  ast.Node

	generator bool
}

// A class of the program. Its constructor is the object ctor; instances have protoObject as their
// prototype. The last four fields are for containers (inject.go).
type class struct {
	name   string
	ctor   *Object
	parent Value
	// the constructor function, if the class has one of its own
	init   Value
	fields []*ast.FieldDefinition
	scope  *scope
	file   *unit

	protoObject *Object

	// tokens are what a container passes to the constructor, by the parameter's index.
	tokens map[int]want
	// members are what a container writes to properties.
	members map[string]want
	// types are the types of the constructor's parameters.
	types []Value
	// typesOf is a function that returns types. It is called late, since files load each other in
	// circles.
	typesOf Value
}

// informs reports whether the atom carries facts.
func (a *Atom) informs() bool { return a.under.list != nil || a.yes.list != nil || a.no.list != nil }

// Constructors of values with one alternative. unknownDep is something unknown that rests on an
// argument, anyTruth either true or false; constant is a text without holes.
func undefined() Value         { return Value{{kind: isUndefined}} }
func unknown() Value           { return Value{{kind: isUnknown}} }
func unknownDep() Value        { return Value{{kind: isUnknown, dep: true}} }
func constant(s string) Value  { return Value{{kind: isText, text: []part{{s: s}}}} }
func number(n float64) Value   { return Value{{kind: isNumber, n: n}} }
func truth(b bool) Value       { return Value{{kind: isBool, b: b}} }
func anyTruth(dep bool) Value  { return Value{{kind: isTruth, dep: dep}} }
func native(name string) Value { return Value{{kind: isNative, name: name}} }
func objectOf(o *Object) Value { return Value{{kind: isObject, obj: o}} }

// maxAtoms bounds the alternatives of a value. Every comparison and concatenation multiplies the
// alternatives of both sides, so the bound is small. maxParts bounds the parts of a text, maxText
// the bytes of a constant part. Past these bounds a text loses constants before it loses holes.
const (
	maxAtoms = 16
	maxParts = 64
	maxText  = 4096
)

// same reports whether two atoms are one alternative. Facts are left out: join takes those that
// both have. NaN is the same as NaN here, or a loop would add one at each round.
func (a *Atom) same(b *Atom) bool {
	return a.kind == b.kind && a.b == b.b && (a.n == b.n || a.n != a.n && b.n != b.n) && a.obj == b.obj && a.name == b.name &&
		a.dep == b.dep && a.open == b.open && a.tool == b.tool && a.pick == b.pick && a.free == b.free && sameText(a.text, b.text)
}

// join is the union of two values. An alternative in both keeps only the facts that hold in both:
//
//	let r = p
//	if (ok(p)) { … }    // behind it r is p on both ways, and nothing is known of p
//
// The result shares memory with v where nothing has to be added, which is the common case in
// loops.
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

// limit drops alternatives when there are too many, and puts unknown in front for them. Objects
// and texts with holes stay longest: a dropped constant can at worst hide a weakness in the
// program's own constants, a dropped hole hides one that the caller can use.
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

// full reports whether limit has already dropped alternatives. From then on join does not try to
// add alternatives that limit would drop again.
func full(v Value) bool { return len(v) == maxAtoms && v[0].same(&Atom{kind: isUnknown}) }

// matters reports whether limit keeps an alternative longest.
func (a *Atom) matters() bool { return a.kind == isObject || a.kind == isText && tainted(a.text) }

// negligible is the opposite of matters, for slices.ContainsFunc.
func (a Atom) negligible() bool { return !a.matters() }

// tainted returns the holes of all alternatives.
func (v Value) tainted() []*hole {
	var list []*hole
	for _, a := range v {
		list = append(list, holes(a.text)...)
	}
	return list
}

// depends reports whether the value rests on an argument, directly or in a way that is not
// followed.
func (v Value) depends() bool {
	for _, a := range v {
		if a.dep || tainted(a.text) {
			return true
		}
	}
	return false
}

// given adds facts to each alternative: they hold in every run in which the value is one of
// these.
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

// constText returns the text of an atom if all of it is known. A number counts as its text, since
// keys and comparisons treat 1 and "1" alike.
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

// one returns the constant text of a value with a single alternative.
func (v Value) one() (string, bool) {
	if len(v) != 1 {
		return "", false
	}
	return v[0].constText()
}

// words returns all constant texts among the alternatives.
func (v Value) words() []string {
	var list []string
	for _, a := range v {
		if s, ok := a.constText(); ok {
			list = append(list, s)
		}
	}
	return list
}

// num returns the number of a value with a single alternative.
func (v Value) num() (float64, bool) {
	if len(v) == 1 && v[0].kind == isNumber {
		return v[0].n, true
	}
	return 0, false
}

// formatNumber writes a number as a property key. Exponents do not matter to keys and paths.
func formatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// present leaves undefined and null out of a value that may be anything else. An argument that
// was not sent passes most guards, but there is no attack in it either, so it must not count as a
// way past the guard.
func (v Value) present() Value {
	some := slices.DeleteFunc(slices.Clone(v), func(a Atom) bool { return a.kind == isUndefined || a.kind == isNull })
	if len(some) == 0 {
		return v
	}
	return some
}
