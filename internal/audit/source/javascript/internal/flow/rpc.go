// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// Some servers answer JSON-RPC themselves, without an SDK. Where no handler was found,
// functions that name the method tools/call are handlers, and get such a request. Files that
// export a tool are tools: frameworks find them by their place in the tree.

// sweep looks for handlers where nothing was registered.
func (in *interp) sweep() {
	for _, name := range slices.Sorted(maps.Keys(in.modules.units)) {
		in.fileTool(in.modules.units[name])
	}
	if len(in.registry.handlers) > 0 {
		return
	}
	for _, o := range in.definitions.closures {
		if o.call.answersCalls(in.definitions.closures) {
			in.registry.add(&handler{fn: objectOf(o), low: true, rpc: true, of: o.call.home})
		}
	}
}

// answersCalls reports whether a function names the method in its text and no function inside it
// does.
func (c *closure) answersCalls(all []*Object) bool {
	at := -1
	for _, m := range c.file.marks {
		if m.method == toolsCall && m.at >= c.begin-1 && m.at < c.end-1 {
			at = m.at
		}
	}
	if at < 0 {
		return false
	}
	for _, o := range all {
		// An inner function that contains the name, too, is the better choice.
		if i := o.call; i != c && i.file == c.file && i.begin >= c.begin && i.end <= c.end && i.end-i.begin < c.end-c.begin && at >= i.begin-1 && at < i.end-1 {
			return false
		}
	}
	return true
}

// rpcArguments are the arguments of such a function: parts of a request or all of it, by the
// names of its parameters. The request is its own body, for handlers that get an HTTP request:
//
//	async function handle(method, params) { if (method === "tools/call") … }
//	app.post("/mcp", (req, res) => { switch (req.body.method) { case "tools/call": …
func (hp *heap) rpcArguments(c *closure, request, params *Object) []Value {
	for _, k := range []string{"body", "data", "message", "payload", "request"} {
		hp.set(request, k, objectOf(request))
	}
	hp.set(request, "jsonrpc", constant("2.0"))
	var args []Value
	for _, b := range c.params.List {
		name := ""
		if id, ok := b.Target.(*ast.Identifier); ok {
			name = strings.ToLower(id.Name.String())
		}
		switch name {
		case "method":
			args = append(args, constant(toolsCall))
		case "params", "param":
			args = append(args, objectOf(params))
		case "name", "toolname", "tool":
			args = append(args, params.own("name"))
		case "args", "arguments", "input", "toolargs":
			args = append(args, params.own("arguments"))
		case "id", "res", "response", "reply", "next", "context", "ctx", "extra":
			args = append(args, unknown())
		default:
			args = append(args, objectOf(request))
		}
	}
	return args
}

// fileTool registers a file as a tool: its default export is a function, and an export "metadata"
// or "schema" says the rest.
func (in *interp) fileTool(u *unit) {
	exports := u.exported()
	fn := functions(in.get(exports, "default", position{}))
	if len(fn) == 0 {
		return
	}
	name := constant(strings.TrimSuffix(path.Base(u.file.Name), path.Ext(u.file.Name)))
	metadata, sch := in.get(exports, "metadata", position{}), in.get(exports, "schema", position{})
	// A default export alone is no tool: any module may have one.
	said := false
	for _, a := range metadata {
		if a.kind == isObject {
			if n := in.get(Value{a}, "name", position{}); len(n.words()) > 0 {
				name, said = n, true
			}
		}
	}
	for _, a := range sch {
		said = said || a.kind == isObject && isShape(a.obj)
	}
	if said {
		in.registry.addNamed(name, &handler{fn: fn, schema: sch})
	}
}
