// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strconv"
	"strings"
)

// unknown reports the properties that the schema neither declares nor
// forbids. Where it says "additionalProperties": true or gives a schema for
// them, only those count that look like a declared one misspelt.
func (e *evaluator) unknown(v any, out *Evaluation) {
	if e.known(e.schema.root, v, true) {
		return
	}
	w := unknowns{
		evaluator: e, invalid: len(out.Violations) > 0,
		sink:      &list{limit: e.schema.limits.Violations},
		ambiguous: &list{limit: e.schema.limits.Violations},
	}
	w.value([]*node{e.schema.root}, v, nil)
	out.Unknown = w.sink.finish()
	out.Ambiguous = w.ambiguous.finish()
}

// known reports, fast and without allocations, that there is nothing to
// report. When it is not sure it says no.
func (e *evaluator) known(n *node, v any, root bool) bool {
	if !n.declares && !root {
		return true
	}
	e.spend(1)
	e.deeper()
	defer func() { e.nesting-- }()
	if len(n.inPlace) > 0 {
		return len(n.refs) == 1 && len(n.inPlace) == 1 && n.object == nil && n.array == nil && e.known(n.refs[0].target, v, root)
	}
	switch v := v.(type) {
	case map[string]any:
		return e.knownProperties(n, v)
	case []any:
		if n.array == nil {
			return true
		}
		for i, item := range v {
			sub := n.array.rest
			if i < len(n.array.prefix) {
				sub = n.array.prefix[i]
			}
			if sub != nil && !e.known(sub, item, false) {
				return false
			}
		}
	}
	return true
}

func (e *evaluator) knownProperties(n *node, obj map[string]any) bool {
	if n.object == nil {
		return len(obj) == 0
	}
	for name, v := range obj {
		sub := n.object.props[name]
		if sub == nil || !e.known(sub, v, false) {
			return false
		}
	}
	return true
}

// unknowns walks over a value together with all that the schema says.
type unknowns struct {
	*evaluator
	sink      *list
	ambiguous *list
	invalid   bool
}

func (w *unknowns) value(nodes []*node, v any, at *place) {
	w.deeper()
	defer func() { w.nesting-- }()
	switch v := v.(type) {
	case map[string]any:
		view := w.view(nodes)
		w.object(view, v, at)
		for _, name := range sortedNames(v) {
			if subs := w.children(view.nodes, name); declaring(subs) {
				w.value(subs, v[name], at.property(name))
			}
		}
	case []any:
		nodes = w.expand(nodes)
		for i, item := range v {
			if subs := w.elements(nodes, i); declaring(subs) {
				w.value(subs, item, &place{parent: at, name: strconv.Itoa(i), index: i})
			}
		}
	}
}

func declaring(nodes []*node) bool {
	for _, n := range nodes {
		if n.declares {
			return true
		}
	}
	return false
}

func (w *unknowns) object(view *view, obj map[string]any, at *place) {
	if at != nil && len(view.declared)+len(view.patterns) == 0 || w.invalid && view.closed {
		return // a free-form object, or reported as a violation already
	}
	for _, name := range sortedNames(obj) {
		if declared, ok := w.confusable(view, name); ok {
			if w.ambiguous.full() {
				w.ambiguous.left++
				continue
			}
			v := Violation{
				Pointer:    at.property(name).pointer(),
				Keyword:    "properties",
				Message:    "differs from a declared argument in case alone, and some servers take the one for the other",
				Suggestion: "rename " + quote(name) + " to " + quote(declared),
			}
			if _, both := obj[declared]; both {
				v.Message = "differs from another argument in case alone, and some servers take the one for the other"
				v.Suggestion = "send only one of the two, as the tool declares it"
			}
			w.ambiguous.add(v)
			continue
		}
		if view.declares(w.evaluator, name) {
			continue
		}
		if w.sink.full() {
			w.sink.left++
			continue
		}
		meant, near := view.meant(w.evaluator, name, obj)
		if view.open && !near {
			continue
		}
		v := Violation{Pointer: at.property(name).pointer(), Keyword: "properties", Message: unknownMessage(view), Suggestion: renameOr(near, name, meant)}
		if len(view.declared) == 0 {
			v.Suggestion = "" // many such servers take arguments all the same
		}
		w.sink.add(v)
	}
}

// confusable returns the declared name from which an undeclared name differs only in case.
func (w *unknowns) confusable(view *view, name string) (string, bool) {
	if view.declared[name] {
		return "", false
	}
	w.spend(len(view.declared))
	found, ok := "", false
	for declared := range view.declared {
		if strings.EqualFold(declared, name) && (!ok || declared < found) {
			found, ok = declared, true
		}
	}
	return found, ok
}

func unknownMessage(view *view) string {
	if len(view.declared) == 0 {
		return "the tool declares no parameters, and may ignore this one"
	}
	return "the tool does not declare this property, and may ignore it; declared: " +
		listed(quoted(view.names()), maxListed, "and")
}

// meant returns the declared property that an undeclared name in obj was most
// likely meant to be; one that obj has already is out of the question.
func (w *view) meant(e *evaluator, name string, obj map[string]any) (string, bool) {
	var absent []string
	e.spend(len(w.declared) * stepsPerComparison)
	for _, c := range w.names() {
		if _, has := obj[c]; !has {
			absent = append(absent, c)
		}
	}
	return similar(name, absent, func(c string) bool { return w.required[c] })
}

func renameOr(near bool, name, meant string) string {
	if near {
		return "rename " + quote(name) + " to " + quote(meant)
	}
	return "remove " + quote(name)
}
