// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// The low-level server of the SDK has one handler for the calls of all tools:
//
//	server.setRequestHandler(CallToolRequestSchema, async (request) => {
//	  switch (request.params.name) { case "read_file": …
//
// It runs once with an unknown name to find the names in its comparisons, and then once for each
// name. So the tools do not share a budget, and code in front of the switch counts for every
// tool.

// begin runs the server's answers to initialize: some servers register their tools only then.
func (in *interp) begin() {
	for _, fn := range in.registry.beginnings {
		if !in.bounded(in.budget.limits.StepsHandler, func() { in.call(fn, undefined(), []Value{unknown(), unknown()}, position{}) }) {
			in.report.notes = append(in.report.notes, "what the server does at initialize was not run to its end: budget")
		}
		in.state.dead = false
	}
}

// names reports whether a value is the schema of a request: by its name in the SDK, or by its
// method.
func names(schema Value, short, method string) bool {
	for _, a := range schema {
		s, _ := a.constText()
		if a.kind == isNative && strings.Contains(a.name, short) || s == method || a.name == method || a.kind == isObject && a.obj.request == method {
			return true
		}
	}
	return false
}

// listed are the tools' names in the lists that the program returns:
//
//	server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: "read", inputSchema }] }))
//
// Their parameters are noted, so a parameter that reaches nothing is in the report, too.
func (in *interp) listed() map[string]bool {
	found := map[string]bool{}
	for _, fn := range in.registry.listings {
		old := in.report.found
		in.report.found = &arrivals{} // a sink here is not reached by a call of a tool
		whole := in.isolated(&handler{fn: fn, low: true}, in.budget.limits.StepsHandler/4, func() {
			list := in.heap.elements(in.get(settledOf(in.call(fn, undefined(), []Value{unknown(), unknown()}, position{})), "tools", position{}))
			for _, v := range append(slices.Clone(list.known), list.rest) {
				in.listedTool(v, found)
			}
		})
		if !whole {
			in.report.notes = append(in.report.notes, "the list of tools was not made to its end: budget")
		}
		in.report.found = old
	}
	return found
}

// listedTool reads one entry of a list of tools.
func (in *interp) listedTool(v Value, found map[string]bool) {
	for _, a := range v {
		if a.kind != isObject || a.obj.array != nil {
			continue
		}
		name, ok := in.get(Value{a}, "name", position{}).one()
		if !ok || len(found) >= in.budget.limits.Handlers {
			continue
		}
		found[name] = true
		in.state.tool = name
		for _, p := range in.get(in.get(Value{a}, "inputSchema", position{}), "properties", position{}) {
			if p.kind == isObject && p.obj.native == "" {
				for _, k := range in.heap.names(p.obj) {
					in.turn.declared("/" + escapePointer(k))
				}
			}
		}
	}
}

// add takes arrivals over, the worse one where two meet.
func (f *arrivals) add(byKey map[arrivalKey]*arrival) {
	if f.byKey == nil {
		f.byKey = map[arrivalKey]*arrival{}
	}
	for k, x := range byKey {
		if old := f.byKey[k]; old == nil || x.rank() < old.rank() {
			f.byKey[k] = x
		}
	}
}

// addOf takes over those of one tool.
func (f *arrivals) addOf(byKey map[arrivalKey]*arrival, tool string) {
	for k, x := range byKey {
		if k.cell.Tool == tool {
			f.add(map[arrivalKey]*arrival{k: x})
		}
	}
}

// Methods of the requests that matter.
const (
	toolsCall  = "tools/call"
	toolsList  = "tools/list"
	initialize = "initialize"
)

// A mark is a place where a file names a method.
type mark struct {
	at     int
	method string
}

// marksOf finds them in a text. They survive every minifier, as constants.
func marksOf(text string) []mark {
	var list []mark
	for _, method := range []string{toolsCall, toolsList} {
		for from := 0; ; {
			i := strings.Index(text[from:], method)
			if i < 0 {
				break
			}
			list = append(list, mark{from + i, method})
			from += i + len(method)
		}
	}
	return list
}

// schemaOfRequest marks a value as the schema of a method's requests.
func (v Value) schemaOfRequest(method string) Value {
	out := slices.Clone(v)
	for i := range out {
		switch {
		case out[i].kind == isObject && out[i].obj.call == nil && out[i].obj.array == nil:
			out[i].obj.request = method
		case out[i].kind == isUnknown:
			out[i].name = method
		}
	}
	return out
}

// requestIn is the method that the text of a call or an object names: such an expression makes
// the schema of that request. Longer texts contain more than the schema.
//
//	const a = b.extend({ method: c("tools/call"), params: d })    // minified
func (u *unit) requestIn(e ast.Expression) string {
	switch e.(type) {
	case *ast.CallExpression, *ast.ObjectLiteral:
	default:
		return ""
	}
	from, to := int(e.Idx0())-1, int(e.Idx1())-1
	// The schema of a request is a short expression, also with all of its fields.
	if to-from > 1500 {
		return ""
	}
	for _, m := range u.marks {
		if m.at >= from && m.at < to {
			return m.method
		}
	}
	return ""
}
