// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strings"
)

// Where arguments come from: registrations of tools. A handler is found, its schema is read, and
// its first parameter becomes a hole with the pointer "".

// A handler is a function that gets the arguments of a tool.
type handler struct {
	// The tool; "" is any: the function itself looks at the name.
	tool   string
	fn     Value
	this   Value
	schema Value
	// registered with the low-level server: nothing has checked the arguments
	low bool
	// it is given a whole message
	rpc bool

	// wrapped: the arguments may also be in the property "context".
	wrapped bool
	at      position
	// the class of a method without an instance; it is made before the first call
	of *class
	// it read something that was not set up to its end, or calls went too deep
	cut bool
}

// registrations are methods that register a tool: (name, …, handler), or an object with both.
var registrations = map[string]bool{"tool": true, "registerTool": true, "addTool": true, "defineTool": true, "registerAppTool": true, "setRequestHandler": true}

// handlerKeys are properties of a tool's object that hold its handler.
var handlerKeys = []string{"execute", "handler", "run", "callback", "cb", "call", "invoke", "handle", "fn", "func"}

// register looks whether a method call registers a tool, and reports whether that is all the call
// does.
//
//	server.tool("read", { path: z.string() }, async ({ path }) => …)    // the SDK
//	server.registerTool("read", { inputSchema }, handler)
//	server.addTool({ name, parameters, execute })                        // FastMCP
//	server.setRequestHandler(CallToolRequestSchema, handler)             // low-level
//
// A method of the program with such a name runs as well, since it may wrap the handler on its way
// to the SDK. If it registers nothing, the call itself counts: the method belongs to a framework
// within the program.
func (in *interp) register(o Value, key string, args []Value, at position) bool {
	if key == "connect" && in.connects(o) {
		return true
	}
	if listRegistrations[key] && in.turn.handler == nil && !in.probes.on && len(args) == 1 && len(functions(in.get(o, key, at))) == 0 {
		return in.registerList(args[0], at)
	}
	if !registrations[key] || in.probes.on || len(args) == 0 {
		return false
	}
	if in.turn.handler != nil {
		return false
	}
	// ours: the method is one of the program.
	ours := false
	for _, a := range o {
		if a.kind == isObject {
			v := in.get(Value{a}, key, at)
			for _, f := range v {
				ours = ours || f.kind == isObject && f.obj.call != nil
			}
		}
	}
	before := len(in.registry.handlers)
	if ours {
		in.registry.nested++
		// Wrappers of wrappers occur; a method that calls itself must end.
		if in.registry.nested < 8 {
			in.state.alternatives(o, func(a Atom) Value { return in.methodOf(a, key, args, at) })
		}
		in.registry.nested--
		if in.state.dead {
			in.state.dead = false
		}
	}
	if len(in.registry.handlers) > before {
		return true
	}
	found := false
	if key == "setRequestHandler" {
		found = in.registry.registerLow(args, at)
	} else {
		found = in.registerTool(args, at)
	}
	return found || ours
}

// connects reports whether a method call connects a server of the SDK with its client, in a
// bundle. All tools are registered by then, and running the SDK's transport would cost much.
func (in *interp) connects(o Value) bool {
	if in.turn.handler != nil || in.probes.on {
		return false
	}
	for _, a := range o {
		if a.kind == isObject && (len(functions(in.get(Value{a}, "setRequestHandler", position{}))) > 0 || len(functions(in.get(Value{a}, "registerTool", position{}))) > 0) {
			return true
		}
	}
	return false
}

// functions are the functions of the program among alternatives.
func functions(v Value) Value {
	var out Value
	for _, a := range v {
		if a.kind == isObject && a.obj.call != nil {
			out = append(out, a)
		}
	}
	return out
}

// listRegistrations are methods that register a list of tools.
var listRegistrations = map[string]bool{"addTools": true, "registerTools": true, "tools": true}

// registerList registers tools that are objects, in a list or by their names.
func (in *interp) registerList(v Value, at position) bool {
	before := len(in.registry.handlers)
	for _, a := range v {
		switch {
		case a.kind != isObject || a.obj.call != nil:
		case a.obj.array != nil:
			for _, e := range a.obj.array.list {
				for _, t := range e {
					if t.kind == isObject && t.obj.call == nil {
						in.registerObject(t.obj, nil, at)
					}
				}
			}
		case a.obj.native == "":
			for _, k := range in.heap.names(a.obj) {
				for _, t := range a.obj.own(k) {
					if t.kind == isObject && t.obj.call == nil && len(in.handlerOf(t.obj)) > 0 && !in.registerObject(t.obj, nil, at) {
						in.registry.addNamed(constant(k), &handler{fn: in.handlerOf(t.obj), this: objectOf(t.obj), schema: schemaField(t.obj), at: at})
					}
				}
			}
		}
	}
	return len(in.registry.handlers) > before
}

// toolsOf are the tools in the options of a package's server: new McpServer({ tools }).
func (in *interp) toolsOf(name string, args []Value, at position) {
	if in.turn.handler != nil || in.probes.on {
		return
	}
	for _, a := range arg(args, 0) {
		if a.kind == isObject && a.obj.props["tools"] != nil && a.obj.native == "" && strings.Contains(strings.ToLower(name), "mcp") {
			in.registerList(a.obj.own("tools"), at)
		}
	}
}

// registerTool reads the forms in which libraries let tools be registered. The handler is the
// last function among the arguments, or a method of an object there; the schema is whatever looks
// like one.
func (in *interp) registerTool(args []Value, at position) bool {
	// One argument that describes the whole tool, or a description and a handler.
	for _, a := range args[0] {
		if a.kind == isObject && a.obj.call == nil && len(args) <= 2 {
			if in.registerObject(a.obj, args, at) {
				return true
			}
		}
	}
	if len(args) < 2 || args[0][0].kind == isObject {
		return false
	}
	// The last function is the handler; one in front of it would be a guard or a formatter.
	var fn Value
	for i := len(args) - 1; i >= 1 && fn == nil; i-- {
		if f := functions(args[i]); len(f) > 0 {
			fn = f
		}
	}
	if fn == nil {
		for _, v := range args[1:] {
			for _, a := range v {
				if a.kind == isObject && a.obj.call == nil {
					if f := in.handlerOf(a.obj); len(f) > 0 {
						in.registry.addNamed(args[0], &handler{fn: f, this: objectOf(a.obj), schema: schemaField(a.obj), at: at})
						return true
					}
				}
			}
		}
		return false
	}
	// A description holds the schema in a field; a shape is the schema.
	var sch Value
	for _, v := range args[1:] {
		for _, a := range v {
			if a.kind != isObject || a.obj.call != nil {
				continue
			}
			// { inputSchema: … } describes the tool; { path: z.string() } is the shape itself.
			if s := schemaField(a.obj); len(s) > 0 && !onlySchemas(a.obj) {
				sch = s
			} else if isShape(a.obj) && sch == nil {
				sch = objectOf(a.obj)
			}
		}
	}
	in.registry.addNamed(args[0], &handler{fn: fn, schema: sch, at: at})
	return true
}

// sameFunction reports whether two values are one function, or two closures of the same text.
// Text counts where a name tells apart what they were made for.
func sameFunction(a, b Value, text bool) bool {
	if len(a) != len(b) || len(a) == 0 || a[0].obj == nil || b[0].obj == nil {
		return false
	}
	return a[0].obj == b[0].obj || text && a[0].obj.call.node == b[0].obj.call.node
}

// handlerOf is the handler in a tool's object.
func (in *interp) handlerOf(o *Object) Value {
	for _, k := range handlerKeys {
		v := in.getObject(Atom{kind: isObject, obj: o}, k, position{})
		if f := functions(v); len(f) > 0 {
			return f
		}
	}
	return nil
}

// toolObject is the name of a tool's object whose handler is called in a handler of many tools.
func (t *turn) toolObject(a Atom, key string) string {
	if t.handler == nil || !t.handler.low || t.state.tool != "" || a.kind != isObject || !slices.Contains(handlerKeys, key) {
		return ""
	}
	name, _ := a.obj.own("name").one()
	return name
}

// schemaField is the schema of the arguments in the description of a tool.
func schemaField(o *Object) Value {
	for _, k := range []string{"inputSchema", "parameters", "paramsSchema", "schema", "input", "args", "params"} {
		if v := o.own(k); len(v) > 0 && v[0].kind == isObject {
			return v
		}
	}
	return nil
}

// isShape reports whether an object is a schema of zod, or has some as properties.
func isShape(o *Object) bool {
	if o.native == "zod" {
		return true
	}
	for _, k := range o.keys {
		if schemaOf(o.own(k)) != nil {
			return true
		}
	}
	return false
}

// onlySchemas reports whether an object has schemas of arguments and nothing else. An argument
// may have the name of a field that describes a tool: { input: z.string() } is a shape, not a
// description.
func onlySchemas(o *Object) bool {
	for _, k := range o.keys {
		if k == "inputSchema" || k == "paramsSchema" || k == "parameters" || schemaOf(o.own(k)) == nil {
			return false
		}
	}
	return len(o.keys) > 0
}

// registerObject registers a tool that is an object with a name and a handler.
func (in *interp) registerObject(o *Object, args []Value, at position) bool {
	f := in.handlerOf(o)
	if len(f) == 0 && len(args) == 2 {
		f = functions(args[1])
	}
	if len(f) == 0 {
		return false
	}
	name := in.getObject(Atom{kind: isObject, obj: o}, "name", at)
	if len(name.words()) == 0 {
		// Some frameworks name tools by an id. In a list, an object without a name is no tool.
		if name = o.own("id"); len(name.words()) == 0 && len(args) == 0 {
			return false
		}
	}
	in.registry.addNamed(name, &handler{fn: f, this: objectOf(o), schema: schemaField(o), wrapped: in.registry.wrapped[o], at: at})
	return true
}

// toolPointer is the pointer of the tool's name, which is no argument.
const toolPointer = "\x00tool"

// toolOrigin reports whether an origin is the tool's name.
func toolOrigin(o *origin) bool { return o.pointer == toolPointer }

// toolHole reports whether an alternative is the tool's name.
func toolHole(a Atom) bool {
	h := holes(a.text)
	return len(h) == 1 && toolOrigin(h[0].origin)
}

// isToolName reports whether a value may be the tool's name.
func isToolName(v Value) bool {
	for _, a := range v {
		if toolHole(a) {
			return true
		}
	}
	return false
}

// maxParams bounds the parameters of one tool in the report.
const maxParams = 500

// declared notes that the present tool has a parameter.
func (t *turn) declared(pointer string) {
	if t.handler == nil || t.handler.low && t.state.tool == "" {
		return
	}
	t.report.parameter(t.toolName(), pointer)
}

// maxPointer bounds the levels of a pointer, since a handler may walk through a tree in a loop.
const maxPointer = 6

// child is a field of a value from the caller:
//
//	args.path            // the origin /path
//	args.options.dir     // the origin /options/dir, and /options is no parameter any more
//	args.files[0]        // the origin /files: an element stays with its list
//	args.url.trim().x    // stays with /url, because it has changed on its way
//
// A field gets an origin of its own down to maxPointer levels.
func (t *turn) child(h *hole, key string, at position) Value {
	if toolOrigin(h.origin) {
		return native("String." + key)
	}
	n := *h
	n.wild = false
	// A field that has changed on its way, or is too deep, keeps the origin of its parent: facts
	// about the parent then count for the field, and the other way round.
	if strings.Count(h.origin.pointer, "/") < maxPointer && !isIndex(key) && h.form == formRaw {
		n.origin = t.originOf(h.origin.pointer + "/" + escapePointer(clip(key)))
		t.declared(n.origin.pointer)
		n.step = h.step.then(at, clip(key)+" is read from the arguments")
		if h.step != nil && h.step.prev == nil && h.origin.pointer == "" {
			n.step = (*step)(nil).then(at, clip(key)+" is read from the arguments")
		}
	}
	return Value{{kind: isText, text: []part{{hole: &n}}, open: true}}
}

// escapePointer writes a name as a token of a JSON Pointer.
func escapePointer(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

// isIndex reports whether a key is an index.
func isIndex(key string) bool {
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return false
		}
	}
	return key != ""
}

// validated is what a tool's schema lets through. A schema that is not read lets everything
// through, but counts as a check of types.
func (in *interp) validated(sch, root Value, at position) Value {
	if schemaOf(sch) != nil {
		return in.parsed(sch, root, at, 0)
	}
	for _, a := range sch {
		if a.kind == isObject && isShape(a.obj) {
			return in.parsed(in.heap.newSchema(in.objectSchema(objectOf(a.obj), false)), root, at, 0)
		}
	}
	return remap(root, func(h hole) hole { h.parsed = true; return h })
}

// toolWord names a handler's tool in the report.
func toolWord(h *handler) string {
	if h.tool == "" {
		return "a tool"
	}
	return clip(h.tool)
}
