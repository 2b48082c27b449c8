// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

// applied applies what n applies to the same value.
func (e *evaluator) applied(n *node, v any, at *place, own *seen) bool {
	ok := true
	for i := range n.refs {
		if ok = e.follow(&n.refs[i], v, at, own) && ok; !ok && e.quick() {
			return false
		}
	}
	for _, sub := range n.allOf {
		if ok = e.eval(sub, v, at, own) && ok; !ok && e.quick() {
			return false
		}
	}
	if n.anyOf != nil {
		ok = e.anyOf(n, v, at, own) && ok
	}
	if n.oneOf != nil && (ok || !e.quick()) {
		ok = e.oneOf(n, v, at, own) && ok
	}
	if n.not != nil && (ok || !e.quick()) && e.decides(n.not, v, nil) {
		ok = e.fail(failure{at: at, node: n, keyword: "not", value: v})
	}
	if n.condition != nil && (ok || !e.quick()) {
		ok = e.conditional(n, v, at, own) && ok
	}
	return ok
}

// follow applies what a reference leads to. A reference that leads back to
// itself without going into the value has no meaning (2020-12 core §9.4.1).
func (e *evaluator) follow(r *reference, v any, at *place, own *seen) bool {
	target := e.resolve(r)
	for i := len(e.hops) - 1; i >= 0 && e.hops[i].level == e.level; i-- {
		if e.hops[i].target == target {
			e.abort("the schema's reference to %s leads back to itself", printable("#"+target.pointer, maxPrintedPointer))
		}
		e.spend(1)
	}
	e.hops = append(e.hops, hop{target, e.level})
	ok := e.eval(target, v, at, own)
	e.hops = e.hops[:len(e.hops)-1]
	return ok
}

func (e *evaluator) resolve(r *reference) *node {
	if !r.dynamic {
		return r.target
	}
	for _, res := range e.scope { // the outermost first
		e.spend(1)
		if r.anchor == "" && res.recursive {
			return res.root
		}
		if target := res.anchors[r.anchor]; target != nil {
			return target
		}
	}
	return r.target
}

func (e *evaluator) anyOf(n *node, v any, at *place, own *seen) bool {
	var branches [][]failure
	var none []*seen // locations evaluated by failed branches
	matched := false
	for _, sub := range n.anyOf {
		mine := own.fresh()
		failures, ok := e.attempt(sub, v, at, mine)
		if ok {
			own.merge(mine)
			if matched = true; own == nil {
				return true
			}
		} else if !e.quick() {
			branches, none = append(branches, failures), append(none, mine)
		}
	}
	if matched {
		return true
	}
	own.mergeAll(none)
	return e.fail(failure{at: at, node: n, keyword: "anyOf", value: v, branches: branches})
}

func (e *evaluator) oneOf(n *node, v any, at *place, own *seen) bool {
	var branches [][]failure
	var none []*seen
	first := -1
	for i, sub := range n.oneOf {
		mine := own.fresh()
		failures, ok := e.attempt(sub, v, at, mine)
		switch {
		case ok && first >= 0:
			return e.fail(failure{at: at, node: n, keyword: "oneOf", value: v, pair: [2]int{first, i}})
		case ok:
			first = i
			own.merge(mine)
		case !e.quick():
			branches, none = append(branches, failures), append(none, mine)
		}
	}
	if first >= 0 {
		return true
	}
	own.mergeAll(none)
	return e.fail(failure{at: at, node: n, keyword: "oneOf", value: v, branches: branches})
}

func (e *evaluator) conditional(n *node, v any, at *place, own *seen) bool {
	holds := e.decides(n.condition, v, own)
	sub := n.otherwise
	if holds {
		sub = n.then
	}
	if sub == nil {
		return true
	}
	kept := e.because
	e.because = &cause{condition: n.condition, holds: holds}
	ok := e.eval(sub, v, at, own)
	e.because = kept
	return ok
}

// unevaluated applies unevaluatedProperties or unevaluatedItems to what
// nothing else in n evaluated.
func (e *evaluator) unevaluated(n *node, v any, at *place, own *seen) bool {
	switch v := v.(type) {
	case map[string]any:
		if n.object == nil || n.object.unevaluated == nil {
			return true
		}
		return e.unevaluatedProperties(n, v, at, own)
	case []any:
		if n.array == nil || n.array.unevaluated == nil {
			return true
		}
		return e.unevaluatedItems(n, v, at, own)
	default:
		return true
	}
}

func (e *evaluator) unevaluatedProperties(n *node, obj map[string]any, at *place, own *seen) bool {
	sub := n.object.unevaluated
	ok := true
	for _, name := range sortedNames(obj) {
		if own.hasName(name) {
			continue
		}
		if sub.never {
			ok = e.fail(failure{at: at, node: n, keyword: "unevaluatedProperties", name: name, value: obj})
		} else {
			ok = e.inside(sub, obj[name], e.member(at, name)) && ok
		}
		if !ok && e.quick() {
			return false
		}
	}
	own.allNames = true
	return ok
}

func (e *evaluator) unevaluatedItems(n *node, arr []any, at *place, own *seen) bool {
	sub := n.array.unevaluated
	ok := true
	for i, item := range arr {
		if own.hasItem(i) {
			continue
		}
		if sub.never {
			ok = e.fail(failure{at: e.item(at, i), node: n, keyword: "unevaluatedItems", value: item})
		} else {
			ok = e.inside(sub, item, e.item(at, i)) && ok
		}
		if !ok && e.quick() {
			return false
		}
	}
	own.addItems(len(arr))
	return ok
}
