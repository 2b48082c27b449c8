// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"slices"
	"strings"
)

// construct makes an instance of a class of the program.
func (in *Interp) construct(o *object, c *CallSite) Value {
	cls := Value{objs: []*object{o}}
	if v, ok := in.lang.Construct(c, cls); ok {
		return v
	}
	inst := in.newObject(record, o.name)
	inst.of = o
	self := Value{objs: []*object{inst}, truth: truthy, Native: nativeOf(o)}
	if init, ok := in.member(inst, self, &Expr{Op: Attr, S: "__init__", Pos: c.Pos}); ok && len(init.fns) > 0 {
		in.invoke(init.fns[0], c)
		return self
	}
	in.fill(inst, c)
	return self
}

func nativeOf(o *object) []string {
	var out []string
	for _, n := range nativeBases(o) {
		if len(out) < maxNative && n != "object" && !strings.HasPrefix(n, "abc.") && !strings.HasPrefix(n, "typing.") {
			out = append(out, n+"()")
		}
	}
	return out
}

// fill gives an instance its fields from the arguments by name, as a class without a constructor does.
func (in *Interp) fill(inst *object, c *CallSite) {
	for _, k := range slices.Sorted(maps.Keys(c.Kw)) {
		in.store(in.field(inst, k), c.Kw[k])
	}
	names := annotated(inst.of)
	for i, v := range c.Args {
		if i < len(names) {
			in.store(in.field(inst, names[i]), v)
		}
	}
	for _, n := range names {
		if _, ok := inst.fields[n]; !ok && in.inherited(inst, n).Is(ownList) {
			in.store(in.field(inst, n), in.listOf(&Expr{}))
		}
	}
	if len(c.Rest.objs) > 0 {
		for _, n := range names {
			if _, ok := c.Kw[n]; !ok {
				in.store(in.field(inst, n), in.index(c.Rest, ConstStr(n), c.Pos))
			}
		}
	}
}

// inherited is the value of a name in the class of an instance.
func (in *Interp) inherited(inst *object, name string) Value {
	for _, c := range classes(inst) {
		if a, ok := c.fields[name]; ok {
			return in.load(a)
		}
	}
	return Value{}
}

// annotated are the names that a class declares for its instances.
func annotated(o *object) []string {
	var out []string
	for _, c := range append([]*object{o}, classes(o)...) {
		if c == nil || c.def == nil {
			continue
		}
		for _, s := range c.def.Body {
			if s.Op == Assign && s.Define && len(s.Targets) == 1 && s.Targets[0].Op == Name && !slices.Contains(out, s.Targets[0].S) {
				out = append(out, s.Targets[0].S)
			}
		}
	}
	return out
}

// declared is a field of an instance with nothing but a type in its class.
func (in *Interp) declared(o, c *object, name string) Value {
	if o.kind != record || c.def == nil {
		return Value{}
	}
	for _, s := range c.def.Body {
		if s.Op == Assign && s.Define && s.Type != nil && len(s.Targets) == 1 && s.Targets[0].Op == Name && s.Targets[0].S == name {
			return in.typedIn(in.Frame, s.Type)
		}
	}
	return Value{}
}

// Declared are the names that a class of the program declares for its instances.
func (v Value) Declared() []string {
	for _, o := range v.objs {
		if o.kind == class {
			return annotated(o)
		}
	}
	return nil
}

// ClassDefs are the definitions of a class and those above it.
func (v Value) ClassDefs() []*ClassDef {
	var out []*ClassDef
	for _, o := range v.objs {
		if o.kind != class {
			continue
		}
		for _, c := range append([]*object{o}, classes(o)...) {
			if c.def != nil {
				out = append(out, c.def)
			}
		}
	}
	return out
}

// NativeBases are the classes of libraries above a class of the program, or above an instance's.
func (v Value) NativeBases() []string {
	var out []string
	for _, o := range v.objs {
		out = append(out, nativeBases(o)...)
	}
	return out
}

// Instance is a new instance of a class of the program, with no fields set.
func (in *Interp) Instance(cls Value) Value {
	for _, o := range cls.objs {
		if o.kind == class {
			inst := in.newObject(record, o.name)
			inst.of = o
			return Value{objs: []*object{inst}, truth: truthy, Native: nativeOf(o)}
		}
	}
	return Value{}
}

// SetField sets a field of an object.
func (in *Interp) SetField(v Value, name string, to Value) {
	for _, o := range v.objs {
		in.store(in.field(o, name), to)
	}
}

// Super is the present method's instance, seen as one of the class above its own.
func (in *Interp) Super() Value {
	act := in.calls[len(in.calls)-1]
	if act.fn == nil || len(act.fn.Params) == 0 || act.class == nil {
		return Value{}
	}
	a, ok := act.frame.lookup(act.fn.Params[0].Name)
	if !ok {
		return Value{}
	}
	var out Value
	for _, o := range in.load(a).objs {
		c := *o
		above := in.newObject(class, "")
		above.bases, above.native = act.class.bases, act.class.native
		c.of = above
		out.objs = append(out.objs, &c)
	}
	return out
}

// Register notes a tool and its handler.
func (in *Interp) Register(r Registration) {
	for _, t := range in.Tools {
		if t.Name == r.Name && t.Handler.Func() == r.Handler.Func() && t.Style == r.Style {
			return
		}
	}
	if len(in.Tools) < 2000 {
		in.Tools = append(in.Tools, r)
	}
}

// Exec runs the statements of a module or function, with the fields of module as their variables.
func (in *Interp) Exec(module Value, body []*Stmt) {
	f := &frame{vars: map[any]addr{}, parent: in.Frame, module: module.objs[0], born: in.next}
	in.calls = append(in.calls, &activation{frame: f, base: in.st})
	in.exec(body)
	in.calls = in.calls[:len(in.calls)-1]
}

// Module is a new module without variables.
func (in *Interp) Module(name string) Value {
	return Value{objs: []*object{in.newObject(record, name)}, truth: truthy}
}

// FuncValue is a function of the program outside of any other.
func (in *Interp) FuncValue(fn *Func) Value {
	return Value{fns: []*closure{{fn: fn, frame: in.Frame}}, truth: truthy}
}

// Eval evaluates an expression in the scope of the program, or of a module.
func (in *Interp) Eval(module Value, e *Expr) Value {
	f := in.Frame
	if len(module.objs) == 1 {
		f = &frame{vars: map[any]addr{}, parent: in.Frame, module: module.objs[0], born: in.next}
	}
	return in.evalIn(f, e)
}

// typed is a value of a known type and nothing else, as an annotation gives it.
func (in *Interp) typed(t *Expr) Value { return in.typedIn(in.frame(), t) }

func (in *Interp) typedIn(f *frame, t *Expr) Value {
	switch {
	case t.Op == Binary && t.S == "|" && t.Y.Op == Nil: // X | None
		t = t.X
	case t.Op == Index && t.X.S == "Optional" && t.Y != nil:
		t = t.Y
	}
	if t.Op == Str { // a type that is named before it is there
		t = &Expr{Op: Name, S: t.S, Pos: t.Pos}
	}
	if t.Op != Name && t.Op != Attr {
		return Value{}
	}
	v := in.evalIn(f, t)
	if c := in.known[t.S]; c != nil && v.unknown() { // modules that import each other
		v = Value{objs: []*object{c}}
	}
	var out Value
	for _, n := range v.Native {
		out.Native = append(out.Native, n+"()")
	}
	if inst := in.Instance(v); len(inst.objs) > 0 {
		out.objs = inst.objs
	}
	return out
}

// remember notes a class by its name, for annotations that name it before it exists.
func (in *Interp) remember(o *object) {
	name := o.name
	if old, taken := in.known[name]; taken && (old == nil || old.def != o.def) {
		o = nil
	}
	in.known[name] = o
}

// EvalAs evaluates an expression in the scope of a function's definition.
func (in *Interp) EvalAs(f Value, e *Expr) Value {
	if len(f.fns) == 0 {
		return Value{}
	}
	return in.evalIn(f.fns[0].frame, e)
}

// AtStart runs f as a part of the program's start.
func (in *Interp) AtStart(f func()) {
	st, calls, loops := in.st, in.calls, in.loops
	in.st, in.calls, in.loops = in.root, nil, nil
	f()
	in.st, in.calls, in.loops = st, calls, loops
}

// Bound reports whether a function is a method bound to an instance.
func (v Value) Bound() bool { return len(v.fns) > 0 && v.fns[0].self != nil }

// WithNative is a value that is an instance of a library's type, and of no other.
func (v Value) WithNative(native ...string) Value {
	v.Native = native
	return v
}

// Text is the rest of a value after a conversion to a text.
func (v Value) Text() Value {
	v.Native = nil
	return v
}

// HasObject reports whether the structure of a value is known.
func (v Value) HasObject() bool { return len(v.objs) > 0 }

// IsList reports that a value is, or may be, a list.
func (v Value) IsList() bool { return hasList(v) }

// IsClass reports that a value is, or may be, a class of the program.
func (v Value) IsClass() bool {
	return slices.ContainsFunc(v.objs, func(o *object) bool { return o.kind == class })
}

// TruthKnown is whether a value is certainly true, and whether it is certainly false.
func (v Value) TruthKnown() (yes, no bool) { return v.truth == truthy, v.truth == falsy }

// Either is one value or the other.
func Either(a, b Value) Value {
	if a.plain() {
		return b
	}
	if b.plain() {
		return a
	}
	return either(a, b)
}

// Elsewhere is a list with a known element somewhere in it.
func (in *Interp) Elsewhere(elem Value) Value {
	o := in.newObject(list, "")
	o.open = true
	in.store(in.elem(o), elem)
	return Value{objs: []*object{o}}
}

// Keys are the keys of a table.
func (in *Interp) Keys(v Value) Value {
	var out Value
	for _, o := range v.objs {
		if o.kind == dict || o.kind == arguments {
			out = Either(out, in.keys(o))
		}
	}
	return out
}

// IndexOf is an element of a value.
func (in *Interp) IndexOf(v, key Value, pos Pos) Value { return in.index(v, key, pos) }

// SetIndex sets an element of a table or list.
func (in *Interp) SetIndex(v, key, to Value) {
	s, known := key.String()
	for _, o := range v.objs {
		a := in.entry(o, s, known)
		if old, ok := in.st.get(a); ok && !known {
			to = either(old, to)
		}
		in.store(a, to)
	}
}

// CopyNames gives the present module the variables of another.
func (in *Interp) CopyNames(from Value) {
	to := in.frame().module
	if to == nil {
		return
	}
	for _, o := range from.objs {
		for _, f := range o.order {
			in.store(in.field(to, f), in.load(o.fields[f]))
		}
	}
}

// NewDict is an empty table.
func (in *Interp) NewDict() Value { return Value{objs: []*object{in.newObject(dict, "")}} }

// Merge puts the entries of a table into another.
func (in *Interp) Merge(to, from Value) {
	for _, o := range from.objs {
		for _, dst := range to.objs {
			if o.kind == arguments {
				dst.kind, dst.tool = arguments, o.tool
			}
			for _, f := range o.order {
				in.store(in.field(dst, f), in.load(o.fields[f]))
			}
			if o.elem != 0 {
				a := in.elem(dst)
				in.store(a, Either(in.load(a), in.load(o.elem)))
			}
		}
	}
}

// Forget is a value of unknown truth.
func (v Value) Forget() Value {
	v.truth = maybe
	return v
}

// Whole reports that nothing stands in front of an argument, nor behind it.
func (v Value) Whole() bool {
	for _, n := range v.nodes {
		if !whole(n) {
			return false
		}
	}
	return v.pre == "" && v.suf == ""
}

// Apart are the objects of a value, each as a value of its own.
func (v Value) Apart() []Value {
	var out []Value
	for _, o := range v.objs {
		out = append(out, Value{objs: []*object{o}})
	}
	return out
}

// AddNative is a value that is an instance of a library's type, too.
func (v Value) AddNative(native string) Value {
	v.Native = append(v.Native[:len(v.Native):len(v.Native)], native)
	return v
}

// Text is everything in a value, joined in unknown order.
func (in *Interp) Text(v Value, pos Pos) Value { return in.Derive(Whole, 0, pos, "", v) }

// Same is whether two values are equal.
func (in *Interp) Same(x, y Value) Value {
	return in.equal(x, y, &Expr{Op: Compare, X: &Expr{}, Y: &Expr{}})
}

// Mentions reports whether some expression within a function meets a condition.
func (f *Func) Mentions(is func(*Expr) bool) bool { return anyStmt(f.Body, is) }

func anyStmt(list []*Stmt, is func(*Expr) bool) bool {
	for _, s := range list {
		if anyExpr(s.X, is) || anyStmt(s.Body, is) || anyStmt(s.Else, is) || anyStmt(s.Final, is) {
			return true
		}
		for _, h := range s.Handlers {
			if anyStmt(h.Body, is) {
				return true
			}
		}
	}
	return false
}

func anyExpr(e *Expr, is func(*Expr) bool) bool {
	if e == nil {
		return false
	}
	if is(e) || anyExpr(e.X, is) || anyExpr(e.Y, is) || anyExpr(e.Z, is) {
		return true
	}
	if e.Op == Lambda && anyStmt(e.Fn.Body, is) {
		return true
	}
	for _, x := range e.List {
		if anyExpr(x, is) {
			return true
		}
	}
	return false
}
