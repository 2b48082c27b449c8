// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

func (in *Interp) frame() *frame { return in.calls[len(in.calls)-1].frame }

func (in *Interp) eval(e *Expr) Value {
	if e == nil {
		return Value{}
	}
	in.step()
	in.depth++
	if in.depth > 40*in.most {
		in.abort(errBudget)
	}
	v := in.evalOp(e)
	in.depth--
	return v
}

func (in *Interp) evalOp(e *Expr) Value {
	switch e.Op {
	case Str:
		return ConstStr(e.S)
	case Num:
		return Value{consts: []string{e.S}, closed: true}
	case True:
		return boolean(true)
	case False:
		return boolean(false)
	case Nil:
		return Value{truth: falsy}
	case Name:
		return in.name(e)
	case Native:
		if v, ok := in.lang.Name(in, e); ok {
			return v
		}
		return NativeValue(e.S)
	case Lambda:
		return Value{fns: []*closure{{fn: e.Fn, frame: in.frame()}}, truth: truthy}
	case Attr:
		return in.Attr(in.eval(e.X), e)
	case Index:
		return in.index(in.eval(e.X), in.eval(e.Y), e.Pos)
	case Slice:
		for _, x := range e.List {
			in.eval(x)
		}
		return in.slice(in.eval(e.X), e)
	case Call:
		return in.call(e)
	case Binary:
		return in.binary(e)
	case And, Or:
		return in.logic(e)
	case Not:
		v := in.eval(e.X)
		return Value{truth: v.truth.not(), cond: v.condition().not(), caller: v.hangs()}
	case Compare:
		return in.compare(e)
	case Tuple, List:
		return in.listOf(e)
	case Dict:
		return in.dict(e)
	case Cond:
		return in.ternary(e)
	case Format:
		parts := make([]Value, len(e.List))
		for i, x := range e.List {
			parts[i] = in.eval(x)
		}
		return in.Concat(e.Pos, parts...)
	case Comp:
		return in.comprehension(e)
	case Let:
		v := in.eval(e.Y)
		in.assign(e.X, v)
		return v
	case Same, Spread:
		return in.eval(e.X)
	}
	vals := make([]Value, len(e.List))
	for i, x := range e.List {
		vals[i] = in.eval(x)
	}
	return in.Derive(Through, 0, e.Pos, "", vals...)
}

func (t truth) not() truth {
	switch t {
	case truthy:
		return falsy
	case falsy:
		return truthy
	}
	return maybe
}

func (in *Interp) name(e *Expr) Value {
	f := in.frame()
	a, ok := f.lookup(e.S)
	if !ok {
		v, _ := in.lang.Name(in, e)
		return v
	}
	v := in.load(a)
	if in.Changed[e.S] && f.fn != nil && f.vars[e.S] != a {
		v.truth, v.closed = maybe, false // code that did not run may have set it
	}
	if v.plain() {
		if got, ok := in.lang.Name(in, e); ok {
			return got
		}
	}
	return v
}

// Attr is a field or method of a value.
func (in *Interp) Attr(v Value, e *Expr) Value {
	var out Value
	found, part := false, false
	add := func(got Value) {
		if found {
			got = either(out, got)
		}
		out, found = got, true
	}
	for _, o := range v.objs {
		if got, ok := in.member(o, v, e); ok {
			if o.kind == record && len(got.fns) == 1 && isProperty(got.fns[0].fn) {
				got = in.invoke(got.fns[0], &CallSite{In: in, Pos: e.Pos})
			}
			add(got)
		}
	}
	for _, n := range v.Native {
		if got, ok := in.lang.Attr(in, n, e.S, v, e.Pos); ok {
			add(got)
		} else {
			add(NativeValue(n + "." + e.S))
			part = true
		}
	}
	if !found && v.closed && (e.S == "value" || e.S == "name") { // a member of an enumeration
		return v
	}
	if len(v.nodes) > 0 && (!found || part && !out.Tainted()) && len(out.fns) == 0 {
		d := in.Derive(Part, ofAnswer(v.nodes), e.Pos, "", v)
		d.Native = out.Native
		d.objs, d.fns = out.objs, out.fns
		out = d
	}
	out.truth = maybe
	out.caller = out.caller || v.caller // an answer to the caller is no setting
	return out
}

// member is a field of an object, a method of its class bound to it, or an argument.
func (in *Interp) member(o *object, self Value, e *Expr) (Value, bool) {
	if a, ok := o.fields[e.S]; ok {
		if v, ok := in.st.get(a); ok {
			if v.truth == falsy && in.Changed[e.S] && o.kind == record {
				v.truth, v.closed = maybe, false
			}
			return in.gathered(v), true
		}
	}
	if o.kind == arguments {
		return in.argument(o.tool, e.S, e.Pos), true
	}
	for _, c := range classes(o) {
		a, ok := c.fields[e.S]
		if !ok {
			continue
		}
		v := in.load(a)
		if t := in.declared(o, c, e.S); v.bare() && len(t.objs) > 0 {
			return t, true
		}
		if o.kind != class && len(v.fns) == 1 && isAbstract(v.fns[0].fn) {
			if impls := in.implementations(c, e.S, 0); len(impls) > 0 {
				v.fns = impls
			}
		}
		if o.kind != class && len(v.fns) > 0 {
			v.fns = bind(v.fns, Value{objs: []*object{o}, nodes: self.nodes, Native: self.Native})
		}
		return v, true
	}
	for _, c := range classes(o) {
		if t := in.declared(o, c, e.S); len(t.objs) > 0 {
			return t, true
		}
	}
	for _, n := range nativeBases(o) {
		if v, ok := in.lang.Attr(in, n, e.S, self, e.Pos); ok {
			return v, true
		}
	}
	return Value{}, false
}

// classes are the class of an object and those above it, or the classes above a class.
func classes(o *object) []*object {
	var out []*object
	var walk func(c *object, depth int)
	walk = func(c *object, depth int) {
		if c == nil || depth > 10 || len(out) > 40 {
			return
		}
		out = append(out, c)
		for _, b := range c.bases {
			walk(b, depth+1)
		}
	}
	if o.kind == class {
		walk(o, 0)
		return out[1:]
	}
	walk(o.of, 0)
	return out
}

func nativeBases(o *object) []string {
	out := o.native
	for _, c := range classes(o) {
		out = append(out[:len(out):len(out)], c.native...)
	}
	return out
}

func bind(fns []*closure, self Value) []*closure {
	out := make([]*closure, len(fns))
	for i, f := range fns {
		if f.self != nil || f.frame != nil && f.fn != nil && static(f.fn) {
			out[i] = f
			continue
		}
		c := *f
		c.self = &self
		out[i] = &c
	}
	return out
}

// isProperty reports that reading a method calls it.
func isProperty(fn *Func) bool {
	for _, d := range fn.Decorators {
		if (d.Op == Name || d.Op == Attr) && (d.S == "property" || d.S == "cached_property") {
			return true
		}
	}
	return false
}

// implementations are the definitions of an abstract method in the classes below.
func (in *Interp) implementations(c *object, name string, depth int) []*closure {
	var out []*closure
	for _, b := range in.below[c] {
		if a, ok := b.fields[name]; ok {
			for _, fn := range in.load(a).fns {
				if !isAbstract(fn.fn) && len(out) < 4 {
					out = append(out, fn)
				}
			}
		} else if depth < 4 {
			out = append(out, in.implementations(b, name, depth+1)...)
		}
	}
	return out
}

// isAbstract reports that other classes have to define a method.
func isAbstract(fn *Func) bool {
	for _, d := range fn.Decorators {
		if d.S == "abstractmethod" {
			return true
		}
	}
	return false
}

// static reports that a method gets no instance.
func static(fn *Func) bool {
	for _, d := range fn.Decorators {
		if d.Op == Name && d.S == "staticmethod" {
			return true
		}
	}
	return false
}

func (in *Interp) ternary(e *Expr) Value {
	c := in.eval(e.Y)
	base := in.st
	a := in.newAddr()
	var branches []*layer
	for _, yes := range []bool{true, false} {
		if c.truth == falsy && yes || c.truth == truthy && !yes {
			continue
		}
		x := e.X
		if !yes {
			x = e.Z
		}
		in.st = newLayer(base)
		in.st.chosen(yes && c.setting())
		in.assumeValue(e.Y, c, yes)
		in.store(a, in.eval(x))
		branches = append(branches, in.st)
	}
	in.st = base
	in.join(base, branches)
	return in.load(a)
}

// logic is X and Y, or X or Y: the value of either.
func (in *Interp) logic(e *Expr) Value {
	x := in.eval(e.X)
	and := e.Op == And
	if and && x.truth == falsy || !and && x.truth == truthy {
		return x
	}
	base := in.st
	in.st = newLayer(base)
	in.st.chosen(x.setting())
	in.assumeValue(e.X, x, and)
	y := in.eval(e.Y)
	branch := in.st
	in.st = base
	in.join(base, []*layer{newLayer(base), branch})
	out := either(x, y)
	out.truth = maybe
	out.caller = x.hangs() || y.hangs()
	known := x.truth != maybe // then the value is Y's
	if known {
		out = y
	}
	var cx, cy cond
	if c := x.condition(); c != nil {
		cx = *c
	}
	if c := y.condition(); c != nil {
		cy = *c
	}
	c := &cond{tool: cx.tool}
	if c.tool == "" && and {
		c.tool = cy.tool
	}
	switch {
	case known:
		c = &cy
	case and:
		c.yes, c.no = both(cx.yes, cy.yes), shared(in.st.expand(cx.no), in.st.expand(cy.no))
		if y.truth == truthy {
			c.no = cx.no
		}
	default:
		c.tool = ""
		c.yes, c.no = shared(in.st.expand(cx.yes), in.st.expand(cy.yes)), both(cx.no, cy.no)
		if y.truth == falsy {
			c.yes = cx.yes
		}
	}
	if and && x.truth == maybe && y.truth == falsy {
		out.truth = falsy
	}
	if !and && x.truth == maybe && y.truth == truthy {
		out.truth = truthy
	}
	out.cond = c
	return out
}

// assumeValue notes the consequences of a condition, as it was evaluated, being true or not.
func (in *Interp) assumeValue(e *Expr, v Value, yes bool) {
	if c := v.condition(); c != nil {
		if yes {
			in.st.assume(c.yes)
			if c.tool != "" {
				in.st.tool = c.tool
				in.named[c.tool] = true
			}
		} else {
			in.st.assume(c.no)
		}
	}
	in.assumeTruth(e, yes)
}

// assumeTruth notes that a variable is true, or not nil, in this branch.
func (in *Interp) assumeTruth(e *Expr, yes bool) {
	for e != nil {
		switch e.Op {
		case Not:
			e, yes = e.X, !yes
			continue
		case Same:
			e = e.X
			continue
		case Let:
			e = e.X
			continue
		case And:
			if yes {
				in.assumeTruth(e.X, true)
				e = e.Y
				continue
			}
		case Or:
			if !yes {
				in.assumeTruth(e.X, false)
				e = e.Y
				continue
			}
		case Compare:
			if e.Y.Op == Nil && (e.S == "==" || e.S == "is") {
				e, yes = e.X, !yes
				continue
			}
			if e.Y.Op == Nil && (e.S == "!=" || e.S == "is not") {
				e = e.X
				continue
			}
		case Name:
			if a, ok := in.frame().lookup(e.S); ok {
				v := in.load(a)
				v.truth = falsy
				if yes {
					v.truth = truthy
				}
				in.store(a, v)
			}
		}
		return
	}
}

// binary is an operator: + joins texts and lists, / paths.
func (in *Interp) binary(e *Expr) Value {
	x, y := in.eval(e.X), in.eval(e.Y)
	return in.operate(e.S, x, y, e.Pos)
}

func (in *Interp) operate(op string, x, y Value, pos Pos) Value {
	if v, ok := in.lang.Call(&CallSite{In: in, Pos: pos, Name: "operator " + op, Args: []Value{x, y}}); ok {
		return v
	}
	if op != "+" {
		return in.Derive(Through, 0, pos, "", x, y)
	}
	if hasList(x) || hasList(y) {
		return in.Append(x, []Value{y}, true)
	}
	return in.Concat(pos, x, y)
}

func hasList(v Value) bool {
	for _, o := range v.objs {
		if o.kind == list {
			return true
		}
	}
	return false
}
