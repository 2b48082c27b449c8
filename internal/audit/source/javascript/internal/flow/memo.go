// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"hash/maphash"
	"maps"
	"slices"
	"strconv"

	"github.com/dop251/goja/ast"
)

// Calls are not run again and again. Two kinds of calls are taken from memory:
//
// Telemetry, settings and the like are called at every turn, cost much, and get nothing from the
// caller. If such a call has run twice in a handler, its result is used again (repeatedPlain).
//
// In a handler or file with a high cost already, the same holds for all calls with arguments of
// one look, if at least as much is known of the arguments as at the first call (repeatedAlike).
// Bundles call the same helpers over and over, and would use up their steps in them.
//
// The second kind can be wrong: a call may read a variable that has changed since. It is the
// price for reaching the end of large handlers at all.
const (
	// calls of a function that run before their result is taken
	memoCalls = 2
	// steps; a call that costs less is run
	memoCost = 500
	// steps of a handler or file after which all calls are looked at
	memoPressure = 50_000
	// steps; a call that costs less is run even then
	memoPressed = 100
	// slots that a remembered call may write
	memoWrites = 200
	// levels of objects that a look goes into
	memoDepth = 3
	// properties of each
	memoKeys = 20
	// slots behind those levels
	memoReach = 400
	// bytes of a text that are compared one by one
	memoText = 48
)

// memoSeed is new in each process, so a program cannot be written to make two texts look alike.
var memoSeed = maphash.MakeSeed()

// A memory holds the outcomes of calls, for as long as one handler runs.
type memory struct {
	budget  *budget
	heap    *heap
	journal *journal
	state   *state
	probes  *probes
	turn    *turn

	memos  map[memoKey]*memo
	costly map[ast.Node]bool // functions that once cost memoPressed steps or more; of all handlers
	buf    []byte            // room for a look, used again
}

// A memoKey is a call: the function, its scope or object, and the look of its arguments.
type memoKey struct {
	node  ast.Node
	scope *scope
	this  *Object
	tool  string
	shape string
}

// A memo is the outcome of a call: its value, the facts learned, and the writes.
type memo struct {
	calls int
	cost  int
	value Value
	// facts that were known at the call
	facts facts
	// facts that the call learned
	after  facts
	writes []written
}

// repeated runs a call, or takes its outcome from memory. Tries of guards are always run: they
// are small, and their arguments differ only in constants.
func (mem *memory) repeated(c *closure, this Value, args []Value, run func() Value) Value {
	pressed := mem.budget.pressed()
	switch {
	case mem.probes.on, mem.turn.handler == nil && !pressed:
		return run()
	case plain(args):
		return mem.repeatedPlain(c, this, args, run)
	case !pressed:
		return run()
	}
	// Looking at arguments costs, too, so it is done only for functions that once cost much.
	if mem.costly[c.node] {
		return mem.repeatedAlike(c, this, args, run)
	}
	before := mem.budget.steps
	v := run()
	if mem.budget.steps-before >= memoPressed {
		mem.costly[c.node] = true
	}
	return v
}

// repeatedPlain is for arguments that hold nothing from the caller. Writes are not repeated,
// since telemetry writes only for itself.
func (mem *memory) repeatedPlain(c *closure, this Value, args []Value, run func() Value) Value {
	key := memoKey{node: c.node, shape: shape(args)}
	if len(this) == 1 {
		key.this = this[0].obj
	}
	m := mem.memo(key)
	// The second call can differ from the first, which may have set something up. Both results
	// count.
	if m.calls >= memoCalls && m.cost >= memoCost {
		return m.value
	}
	before := mem.budget.steps
	v := run()
	if !mem.state.dead {
		m.calls++
		m.cost = mem.budget.steps - before
		m.value = join(m.value, v)
	}
	return v
}

// repeatedAlike is for arguments with the look of another call's. Its writes are repeated as
// possible ones: they join the content of the slots.
func (mem *memory) repeatedAlike(c *closure, this Value, args []Value, run func() Value) Value {
	key := memoKey{node: c.node, scope: c.scope, tool: mem.state.tool}
	l := look{heap: mem.heap, buf: mem.buf[:0]}
	l.value(this, 2)
	for _, v := range args {
		l.value(v, memoDepth)
		l.byte(';')
	}
	key.shape, mem.buf = string(l.buf), l.buf
	mem.budget.cost(len(l.buf) / 16)
	m := mem.memo(key)
	// With fewer facts than at the first call, a guard inside could come to less.
	if m.calls > 0 && m.cost >= memoPressed && mem.state.facts.holds(m.facts) {
		mem.budget.cost(len(m.writes))
		for _, w := range m.writes {
			mem.journal.keep(w.s)
			w.s.content = joinSlots(w.s.content, w.what)
		}
		mem.state.facts = mem.state.facts.and(m.after)
		return m.value
	}
	before, steps := mem.state.facts, mem.budget.steps
	mark, floor := mem.journal.open()
	v := run()
	if !mem.state.dead {
		writes := mem.journal.capture(mark)
		// A call with more writes sets something up, and should run each time.
		if len(writes) <= memoWrites {
			*m = memo{calls: 1, cost: mem.budget.steps - steps, value: v, facts: before, after: gained(mem.state.facts, before), writes: writes}
		}
	}
	mem.state.close(floor)
	return v
}

// memo finds the memo of a call, or makes an empty one.
func (mem *memory) memo(key memoKey) *memo {
	m := mem.memos[key]
	if m == nil {
		m = &memo{}
		mem.memos[key] = m
	}
	return m
}

// holds reports whether these facts include others.
func (f facts) holds(other facts) bool {
	for _, x := range other.all() {
		if x.bits&^f.of(x.origin) != 0 {
			return false
		}
	}
	return true
}

// A look writes values as bytes, so that equal bytes mean alike arguments: constants, holes with
// their facts, and the contents of objects, a few levels deep.
type look struct {
	heap *heap
	buf  []byte
}

// byte writes a mark.
func (l *look) byte(b byte) { l.buf = append(l.buf, b) }

// int writes a number behind a mark, so that neighbouring numbers stay apart.
func (l *look) int(mark byte, n int) { l.buf = strconv.AppendInt(append(l.buf, mark), int64(n), 10) }

// name writes a text so that its end is clear. Of a long one the hash is enough.
func (l *look) name(s string) {
	l.int('"', len(s))
	l.byte(':')
	if len(s) > memoText {
		l.buf = strconv.AppendUint(l.buf, maphash.String(memoSeed, s), 16)
		return
	}
	l.buf = append(l.buf, s...)
}

// flags packs truths into one number.
func (l *look) flags(list ...bool) {
	n := 0
	for _, f := range list {
		n <<= 1
		if f {
			n |= 1
		}
	}
	l.int('.', n)
}

// facts writes facts.
func (l *look) facts(f facts) {
	l.byte('(')
	for _, x := range f.all() {
		l.int(' ', x.origin)
		l.buf = strconv.AppendUint(append(l.buf, '='), uint64(x.bits), 16)
	}
}

// value writes all alternatives of a value.
func (l *look) value(v Value, depth int) {
	for i := range v {
		a := &v[i]
		l.int(',', int(a.kind))
		switch a.kind {
		case isBool:
			l.flags(a.b)
		case isNumber:
			l.buf = strconv.AppendFloat(append(l.buf, '='), a.n, 'g', -1, 64)
		case isText:
			l.text(a.text)
		case isNative, isUnknown:
			l.name(a.name)
		case isObject:
			l.object(a.obj, depth)
		}
		if a.dep || a.open {
			l.flags(a.dep, a.open)
		}
		if a.informs() {
			l.facts(a.under)
			l.facts(a.yes)
			l.facts(a.no)
		}
		if a.tool != "" {
			l.byte('@')
			l.name(a.tool)
		}
	}
	l.byte(',')
}

// text writes the parts of a text. The way of a hole is left out.
func (l *look) text(text []part) {
	for _, p := range text {
		switch {
		case p.hole != nil:
			h := p.hole
			l.int('<', h.origin.id)
			l.int('.', int(h.form))
			l.buf = strconv.AppendUint(append(l.buf, '.'), uint64(h.safe), 16)
			l.flags(h.rooted, h.normal, h.lookup, h.parsed, h.split, h.wild)
		case p.unknown:
			l.byte('?')
		default:
			l.name(p.s)
		}
	}
}

// object writes an object by its contents if it is plain, and by its id if it has a class:
// methods of an instance may depend on anything.
func (l *look) object(o *Object, depth int) {
	switch {
	case o.call != nil, depth == 0:
		l.labels(o)
		return
	// An instance: its id, and its properties as well.
	case o.class != nil || o.native != "" && o.native != "Array":
		l.int('#', o.id)
	// A function used as a class, or Object.create.
	case o.proto != nil:
		l.int('^', o.proto.id)
	case o.array != nil:
		l.int('[', len(o.array.list))
		for _, v := range o.array.list[:min(len(o.array.list), memoKeys)] {
			l.value(v, depth-1)
		}
		l.byte('+')
		l.value(o.array.rest, depth-1)
		l.byte(']')
		return
	}
	l.byte('{')
	keys := o.keys
	// Too large to write: only the same object looks alike, as far as its first properties go.
	if len(keys) > memoKeys {
		l.int('#', o.id)
		keys = keys[:memoKeys]
	}
	for _, k := range keys {
		l.name(k)
		l.byte(':')
		l.value(o.props[k].v, depth-1)
	}
	if o.any != nil {
		l.value(o.any.v, depth-1)
	}
	l.byte('}')
}

// labels writes which arguments can be reached from an object, and nothing else. It is for
// functions and for objects too deep to write. Objects older than the handler hold nothing of the
// caller yet; the id tells them apart.
func (l *look) labels(o *Object) {
	if o.id < l.heap.began {
		l.int('#', o.id)
		return
	}
	r := reach{origins: map[int]bool{}, objects: map[*Object]bool{}, scopes: map[*scope]bool{}}
	if o.call != nil {
		l.int('f', o.call.begin)
	}
	r.object(o)
	l.heap.budget.cost(r.slots)
	if r.slots > memoReach {
		l.int('#', o.id)
		return
	}
	l.byte('o')
	for _, id := range slices.Sorted(maps.Keys(r.origins)) {
		l.int(' ', id)
	}
}

// A reach is everything within reach of a value.
type reach struct {
	origins map[int]bool
	objects map[*Object]bool
	scopes  map[*scope]bool
	slots   int
}

// value goes through the alternatives of a value.
func (r *reach) value(v Value) {
	r.slots++
	for i := range v {
		if r.slots > memoReach {
			return
		}
		if v[i].obj != nil {
			r.object(v[i].obj)
		}
		for _, p := range v[i].text {
			if p.hole != nil {
				r.origins[p.hole.origin.id] = true
			}
		}
	}
}

// slot goes through everything that a slot holds.
func (r *reach) slot(s *slot) {
	if s == nil {
		return
	}
	r.value(s.v)
	r.value(s.rest)
	for _, v := range s.list {
		r.value(v)
	}
}

// object goes through an object, and through the scopes of a function, up to memoReach slots.
func (r *reach) object(o *Object) {
	if r.objects[o] || r.slots > memoReach {
		return
	}
	r.objects[o] = true
	for _, k := range o.keys {
		r.slot(o.props[k])
	}
	r.slot(o.array)
	r.slot(o.any)
	r.value(o.data)
	for _, v := range o.options {
		r.value(v)
	}
	if o.call == nil {
		return
	}
	for _, v := range o.call.bound {
		r.value(v)
	}
	for s := o.call.scope; s != nil && s.up != nil && !r.scopes[s]; s = s.up {
		r.scopes[s] = true
		for _, sl := range s.vars {
			if r.slot(sl); r.slots > memoReach {
				return
			}
		}
	}
}

// plain reports whether arguments hold neither the caller's text nor objects, which might hold
// it.
func plain(args []Value) bool {
	for _, v := range args {
		for _, a := range v {
			if a.kind == isObject || a.dep || tainted(a.text) {
				return false
			}
		}
	}
	return true
}
