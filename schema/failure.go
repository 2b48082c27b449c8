// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strconv"
	"strings"
)

// A failure is a keyword that did not hold, before it is put into words.
type failure struct {
	at      *place
	node    *node
	keyword string
	value   any    // the value at the place; it chooses the advice and is never shown
	name    string // the property that is missing, not allowed or badly named
	other   string // the property that asks for it
	pair    [2]int // items that are equal, or branches of oneOf that both match

	branches [][]failure // of anyOf and oneOf; for propertyNames one
	because  *cause
}

// A cause is why a subschema was applied at all: the outcome of an "if", or the presence of a
// property.
type cause struct {
	condition *node
	holds     bool
	property  string
}

// A sink collects failures, and counts those beyond its capacity.
type sink struct {
	failures []failure
	total    int
	cap      int
	branch   bool // it belongs to an alternative, and shares maxStored
}

// maxStored bounds the failures that are kept in all branches together.
const maxStored = 20_000

// fail reports f, and returns false.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (e *evaluator) fail(f failure) bool {
	if e.sink == nil {
		return false
	}
	e.sink.total++
	if len(e.sink.failures) >= e.sink.cap || e.sink.branch && e.stored >= maxStored {
		return false
	}
	if e.sink.branch {
		e.stored++
	}
	f.because = e.because
	e.sink.failures = append(e.sink.failures, f)
	return false
}

// A place is where in the value something is; nil is the value itself.
type place struct {
	parent *place
	name   string
	index  int // of an array item; -1 for a property
}

// property is not inlined: its copies weigh more than they save.
//
//go:noinline
func (p *place) property(name string) *place { return &place{parent: p, name: name, index: -1} }

// member and item return the place of something inside, nil when nobody asks.
func (e *evaluator) member(at *place, name string) *place {
	if e.quick() {
		return nil
	}
	return at.property(name)
}

func (e *evaluator) item(at *place, i int) *place {
	if e.quick() {
		return nil
	}
	return &place{parent: at, name: strconv.Itoa(i), index: i}
}

// pointer returns the JSON Pointer of p. Names that are very long are cut.
func (p *place) pointer() string {
	var path []string
	for ; p != nil; p = p.parent {
		path = append(path, p.name)
	}
	var b strings.Builder
	for i := len(path) - 1; i >= 0; i-- {
		b.WriteByte('/')
		pointerEscaper.WriteString(&b, cut(path[i], maxPointerName))
	}
	return b.String()
}
