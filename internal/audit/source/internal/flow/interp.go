// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// A Lang is a front end's knowledge of its language.
type Lang interface {
	// Call models a function of a library; false if it is unknown.
	Call(c *CallSite) (Value, bool)
	// Attr is the attribute name of an instance of the library's type native; false if it is unknown.
	Attr(in *Interp, native, name string, of Value, pos Pos) (Value, bool)
	// Name is the value of a variable without an assignment: of the module, or a built-in.
	Name(in *Interp, e *Expr) (Value, bool)
	// Import is the result of an import statement, one value for each of its Targets.
	Import(in *Interp, s *Stmt) []Value
	// Construct makes an instance of a class of the program if the library does so; false if the language's
	// own rules apply.
	Construct(c *CallSite, class Value) (Value, bool)
}

// Errors that end an analysis.
var (
	errBudget = errors.New("budget")
	errTime   = errors.New("time")
)

// An Interp runs functions on abstract values. It is for one goroutine.
type Interp struct {
	lang  Lang
	ctx   context.Context
	st    *layer
	root  *layer
	Frame *frame // of the program

	steps, budget int
	tick          int
	depth, most   int
	lost          bool // the caller's value went into a call that was too deep to be followed
	next          addr
	ids           int
	version       int // counts changes to the facts about nodes
	calls         []*activation
	kept          map[addr]bool // places within objects older than the call that made them
	loops         []*loop

	hits  map[hitKey]*hit
	reads map[string]map[string]Pos // parameters by tool
	named map[string]bool           // tools that a dispatcher knows
	args  map[*Source]*node         // arguments that were read
	Tools []Registration

	// Changed are the names of variables and fields that the program assigns after its start: their first
	// values do not last.
	Changed map[string]bool

	// Later are methods that call one of their arguments with those behind it, by name, with the
	// index of the argument.
	Later map[string]int

	apart     addr           // the last place made before the handler ran
	following bool           // handlers run, and not the start of the program
	reached   map[*Func]bool // called by handlers

	kinds map[string]nameKind // by name

	sure  bool                  // see Sure
	below map[*object][]*object // the classes that are made of a class
	known map[string]*object    // the classes by their names; nil: several have it
}

// Reached reports whether a function is a handler, or was called by one.
func (in *Interp) Reached(fn *Func) bool { return in.reached[fn] }

// A Registration is a tool and its handler, as the program announces them.
type Registration struct {
	Name    string // empty: not known
	Handler Value
	Style   string // which of the front end's ways to call it
	Pos     Pos
}

// An activation is a call in progress. Each way of returning is an outcome: the changes since base, with the
// results in their places.
type activation struct {
	fn       *Func
	frame    *frame
	class    *object
	base     *layer
	outcomes []*layer
	counts   []int
	results  []addr
	start    addr // later places belong to the call
	tools    int  // that were registered before
}

const maxResults = 8

func (a *activation) result(in *Interp, i int) addr {
	for len(a.results) <= i {
		a.results = append(a.results, in.newAddr())
	}
	return a.results[i]
}

func (a *activation) outcome(in *Interp, vals []Value) {
	if len(a.outcomes) >= 64 {
		in.abort(errBudget)
	}
	snap := in.st.since(a.base)
	if len(vals) > maxResults {
		vals = []Value{in.sequence(vals)}
		snap = in.st.since(a.base)
	}
	for i, v := range vals {
		snap.vals[a.result(in, i)] = v
	}
	a.outcomes = append(a.outcomes, snap)
	a.counts = append(a.counts, len(vals))
}

// value is the result of the call, after its outcomes were joined.
func (a *activation) value(in *Interp) Value {
	if len(a.counts) == 0 {
		return Value{}
	}
	same := true
	most := 0
	for _, c := range a.counts {
		same = same && c == a.counts[0]
		most = max(most, c)
	}
	if most == 1 {
		return in.load(a.results[0])
	}
	o := in.newObject(list, "")
	for i := range most {
		f := strconv.Itoa(i)
		o.fields[f] = a.results[i]
		o.order = append(o.order, f)
	}
	v := Value{objs: []*object{o}}
	if !same {
		return either(v, in.load(a.results[0]))
	}
	v.truth = truthy
	return v
}

type loop struct {
	breaks, continues []*layer
	base              *layer
}

// New makes an interpreter. depth bounds calls and nesting.
func New(ctx context.Context, lang Lang, depth int) *Interp {
	in := &Interp{lang: lang, ctx: ctx, most: depth, hits: map[hitKey]*hit{}, reads: map[string]map[string]Pos{}, kept: map[addr]bool{}, args: map[*Source]*node{}, named: map[string]bool{}, reached: map[*Func]bool{}, kinds: map[string]nameKind{}, below: map[*object][]*object{}, known: map[string]*object{}}
	in.root = newLayer(nil)
	in.root.in = in
	in.st = in.root
	in.Frame = &frame{vars: map[any]addr{}}
	in.next = 1
	return in
}

// Run runs f within a number of steps. An error says that it did not come to its end, or lost the way of a value, and why. A run within
// another has steps of its own; if it is cut, the outer one goes on.
func (in *Interp) Run(steps int, f func()) (err error) {
	before, most := in.steps, in.budget
	in.steps, in.budget = 0, steps
	st, calls, loops, depth, following, lost := in.st, in.calls, in.loops, in.depth, in.following, in.lost
	in.lost = false
	defer func() {
		r := recover()
		in.st, in.calls, in.loops, in.depth, in.following = st, calls, loops, depth, following
		in.steps, in.budget = before, most
		cut := in.lost
		in.lost = lost
		switch r {
		case nil:
			if cut {
				err = fmt.Errorf("not analysed to its end: more than %d calls within each other", in.most)
			}
		case any(errBudget):
			err = fmt.Errorf("not analysed: budget: %d steps", steps)
		case any(errTime):
			err = fmt.Errorf("not analysed: budget: time")
		default:
			err = fmt.Errorf("not analysed: the analysis broke: %v", r)
		}
	}()
	f()
	return nil
}

func (in *Interp) step() { in.cost(1) }

// abort ends a deep recursion with a panic, which Run turns into its error.
func (in *Interp) abort(err error) { panic(err) }

// cost takes steps for work.
func (in *Interp) cost(n int) {
	in.steps += n
	in.tick++
	if in.steps > in.budget {
		in.abort(errBudget)
	}
	if in.tick%256 == 0 && in.ctx.Err() != nil {
		in.abort(errTime)
	}
}

func (in *Interp) newAddr() addr {
	in.next++
	return in.next
}

func (in *Interp) newNode(src *Source, how Deriv, from []*node, labels Label, pos Pos, note string) *node {
	in.ids++
	if len(from) > 4 {
		from = from[:4]
	}
	entry := how == Entry || slices.ContainsFunc(from, func(n *node) bool { return n.entry })
	return &node{id: in.ids, src: src, how: how, in: from, labels: labels, pos: pos, note: note, entry: entry}
}

func (in *Interp) newObject(k kind, name string) *object {
	return &object{kind: k, name: name, fields: map[string]addr{}, born: in.next}
}

func (in *Interp) load(a addr) Value {
	v, _ := in.st.get(a)
	if v.truth == falsy && slices.ContainsFunc(v.objs, (*object).filled) {
		v.truth = maybe // it was empty when it was assigned
	}
	return in.gathered(v)
}

func (in *Interp) store(a addr, v Value) { in.st.vals[a] = v }

// field is the place of a field, made if need be.
func (in *Interp) field(o *object, name string) addr {
	a, ok := o.fields[name]
	if !ok {
		a = in.newAddr()
		o.fields[name] = a
		o.order = append(o.order, name)
		in.keep(o, a)
	}
	return a
}

func (in *Interp) elem(o *object) addr {
	if o.elem == 0 {
		o.elem = in.newAddr()
		in.keep(o, o.elem)
	}
	return o.elem
}

// Derive is a value made of others; how is the way.
func (in *Interp) Derive(how Deriv, labels Label, pos Pos, note string, from ...Value) Value {
	var out Value
	bySource := map[*Source][]*node{}
	var order []*Source
	for _, v := range from {
		for _, n := range in.deep(v) {
			if _, ok := bySource[n.src]; !ok {
				order = append(order, n.src)
			}
			bySource[n.src] = append(bySource[n.src], n)
		}
	}
	for _, src := range order {
		if len(out.nodes) >= maxNodes {
			break
		}
		ins := bySource[src]
		if len(ins) > 4 {
			slices.SortStableFunc(ins, func(a, b *node) int {
				return popcount(in.st.effective(a)) - popcount(in.st.effective(b))
			})
		}
		out.nodes = append(out.nodes, in.newNode(src, how, ins, labels, pos, note))
	}
	return out
}

func popcount(l Label) int {
	n := 0
	for ; l != 0; l &= l - 1 {
		n++
	}
	return n
}

// deep are the nodes of a value and of everything in it.
func (in *Interp) deep(v Value) []*node {
	if len(v.objs) == 0 {
		return v.nodes
	}
	return in.deepWithin(v, map[*object]bool{}, 4)
}

func (in *Interp) deepWithin(v Value, seen map[*object]bool, depth int) []*node {
	out := v.nodes
	if depth == 0 {
		return out
	}
	in.step()
	for _, o := range v.objs {
		if seen[o] || o.kind == class {
			continue
		}
		seen[o] = true
		if o.kind == arguments {
			out = union(out, []*node{in.argument(o.tool, "", Pos{}).nodes[0]}, maxNodes)
		}
		for _, f := range o.order {
			out = union(out, in.deepWithin(in.load(o.fields[f]), seen, depth-1), maxNodes)
		}
		if o.elem != 0 {
			out = union(out, in.deepWithin(in.load(o.elem), seen, depth-1), maxNodes)
		}
	}
	return out
}

// Arguments are the arguments of a tool's call: each field is a source.
func (in *Interp) Arguments(tool string) Value {
	o := in.newObject(arguments, "")
	o.tool = tool
	return Value{objs: []*object{o}}
}

// argument is one argument of a tool, or all of them if it has no name.
func (in *Interp) argument(tool, name string, pos Pos) Value {
	if tool == "" {
		tool = in.st.tool
	}
	param := ""
	if name != "" {
		param = "/" + escape(name)
		in.read(tool, param, pos)
	}
	s := in.source(tool, param, pos)
	note := "read from the arguments"
	if param != "" {
		note = param[1:] + " is read from the arguments"
	}
	return in.fromArgs(s, pos, note)
}

func escape(name string) string {
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '~':
			out = append(out, "~0"...)
		case '/':
			out = append(out, "~1"...)
		default:
			out = append(out, name[i])
		}
	}
	return string(out)
}

// fromArgs is an argument. It is the same value however often it is read, so that a check still holds at the
// next read.
func (in *Interp) fromArgs(s *Source, pos Pos, note string) Value {
	n := in.args[s]
	if n == nil {
		n = in.newNode(s, FromArgs, nil, 0, pos, note)
		if s.Param != "" {
			in.args[s] = n
		}
	}
	return Value{nodes: []*node{n}, whole: true}
}

// source is the source of an argument. It is the same for the same argument, so values can be compared by
// their sources.
func (in *Interp) source(tool, param string, pos Pos) *Source {
	key := sourceKey{tool, param}
	a, ok := in.Frame.vars[key]
	if ok {
		if n := in.root.vals[a].nodes; len(n) == 1 {
			return n[0].src
		}
	}
	s := &Source{Tool: tool, Param: param, Pos: pos}
	a = in.newAddr()
	in.Frame.vars[key] = a
	in.root.vals[a] = Value{nodes: []*node{{src: s}}}
	return s
}

type sourceKey struct{ tool, param string }

// Read notes that a tool has a parameter.
func (in *Interp) Read(tool, name string, pos Pos) { in.read(tool, "/"+escape(name), pos) }

func (in *Interp) read(tool, param string, pos Pos) {
	m := in.reads[tool]
	if m == nil {
		m = map[string]Pos{}
		in.reads[tool] = m
	}
	if _, ok := m[param]; !ok {
		m[param] = pos
	}
}

func (in *Interp) evalIn(f *frame, x *Expr) Value {
	in.calls = append(in.calls, &activation{frame: f, base: in.st})
	v := in.eval(x)
	in.calls = in.calls[:len(in.calls)-1]
	return v
}

// Tuple is several values, as a function returns them.
func (in *Interp) Tuple(vals ...Value) Value { return in.sequence(vals) }

// ListOf is a list of values.
func (in *Interp) ListOf(vals ...Value) Value { return in.sequence(vals) }

func (in *Interp) sequence(vals []Value) Value {
	o := in.newObject(list, "")
	for i, v := range vals {
		in.store(in.field(o, strconv.Itoa(i)), v)
	}
	t := maybe
	if len(vals) > 0 {
		t = truthy
	}
	return Value{objs: []*object{o}, truth: t}
}

// Elems are the elements of lists, in order as far as that is known, and false if there may be others.
func (in *Interp) Elems(v Value) (elems []Value, complete bool) {
	complete = len(v.objs) == 1
	for _, o := range v.objs {
		if o.kind != list {
			complete = false
		}
		for _, f := range o.order {
			elems = append(elems, in.load(o.fields[f]))
		}
		if o.elem != 0 {
			elems = append(elems, in.load(o.elem))
			complete = false
		}
		complete = complete && !o.open
	}
	return elems, complete
}

// columns are the elements of a list of known length. With several such lists, elements in the same place are
// joined.
func (in *Interp) columns(v Value) ([]Value, bool) {
	var out []Value
	for _, o := range v.objs {
		if o.kind != list || o.elem != 0 || o.open {
			return nil, false
		}
		for i, f := range o.order {
			el := in.load(o.fields[f])
			if i < len(out) {
				el = either(out[i], el)
				out[i] = el
				continue
			}
			out = append(out, el)
		}
	}
	return out, len(v.objs) > 0 && !v.Tainted()
}

// Field is a field of a value, by name.
func (in *Interp) Field(v Value, name string) Value {
	out, _ := in.fieldOf(v, name)
	return out
}

// HasField reports that a field of an object was set.
func (in *Interp) HasField(v Value, name string) bool {
	_, ok := in.fieldOf(v, name)
	return ok
}

func (in *Interp) fieldOf(v Value, name string) (out Value, ok bool) {
	for _, o := range v.objs {
		if a, has := o.fields[name]; has {
			got := in.load(a)
			if ok {
				got = either(out, got)
			}
			out, ok = got, true
		}
	}
	return out, ok
}

// ArgumentAt is an argument of a tool, or a part of one, by its JSON Pointer.
func (in *Interp) ArgumentAt(tool, pointer string, pos Pos) Value {
	note := ""
	if len(pointer) > 1 {
		note = pointer[1:] + " is an argument of the tool"
	}
	return in.fromArgs(in.source(tool, pointer, pos), pos, note)
}

// ReadAt notes that a tool has a parameter, by its JSON Pointer.
func (in *Interp) ReadAt(tool, pointer string, pos Pos) { in.read(tool, pointer, pos) }

// Method is a function as one of the methods of a class.
func (in *Interp) Method(cls Value, fn *Func) Value {
	for _, o := range cls.objs {
		if a, ok := o.fields[fn.Name]; ok {
			v := in.load(a)
			for _, c := range v.fns {
				if c.fn == fn {
					return Value{fns: []*closure{c}}
				}
			}
		}
	}
	return in.FuncValue(fn)
}
