// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"strings"

	"github.com/dop251/goja/ast"
)

// Guards that take an address apart, compare numbers or use a table have no conditions for
// predicate to read:
//
//	const n = ip.split(".").reduce((a, o) => a * 256 + Number(o), 0)
//	return ranges.some(([from, to]) => n >= from && n <= to)
//
// So a small function that gets an argument is run on each attack as well, with constants and
// within few steps. If it throws or answers the same for all values of a family, that is a fact.
const (
	// A guard is quick; a function that takes longer does something else.
	probeSteps = 1000
	// steps for all tries of one function
	probeOne = 30_000
	// bytes of a function that is tried
	probeSize = 6000
	// functions that are tried
	maxProbes = 400
)

// probes are the tries of guards. The result for one function and one shape of arguments holds
// for all handlers: a try is given constants, and nothing of the handler.
type probes struct {
	on    bool // a try runs: it finds nothing, registers nothing and calls no callbacks
	known map[probeKey]probed
	spent int // steps of all tries; they count for no handler
}

// A probeKey is a function with arguments of a certain look.
type probeKey struct {
	node  ast.Node
	shape string
}

// A probeResult has the facts behind a call: in any case, and where the result is truthy or
// falsy.
type probeResult struct {
	after, yes, no facts
}

// probed is the same for no argument in particular, to use it again.
type probed struct{ after, yes, no Bits }

// apply adds the facts of its truth to the result of a call.
func (p probeResult) apply(v Value) Value {
	if p.yes.list == nil && p.no.list == nil {
		return v
	}
	out := append(Value(nil), v...)
	for i := range out {
		may, mayNot := out[i].truth()
		switch {
		// The truth of the result is open: it carries the facts of each side.
		case may && mayNot:
			out[i].yes, out[i].no = out[i].yes.and(p.yes), out[i].no.and(p.no)
			if out[i].kind == isUnknown {
				out[i].dep = true
			}
		case may:
			out[i].under = out[i].under.and(p.yes)
		default:
			out[i].under = out[i].under.and(p.no)
		}
	}
	return out
}

// subjectOf is the argument that is tried, if the value is exactly one: a text or a URL.
func subjectOf(v Value) (h *hole, isURL bool) {
	if v = v.present(); len(v) != 1 {
		return nil, false
	}
	a := v[0]
	if a.kind == isObject && a.obj.native == "URL" {
		isURL = true
		if len(a.obj.data) != 1 {
			return nil, false
		}
		a = a.obj.data[0]
	}
	if a.kind != isText || len(a.text) != 1 || a.text[0].hole == nil || a.open && a.text[0].hole.origin.pointer == "" {
		return nil, false
	}
	return a.text[0].hole, isURL
}

// probe tries a function on the attacks, for each of its first arguments that is the caller's.
// The tool's name is none. Steps are given back afterwards, since they say nothing about the
// handler's own size.
func (in *interp) probe(o *Object, this Value, args []Value, at position) probeResult {
	var r probeResult
	c := o.call
	// Long functions do something else than guard, and each try of one costs its whole run.
	if c.end-c.begin > probeSize || len(in.probes.known) > maxProbes || in.probes.spent > in.budget.limits.StepsHandler {
		return r
	}
	for i, v := range args {
		h, isURL := subjectOf(v)
		if h == nil || i > 4 || toolOrigin(h.origin) {
			continue
		}
		key := probeKey{c.node, fmt.Sprint(i, len(args), h.form, isURL, shape(args))}
		p, ok := in.probes.known[key]
		if !ok {
			before := in.budget.steps
			p = in.tryFamilies(o, this, args, i, h, isURL, at)
			in.probes.spent += in.budget.steps - before
			in.budget.steps = before // they have a budget of their own
			in.probes.known[key] = p
		}
		id := h.origin.id
		r.after, r.yes, r.no = r.after.and(known(id, p.after)), r.yes.and(known(id, p.yes)), r.no.and(known(id, p.no))
	}
	return r
}

// shape tells arguments apart by their constants, on which a guard may depend. 40 bytes of a text
// are enough to tell modes and names apart.
func shape(args []Value) string {
	var b strings.Builder
	for _, v := range args {
		for _, a := range v {
			s, _ := a.constText()
			fmt.Fprintf(&b, "%d:%.40s:%v,", a.kind, s, a.b)
		}
		b.WriteByte(';')
	}
	return b.String()
}

// tryFamilies runs a function on each family. It begins with a value that no guard refuses: a
// function that cannot even finish for it is no guard. bitSibling and bitHostPrefix depend on
// constants inside the function, which are unknown here; predicate sees them.
func (in *interp) tryFamilies(o *Object, this Value, args []Value, i int, h *hole, isURL bool, at position) probed {
	var after, yes, no Bits
	f := h.form
	if isURL {
		f = formURL
	}
	if _, _, whole := in.tryOne(o, this, args, i, benign(f), isURL, at); !whole {
		return probed{}
	}
	start := in.budget.steps
	for _, fam := range families {
		if in.budget.steps-start > probeOne {
			return probed{}
		}
		values := fam.values[f]
		if len(values) == 0 || fam.bit == bitSibling || fam.bit == bitHostPrefix {
			continue
		}
		throws, truthy, falsy := true, true, true
		for _, v := range values {
			if strings.HasPrefix(v, "[") && isURL {
				continue
			}
			// One value for which the function neither throws nor answers like for the others
			// ends the family.
			t, result, whole := in.tryOne(o, this, args, i, v, isURL, at)
			if !whole {
				return probed{}
			}
			if t {
				continue
			}
			throws = false
			may, mayNot := sides(result)
			truthy = truthy && len(mayNot) == 0
			falsy = falsy && len(may) == 0
			if !truthy && !falsy {
				break
			}
		}
		bit := fam.bit
		if f == formAddress {
			bit = h.resolved(bit)
		}
		if throws {
			after |= bit
		}
		if falsy {
			yes |= bit
		}
		if truthy {
			no |= bit
		}
	}
	return probed{after, yes, no}
}

// benign is a value that no guard refuses.
func benign(f form) string {
	switch f {
	case formHost:
		return "www.example.org"
	case formAddress:
		return "93.184.215.14"
	case formURL:
		return "https://www.example.org/page"
	}
	return "page"
}

// tryOne runs a function on one value and takes back everything that it did. It reports whether
// the function threw, its result, and whether it came to its end within the steps.
func (in *interp) tryOne(o *Object, this Value, args []Value, i int, v string, isURL bool, at position) (throws bool, result Value, whole bool) {
	facts, tool := in.state.facts, in.state.tool
	mark, floor := in.journal.open()
	in.probes.on = true
	limit := in.budget.limit
	whole = in.bounded(probeSteps, func() {
		in.probes.on = true
		tried := append([]Value(nil), args...)
		tried[i] = constant(v)
		if isURL {
			tried[i] = in.newURL([]Value{constant(v)})
			if in.state.dead {
				return
			}
		}
		result = settledOf(in.invoke(o, this, tried, at))
	})
	throws = in.state.dead
	in.journal.undo(mark)
	in.state.close(floor)
	// All effects of the function are taken back, and its facts, too.
	in.state.dead, in.probes.on, in.state.facts, in.state.tool, in.budget.limit = false, false, facts, tool, limit
	if in.budget.late {
		in.budget.stop()
	}
	return throws, result, whole
}
