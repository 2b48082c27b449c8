// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "slices"

// A Value is the knowledge of a value: its origins, and the things that it may be.
type Value struct {
	nodes  []*node
	objs   []*object
	fns    []*closure
	Native []string // functions, types and instances of libraries: "os.open", "io.BytesIO()"
	consts []string
	closed bool // it is one of consts and nothing else
	truth  truth
	cond   *cond
	pre    string // a literal at its beginning
	suf    string // a literal at its end
	whole  bool   // nothing was put in front of the tainted part, nor behind
	tool   bool   // it is the name of the tool that is called
	caller bool   // it depends on the caller, without text of the caller in it
	there  bool   // it is an element of a list, so it is something, perhaps empty
}

type truth uint8

// Bounds of the knowledge of one value.
const (
	maybe truth = iota
	truthy
	falsy
)

// Bounds of one value.
const (
	maxNodes  = 12
	maxObjs   = 6
	maxFns    = 12
	maxNative = 6
	maxConsts = 32
)

// Tainted reports whether some of the value comes from an argument.
func (v Value) Tainted() bool { return len(v.nodes) > 0 }

// String is the constant that the value is, if it is one.
func (v Value) String() (string, bool) {
	if v.closed && len(v.consts) == 1 {
		return v.consts[0], true
	}
	return "", false
}

// Strings are the constants that the value may be; false if it may be something else.
func (v Value) Strings() ([]string, bool) { return v.consts, v.closed && len(v.consts) > 0 }

// hangs reports that a value depends on the caller.
func (v Value) hangs() bool { return v.caller || v.tool || len(v.nodes) > 0 || hasArguments(v) }

func hasArguments(v Value) bool {
	for _, o := range v.objs {
		if o.kind == arguments {
			return true
		}
	}
	return false
}

// OfCaller is a harmless choice of the caller: a number.
func OfCaller() Value { return Value{caller: true} }

// Prefix is a literal at the beginning of the value, Suffix one at its end.
func (v Value) Prefix() string {
	if s, ok := v.String(); ok {
		return s
	}
	return v.pre
}

// Suffix is a literal that the value ends with.
func (v Value) Suffix() string {
	if s, ok := v.String(); ok {
		return s
	}
	return v.suf
}

// Is reports that the value may be this function, type or instance of a library.
func (v Value) Is(native string) bool { return slices.Contains(v.Native, native) }

// Callable reports that it is, or may be, a function of the program.
func (v Value) Callable() bool { return len(v.fns) > 0 }

// Identity tells functions apart that calls of one function have made.
func (v Value) Identity() any {
	if len(v.fns) > 0 {
		return v.fns[0]
	}
	return nil
}

// Func is the first function that it may be, or nil.
func (v Value) Func() *Func {
	if len(v.fns) > 0 {
		return v.fns[0].fn
	}
	return nil
}

// ConstStr is a constant.
func ConstStr(s string) Value {
	t := truthy
	if s == "" {
		t = falsy
	}
	return Value{consts: []string{s}, closed: true, truth: t}
}

// NativeValue is a function, type or instance of a library.
func NativeValue(name string) Value { return Value{Native: []string{name}, truth: maybe} }

func boolean(b bool) Value {
	if b {
		return Value{truth: truthy}
	}
	return Value{truth: falsy}
}

// ToolName is the name of the tool that is called, as a dispatcher is given it.
func ToolName() Value { return Value{tool: true} }

func union[T comparable](a, b []T, most int) []T {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 && len(b) <= most {
		return b
	}
	out := slices.Clip(a)
	for _, x := range b {
		if len(out) >= most {
			break
		}
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// plain reports that there was no assignment yet: not even "unknown" is known.
func (v Value) plain() bool {
	return len(v.nodes) == 0 && len(v.objs) == 0 && len(v.fns) == 0 && len(v.Native) == 0 && !v.closed && v.truth == maybe && !v.tool && !v.caller && v.cond == nil && v.pre == "" && v.suf == ""
}

// unknown reports that nothing is known of a value, except perhaps nil.
func (v Value) unknown() bool {
	v.truth = maybe
	return v.plain()
}

// bare reports that neither content nor origin of a value is known.
func (v Value) bare() bool {
	v.Native = nil
	return v.unknown()
}

// either is one value or the other.
func either(a, b Value) Value {
	out := Value{
		nodes:  union(a.nodes, b.nodes, maxNodes),
		objs:   union(a.objs, b.objs, maxObjs),
		fns:    union(a.fns, b.fns, maxFns),
		Native: union(a.Native, b.Native, maxNative),
		closed: a.closed && b.closed && len(a.consts)+len(b.consts) <= maxConsts,
		tool:   a.tool || b.tool,
		caller: a.caller || b.caller,
		there:  a.there && b.there,
		whole:  a.whole && b.whole || a.whole && !b.Tainted() || b.whole && !a.Tainted(),
	}
	out.consts = union(a.consts, b.consts, maxConsts)
	if a.truth == b.truth {
		out.truth = a.truth
	}
	if a.Prefix() == b.Prefix() {
		out.pre = a.Prefix()
	}
	if a.Suffix() == b.Suffix() {
		out.suf = a.Suffix()
	}
	return out
}

// filled reports that something was put into an object.
func (o *object) filled() bool { return len(o.order) > 0 || o.elem != 0 || o.open }

// open reports that a table may have unknown entries.
func (v Value) open() bool {
	return slices.ContainsFunc(v.objs, func(o *object) bool { return o.kind != dict || o.elem != 0 || o.open })
}

// Kinds of objects.
type kind uint8

const (
	record kind = iota // an instance, a struct, a module
	list               // with fields "0", "1", … while its length is known
	dict
	arguments // of a call of a tool, or a part of them
	class
)

// An object is something with fields, shared by all references to it. The values of its fields are in the
// store.
type object struct {
	kind   kind
	name   string // of the class or struct
	of     *object
	bases  []*object
	native []string // a class of a library that it derives from
	fields map[string]addr
	order  []string
	elem   addr   // the element at an unknown place
	tool   string // of arguments: that is called; empty: not known
	open   bool   // a list whose length is not known
	size   addr   // of a list that was empty: a truth with the facts of its being empty
	def    *ClassDef
	born   addr // the last place that was made before it
}

// A closure is a function with the variables around it.
type closure struct {
	fn    *Func
	frame *frame
	self  *Value
	class *object
}

// A frame holds the variables of one activation of a function.
type frame struct {
	vars   map[any]addr // by name, or by what is no variable
	parent *frame
	outer  map[string]bool // names that are an enclosing function's
	module *object         // its variables are the fields of this
	fn     *Func
	born   addr // the last place that was made before it
}

func (f *frame) lookup(name string) (addr, bool) {
	for ; f != nil; f = f.parent {
		if a, ok := f.vars[name]; ok {
			return a, true
		}
		if f.module != nil {
			if a, ok := f.module.fields[name]; ok {
				return a, true
			}
		}
	}
	return 0, false
}
