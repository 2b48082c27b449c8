// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strings"
)

// A registry holds the announcements of a server, made while its files are loaded: the handlers
// of its tools, and the functions that list the tools or start a session. The order of handlers
// is that of the program; reports and the sharing of work (lanes.go) rely on it.
//
// Registrations count only while files are loaded. A tool that a handler registers, as a server
// with plug-ins may do, is not found.
type registry struct {
	budget *budget

	handlers    []*handler
	dropped     int              // handlers beyond the limit
	listings    []Value          // functions that answer tools/list
	beginnings  []Value          // functions that answer initialize
	decorations []decoration     // methods with a decorator that makes them tools
	wrapped     map[*Object]bool // tools that find their arguments in a property

	// picks are the names in the choices of handlers for many tools: case "read_file",
	// table[name].
	picks  map[string]bool
	nested int // registrations by functions of the program within each other
}

// addNamed adds a handler for each name that its tool may have.
func (r *registry) addNamed(name Value, h *handler) {
	words := name.words()
	if len(words) == 0 {
		r.add(h)
	}
	for _, w := range words {
		n := *h
		n.tool = w
		r.add(&n)
	}
}

// add adds a handler, unless it is there already: functions that register tools may run twice.
func (r *registry) add(h *handler) {
	for _, old := range r.handlers {
		if old.tool == h.tool && old.low == h.low && sameFunction(old.fn, h.fn, h.tool != "") {
			return
		}
	}
	if len(r.handlers) < r.budget.limits.Handlers {
		r.handlers = append(r.handlers, h)
	} else {
		r.dropped++
	}
}

// toolOf is createTool({…}) of a package: the object is the tool. Tools of Mastra find their
// arguments in the property "context" of their argument.
func (r *registry) toolOf(name string, v Value) Value {
	for _, a := range v {
		if a.kind == isObject && a.obj.call == nil && strings.HasPrefix(name, "@mastra/") {
			if r.wrapped == nil {
				r.wrapped = map[*Object]bool{}
			}
			r.wrapped[a.obj] = true
		}
	}
	return v
}

// registerLow is setRequestHandler(schema, handler). Handlers of other requests do not matter.
func (r *registry) registerLow(args []Value, at position) bool {
	if len(args) < 2 {
		return true
	}
	fn := functions(args[len(args)-1])
	switch {
	case len(fn) == 0:
	case names(args[0], "CallTool", toolsCall):
		r.add(&handler{fn: fn, low: true, at: at})
	case names(args[0], "ListTools", toolsList):
		r.listings = append(r.listings, fn)
	case names(args[0], "InitializeRequest", initialize):
		r.beginnings = append(r.beginnings, fn)
	}
	return true // other requests are not looked at
}

// addDecorated adds the tools by decorators.
func (r *registry) addDecorated() {
	for _, d := range r.decorations {
		known := slices.ContainsFunc(r.handlers, func(h *handler) bool { return h.fn[0].obj.call.node == d.h.fn[0].obj.call.node })
		if !known {
			r.addNamed(d.name, d.h)
		}
	}
}
