// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"encoding/json"
	"unicode/utf8"
)

// The methods below follow one form: the next keyword is looked at as long as
// none has failed, or when failures are collected.

func (e *evaluator) objectRules(n *node, obj map[string]any, at *place, own *seen) bool {
	o := n.object
	ok := e.size(n, len(obj), o.min, o.max, "minProperties", "maxProperties", obj, at)
	if ok || !e.quick() {
		ok = e.required(n, o.required, failure{at: at, node: n, keyword: "required", value: obj}) && ok
	}
	if ok || !e.quick() {
		ok = e.properties(n, obj, at, own) && ok
	}
	if o.propNames != nil && (ok || !e.quick()) {
		ok = e.propertyNames(n, obj, at) && ok
	}
	if o.dependents != nil && (ok || !e.quick()) {
		ok = e.dependents(n, obj, at, own) && ok
	}
	return ok
}

// size compares a number of members with its bounds.
func (e *evaluator) size(n *node, got, least, most int, leastWord, mostWord string, v any, at *place) bool {
	switch {
	case got < least:
		return e.fail(failure{at: at, node: n, keyword: leastWord, value: v})
	case most >= 0 && got > most:
		return e.fail(failure{at: at, node: n, keyword: mostWord, value: v})
	default:
		return true
	}
}

// required reports each of names that f.value lacks as f.
func (e *evaluator) required(n *node, names []string, f failure) bool {
	ok := true
	obj := f.value.(map[string]any)
	for _, name := range names {
		if _, has := obj[name]; has {
			continue
		}
		f.name = name
		if ok = e.fail(f); e.quick() {
			return false
		}
	}
	return ok
}

func (e *evaluator) properties(n *node, obj map[string]any, at *place, own *seen) bool {
	if !e.quick() {
		ok := true
		for _, name := range sortedNames(obj) {
			ok = e.property(n, obj, name, at.property(name), at, own) && ok
		}
		return ok
	}
	for name := range obj {
		if !e.property(n, obj, name, nil, nil, own) {
			return false
		}
	}
	return true
}

func (e *evaluator) property(n *node, obj map[string]any, name string, at, parent *place, own *seen) bool {
	o := n.object
	sub := o.props[name]
	evaluated, ok := sub != nil, true
	if sub != nil {
		ok = e.inside(sub, obj[name], at)
	}
	for _, rule := range o.patterns {
		if e.matches(rule.pattern, name) {
			evaluated = true
			if ok || !e.quick() {
				ok = e.inside(rule.node, obj[name], at) && ok
			}
		}
	}
	if !evaluated && o.additional != nil {
		evaluated = true
		if o.additional.never {
			ok = e.fail(failure{at: parent, node: n, keyword: "additionalProperties", name: name, value: obj})
		} else {
			ok = e.inside(o.additional, obj[name], at)
		}
	}
	if evaluated {
		own.addName(name)
	}
	return ok
}

func (e *evaluator) propertyNames(n *node, obj map[string]any, at *place) bool {
	ok := true
	for _, name := range sortedNames(obj) {
		e.level++
		reasons, fits := e.attempt(n.object.propNames, name, at, nil)
		e.level--
		if fits {
			continue
		}
		ok = e.fail(failure{at: at, node: n, keyword: "propertyNames", name: name, value: obj, branches: [][]failure{reasons}})
		if e.quick() {
			return false
		}
	}
	return ok
}

func (e *evaluator) dependents(n *node, obj map[string]any, at *place, own *seen) bool {
	ok := true
	for i := range n.object.dependents {
		d := &n.object.dependents[i]
		if _, has := obj[d.name]; !has {
			continue
		}
		if d.node == nil {
			ok = e.required(n, d.required, failure{at: at, node: n, keyword: d.keyword, other: d.name, value: obj}) && ok
		} else {
			kept := e.because
			e.because = &cause{property: d.name}
			ok = e.eval(d.node, obj, at, own) && ok
			e.because = kept
		}
		if !ok && e.quick() {
			return false
		}
	}
	return ok
}

func (e *evaluator) arrayRules(n *node, arr []any, boxed any, at *place, own *seen) bool {
	a := n.array
	ok := e.size(n, len(arr), a.min, a.max, "minItems", "maxItems", boxed, at)
	if a.unique && (ok || !e.quick()) {
		ok = e.uniqueItems(n, arr, at) && ok
	}
	if ok || !e.quick() {
		ok = e.items(n, arr, at, own) && ok
	}
	if a.contains != nil && (ok || !e.quick()) {
		ok = e.contains(n, arr, at, own) && ok
	}
	return ok
}

func (e *evaluator) uniqueItems(n *node, arr []any, at *place) bool {
	ok := true
	first := make(map[string]int, len(arr))
	for i, item := range arr {
		key := e.key(item)
		j, twice := first[key]
		if !twice {
			first[key] = i
			continue
		}
		if ok = e.fail(failure{at: e.item(at, i), node: n, keyword: "uniqueItems", pair: [2]int{j, i}}); e.quick() {
			return false
		}
	}
	return ok
}

func (e *evaluator) items(n *node, arr []any, at *place, own *seen) bool {
	a := n.array
	ok := true
	for i, item := range arr {
		sub := a.rest
		if i < len(a.prefix) {
			sub = a.prefix[i]
		} else if sub == nil {
			own.addItems(i)
			return ok
		} else if sub.never {
			own.addItems(len(arr))
			e.fail(failure{at: at, node: n, keyword: a.restWord, value: arr})
			return false
		}
		if ok = e.inside(sub, item, e.item(at, i)) && ok; !ok && e.quick() {
			return false
		}
	}
	own.addItems(len(arr))
	return ok
}

func (e *evaluator) contains(n *node, arr []any, at *place, own *seen) bool {
	a := n.array
	count := 0
	e.level++
	for i, item := range arr {
		if e.decides(a.contains, item, nil) {
			count++
			if a.containsEvaluates {
				own.addItem(i)
			}
		}
	}
	e.level--
	least := "minContains"
	if a.minContains == 1 {
		least = "contains"
	}
	return e.size(n, count, a.minContains, a.maxContains, least, "maxContains", arr, at)
}

func (e *evaluator) stringRules(n *node, s string, boxed any, at *place) bool {
	t := n.text
	ok := true
	if t.min > 0 || t.max >= 0 {
		e.spend(len(s) / bytesPerStep)
		ok = e.size(n, utf8.RuneCountInString(s), t.min, t.max, "minLength", "maxLength", boxed, at)
	}
	if t.pattern != nil && (ok || !e.quick()) && !e.matches(t.pattern, s) {
		ok = e.fail(failure{at: at, node: n, keyword: "pattern", value: boxed})
	}
	return ok
}

func (e *evaluator) numberRules(n *node, v json.Number, at *place) bool {
	r := n.number
	if r == nil {
		return true
	}
	x := measure{evaluator: e, text: v}
	x.small, x.fits = smallInt(v)
	ok := true
	for _, rule := range [...]struct {
		bound   *bound
		keyword string
		want    order
	}{
		{r.minimum, "minimum", above | equal},
		{r.maximum, "maximum", below | equal},
		{r.aboveMinimum, "exclusiveMinimum", above},
		{r.belowMaximum, "exclusiveMaximum", below},
	} {
		if rule.bound == nil || x.compare(rule.bound)&rule.want != 0 {
			continue
		}
		if ok = e.fail(failure{at: at, node: n, keyword: rule.keyword, value: v}); e.quick() {
			return false
		}
	}
	if r.multipleOf != nil && !x.multipleOf(r.multipleOf) {
		ok = e.fail(failure{at: at, node: n, keyword: "multipleOf", value: v})
	}
	return ok
}

// An order says how one number compares with another; it is also a set.
type order uint8

const (
	below order = 1 << iota
	equal
	above
)

// A measure compares one number of the value with bounds of the schema.
type measure struct {
	*evaluator
	text  json.Number
	small int64
	fits  bool // small is the number
	exact decimal
	known bool // exact is the number
}

func (x *measure) value() *decimal {
	if !x.known {
		x.exact, x.known = x.decimal(x.text), true
	}
	return &x.exact
}

func (x *measure) compare(b *bound) order {
	var c int
	if x.fits && b.fits {
		c = cmp.Compare(x.small, b.small)
	} else {
		c = x.value().compare(&b.value)
	}
	return order(1 << (c + 1))
}

func (x *measure) multipleOf(b *bound) bool {
	if x.fits && b.fits {
		return x.small%b.small == 0
	}
	d := x.value()
	if d.digits > maxDigits {
		x.abort("the value holds a number with more than %d digits", maxDigits)
	}
	return d.multipleOf(&b.value)
}
