// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"time"
)

const (
	// stepsPerLook is how many steps pass between two looks at the clock. A
	// step is a node applied to a value, some 50 ns.
	stepsPerLook = 1024
	// bytesPerStep is how many bytes of text cost as much as a step.
	bytesPerStep = 16
	// stepsPerComparison is what it costs to see whether two names are alike.
	stepsPerComparison = 8
	// maxNesting bounds the recursion; values from a strict decoder are not
	// nested nearly as deep, and the stack of each level takes about 1 kB.
	maxNesting = 20_000
	// maxDigits bounds the numbers of which multipleOf is worked out.
	maxDigits = 4096
)

// An evaluator applies nodes to one value. Without a sink it only decides, and
// stops at the first failure; with a sink it goes on and collects them all.
type evaluator struct {
	schema   *Schema
	deadline time.Time // zero: none
	left     int       // steps until the next look at the clock
	formats  bool      // formats are asserted
	sink     *sink
	because  *cause
	stored   int // failures kept in branches

	nesting int
	level   int   // how deep in the value
	hops    []hop // references on the way, to notice a cycle
	scope   []*resource
}

// A hop is a reference that was followed at some depth of the value.
type hop struct {
	target *node
	level  int
}

// spend counts steps, and aborts when the time is up.
func (e *evaluator) spend(steps int) {
	if e.left -= steps; e.left > 0 {
		return
	}
	e.left = stepsPerLook
	if !e.deadline.IsZero() && time.Now().After(e.deadline) {
		e.outOfTime("the schema takes longer than %s on this value", e.schema.limits.Time)
	}
}

// deeper counts one level of recursion; the caller takes it back.
func (e *evaluator) deeper() {
	if e.nesting++; e.nesting > maxNesting {
		e.abort("the value or the schema is nested too deep")
	}
}

// quick reports whether a failure decides, so that nothing else need be known.
func (e *evaluator) quick() bool { return e.sink == nil }

// eval applies n to v, which is at the given place. It notes the locations that n evaluates in
// out, unless that is nil.
func (e *evaluator) eval(n *node, v any, at *place, out *seen) bool {
	e.spend(1)
	if n.always || n.never {
		return n.always || e.fail(failure{at: at, node: n, keyword: "false", value: v})
	}
	e.deeper()
	if n.resource != nil {
		e.scope = append(e.scope, n.resource)
	}
	own := e.track(n, out)
	ok := e.all(n, v, at, own)
	if own != nil && (ok || !e.quick()) {
		out.merge(own)
	}
	if n.resource != nil {
		e.scope = e.scope[:len(e.scope)-1]
	}
	e.nesting--
	return ok
}

// all applies the keywords of n.
func (e *evaluator) all(n *node, v any, at *place, own *seen) bool {
	kind := kindOf(v)
	if kind == 0 {
		e.foreign(v)
	}
	if number, ok := v.(json.Number); ok {
		e.readable(number)
	}
	if n.kinds != 0 && !e.allowed(n.kinds, kind, v) {
		e.fail(failure{at: at, node: n, keyword: "type", value: v})
		if kind != kindNumber || n.kinds&kindInteger == 0 {
			return false
		}
		if e.quick() {
			return false
		}
		e.numberRules(n, v.(json.Number), at)
		return false
	}
	ok := e.generic(n, v, at)
	if ok || !e.quick() {
		ok = e.typed(n, v, at, own) && ok
	}
	if ok || !e.quick() {
		ok = e.applied(n, v, at, own) && ok
	}
	if own != nil && (ok || !e.quick()) {
		ok = e.unevaluated(n, v, at, own) && ok
	}
	return ok
}

func (e *evaluator) allowed(set, kind kinds, v any) bool {
	if set&kind != 0 {
		return true
	}
	if kind != kindNumber || set&kindInteger == 0 {
		return false
	}
	if _, ok := smallInt(v.(json.Number)); ok {
		return true
	}
	d := e.decimal(v.(json.Number))
	return d.isInteger()
}

// generic applies the keywords that do not depend on the type.
func (e *evaluator) generic(n *node, v any, at *place) bool {
	ok := true
	if n.constant != nil && !n.constant.has(e, v) {
		ok = e.fail(failure{at: at, node: n, keyword: "const", value: v})
	}
	if n.enum != nil && (ok || !e.quick()) && !n.enum.has(e, v) {
		ok = e.fail(failure{at: at, node: n, keyword: "enum", value: v})
	}
	if s, is := v.(string); is && n.format != nil && e.formats && (ok || !e.quick()) {
		e.spend(len(s) / bytesPerStep)
		if n.format.slow {
			e.spend(stepsPerLook)
		}
		if !n.format.valid(s) {
			ok = e.fail(failure{at: at, node: n, keyword: "format", value: v})
		}
	}
	return ok
}

func (e *evaluator) typed(n *node, boxed any, at *place, own *seen) bool {
	switch v := boxed.(type) {
	case map[string]any:
		return n.object == nil || e.objectRules(n, v, at, own)
	case []any:
		return n.array == nil || e.arrayRules(n, v, boxed, at, own)
	case string:
		return n.text == nil || e.stringRules(n, v, boxed, at)
	case json.Number:
		return n.number == nil || e.numberRules(n, v, at)
	default:
		return true
	}
}

// inside applies n to a value inside the present one.
func (e *evaluator) inside(n *node, v any, at *place) bool {
	e.level++
	ok := e.eval(n, v, at, nil)
	e.level--
	return ok
}

// decides applies n without collecting failures.
func (e *evaluator) decides(n *node, v any, out *seen) bool {
	kept := e.sink
	e.sink = nil
	ok := e.eval(n, v, nil, out)
	e.sink = kept
	return ok
}

// attempt applies n, and returns its failures instead of reporting them.
func (e *evaluator) attempt(n *node, v any, at *place, out *seen) ([]failure, bool) {
	if e.quick() {
		return nil, e.eval(n, v, at, out)
	}
	kept := e.sink
	e.sink = &sink{cap: e.schema.limits.Violations + 1, branch: true}
	ok := e.eval(n, v, at, out)
	failures := e.sink.failures
	e.sink = kept
	return failures, ok
}

// readable aborts on a text that is no number.
func (e *evaluator) readable(n json.Number) {
	if _, ok := smallInt(n); !ok {
		e.decimal(n)
	}
}

func (e *evaluator) decimal(n json.Number) decimal {
	e.spend(len(n) / bytesPerStep)
	d, ok := parseDecimal(n)
	if !ok {
		e.abort("the value holds a number that cannot be read")
	}
	return d
}
