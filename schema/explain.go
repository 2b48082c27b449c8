// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// failuresPerViolation is how many failures are kept for each violation that
// is reported: some turn out to be the same, and alternatives are compared by
// how many they have.
const failuresPerViolation = 4

// explain fills in the reasons why a value was not accepted.
func (e *evaluator) explain(v any, out *Evaluation) {
	plain := e.collect(v, false)
	out.Violations = e.render(plain.failures, plain.total)
	if e.schema.formats {
		asserted := e.collect(v, true)
		added, lost := without(asserted.failures, plain.failures), asserted.total-len(asserted.failures)
		if len(added) > 0 {
			out.Formats = e.render(added, len(added)+lost)
		}
	}
	if len(out.Violations)+len(out.Formats) == 0 {
		e.abort("the value was refused, and the reason could not be found")
	}
}

// collect gathers the failures.
func (e *evaluator) collect(v any, formats bool) *sink {
	e.sink = &sink{cap: e.schema.limits.Violations * failuresPerViolation}
	e.formats = formats
	e.eval(e.schema.root, v, nil, nil)
	found := e.sink
	e.sink, e.formats = nil, false
	return found
}

// without returns the failures that are not in known: the same keyword of the
// same subschema at the same place.
func without(failures, known []failure) []failure {
	have := map[string]bool{}
	for i := range known {
		have[known[i].identity()] = true
	}
	return slices.DeleteFunc(failures, func(f failure) bool { return have[f.identity()] })
}

// subject returns the place that f is reported at: that of the property when
// one is missing or not allowed.
func (f *failure) subject() *place {
	switch f.keyword {
	case "required", "dependencies", "dependentRequired", "additionalProperties", "unevaluatedProperties", "propertyNames":
		return f.at.property(f.name)
	default:
		return f.at
	}
}

func (f *failure) identity() string {
	return strings.Join([]string{f.at.pointer(), f.node.pointer, f.keyword, f.name, strconv.Itoa(f.pair[0])}, "\x00")
}

// render puts failures into words, as many as are reported. total counts those
// too that were not kept.
func (e *evaluator) render(failures []failure, total int) []Violation {
	l := &list{limit: e.schema.limits.Violations}
	x := explainer{evaluator: e, views: map[string]*view{}}
	for _, f := range inOrder(failures) {
		if l.full() {
			break
		}
		total--
		for _, v := range x.violations(f) {
			l.add(v)
		}
	}
	l.left = total
	return l.finish()
}

// inOrder sorts the failures by place, so that the last ones are left out.
func inOrder(failures []failure) []*failure {
	pointers := make(map[*failure]string, len(failures))
	out := make([]*failure, len(failures))
	for i := range failures {
		out[i] = &failures[i]
		pointers[out[i]] = out[i].subject().pointer()
	}
	// Not by slices.SortStableFunc, whose code a program has once for each type.
	sort.SliceStable(out, func(i, j int) bool { return comparePointers(pointers[out[i]], pointers[out[j]]) < 0 })
	return out
}

// A list is an ordered, bounded list of violations without doubles.
type list struct {
	limit   int
	entries []Violation
	left    int // left out
}

func (l *list) full() bool { return len(l.entries) >= l.limit }

func (l *list) add(v Violation) { l.entries = append(l.entries, v) }

func (l *list) finish() []Violation {
	sort.SliceStable(l.entries, func(i, j int) bool {
		a, b := &l.entries[i], &l.entries[j]
		return cmp.Or(comparePointers(a.Pointer, b.Pointer), cmp.Compare(a.Keyword, b.Keyword), cmp.Compare(a.Message, b.Message)) < 0
	})
	out := slices.CompactFunc(l.entries, func(a, b Violation) bool {
		return a.Pointer == b.Pointer && a.Keyword == b.Keyword && a.Message == b.Message
	})
	if len(out) > l.limit {
		l.left += len(out) - l.limit
		out = out[:l.limit]
	}
	if l.left > 0 {
		out = append(out, Violation{Message: fmt.Sprintf("and %d more", l.left)})
	}
	return out
}

// comparePointers orders places as a reader meets them: a parent before what
// is in it, array items by index, properties by name.
func comparePointers(a, b string) int {
	for a != b {
		var x, y string
		x, a, _ = strings.Cut(strings.TrimPrefix(a, "/"), "/")
		y, b, _ = strings.Cut(strings.TrimPrefix(b, "/"), "/")
		if x == y {
			continue
		}
		i, errX := strconv.Atoi(x)
		j, errY := strconv.Atoi(y)
		if errX == nil && errY == nil {
			return cmp.Or(cmp.Compare(i, j), cmp.Compare(x, y))
		}
		return cmp.Compare(x, y)
	}
	return 0
}
