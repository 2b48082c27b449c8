// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/types"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// lang is the knowledge of Go's libraries.
type lang struct {
	l     *lowerer
	table *table
	rpc   bool // decoded values are requests of JSON-RPC
}

// Name implements [flow.Lang]: package variables begin with the values in their declarations.
func (g *lang) Name(in *flow.Interp, e *flow.Expr) (flow.Value, bool) {
	if e.Op == flow.Native {
		return flow.Value{}, false
	}
	obj, ok := e.Key.(types.Object)
	if !ok {
		return flow.Value{}, false
	}
	x, ok := g.l.globals[obj]
	if !ok {
		return flow.Value{}, false
	}
	return in.Lazily(e.Key, x), true
}

// Import implements [flow.Lang]; there are no such statements.
func (g *lang) Import(*flow.Interp, *flow.Stmt) []flow.Value { return nil }

// inContainers are structures with a command for a container, and the field of the command.
var inContainers = map[string]string{".PodExecOptions": "Command", "docker/docker/api/types/container.ExecOptions": "Cmd", "docker/docker/api/types.ExecConfig": "Cmd", "moby/moby/client.ExecCreateOptions": "Cmd"}

// Construct implements [flow.Lang]. A structure with a tool and its handler is taken to be a
// registration, whatever table it is put into.
func (g *lang) Construct(c *flow.CallSite, made flow.Value) (flow.Value, bool) {
	tool, handler := c.In.Field(made, "Tool"), c.In.Field(made, "Handler")
	if _, ok := c.In.Field(tool, "Name").String(); ok && handler.Callable() {
		g.addTool(c, tool, handler)
	}
	if strings.HasSuffix(c.Name, "Tool") && !strings.HasSuffix(c.Name, "/mcp.Tool") {
		g.toolOfOwn(c, made)
	}
	for typ, field := range inContainers {
		if strings.HasSuffix(c.Name, typ) {
			c.In.ArgsSink(c.Pos, strings.TrimPrefix(typ, "."), c.In.Field(made, field))
		}
	}
	return flow.Value{}, false
}

// Call implements [flow.Lang].
func (g *lang) Call(c *flow.CallSite) (flow.Value, bool) {
	if g.register(c) {
		return flow.Value{}, true
	}
	if g.rpc && g.decodeRequest(c) {
		return flow.Value{}, true
	}
	if readsEntry(c) {
		return flow.Value{}, true
	}
	if m, ok := g.table.models[c.Name]; ok {
		return m(c), true
	}
	if f, ok := wrappedHandler(c); ok {
		return f, true
	}
	if strings.HasSuffix(c.Name, ".GetArguments") { // of a wrapped request
		return arguments(c.In, c.Recv), true
	}
	return flow.Value{}, false
}

// Attr implements [flow.Lang].
func (g *lang) Attr(in *flow.Interp, native, name string, of flow.Value, pos flow.Pos) (flow.Value, bool) {
	if v, ok := archiveAttr(in, native, name, of, pos); ok {
		return v, true
	}
	switch native {
	case "net/url.URL":
		switch name {
		case "Host":
			return in.Derive(flow.Host, 0, pos, "", of), true
		case "Scheme", "Path", "RawQuery", "Fragment", "RawPath", "Opaque", "User":
			return in.Derive(flow.Part, 0, pos, "", of), true
		}
	case "net.Dialer":
		return of, true
	case "net.IPAddr":
		if name == "IP" {
			return in.Derive(flow.Address, 0, pos, "", of).WithNative("net.IP"), true
		}
	case "os":
		switch name {
		case "PathSeparator":
			return flow.ConstStr("/"), true
		}
	}
	return flow.Value{}, false
}

// Set implements [flow.Lang].
func (g *lang) Set(in *flow.Interp, native, name string, v flow.Value, pos flow.Pos) {
	if native == "os/exec.Cmd" && name == "Dir" {
		in.PathSink(pos, "the working directory of a program", v)
	}
}

// Styles of handlers, by their parameters.
const (
	styleTyped    = "typed" // (ctx, request, arguments)
	styleRaw      = "raw"   // (ctx, request)
	stylePlain    = "plain" // (arguments)
	typedMarker   = "typed handler"
	wrappedMarker = "wrapped handler"
)

var toolMaker = lazyregexp.New(`\.(New|Add|Register|With|Handle)[A-Za-z]*Tool$`)

// made is an unknown function of a library with the name of one that takes a tool: its
// description, and its handler.
func (g *lang) made(c *flow.CallSite) bool {
	if len(c.Args) < 2 || !c.Args[len(c.Args)-1].Callable() {
		return false
	}
	name, ok := c.Args[0].String()
	if !ok {
		name, ok = c.In.Field(c.Args[0], "Name").String()
	}
	if ok {
		g.own(c, name, c.Args[len(c.Args)-1])
	}
	return ok
}

var servesHTTP = lazyregexp.New(`(?i)http|sse|websocket|grpc`)

var handlerMaker = lazyregexp.New(`\.[A-Za-z]*(Handler|HandlerFunc)$`)

// wrappedHandler is an unknown function of a library with the name of one that wraps a handler: it
// calls the program's function with the arguments of the tool.
func wrappedHandler(c *flow.CallSite) (flow.Value, bool) {
	if !handlerMaker.MatchString(c.Name) || servesHTTP.MatchString(c.Name) {
		return flow.Value{}, false
	}
	for _, a := range c.Args {
		if a.Callable() {
			return a.AddNative(wrappedMarker), true
		}
	}
	return flow.Value{}, false
}

// register recognises the registration of a tool, and reports whether the call is one.
func (g *lang) register(c *flow.CallSite) bool {
	switch {
	case strings.HasSuffix(c.Name, "mcp.AddTool") && len(c.Args) >= 3:
		g.add(c, c.In.Field(c.Arg(1), "Name"), c.Arg(2), styleTyped)
	case strings.HasSuffix(c.Name, ".AddTool") && len(c.Args) == 2, strings.HasSuffix(c.Name, ".AddSessionTool") && len(c.Args) == 3:
		n := len(c.Args)
		g.addTool(c, c.Arg(n-2), c.Arg(n-1))
	case strings.HasSuffix(c.Name, ".AddTools") || strings.HasSuffix(c.Name, ".SetTools") || strings.HasSuffix(c.Name, ".AddSessionTools") || strings.HasSuffix(c.Name, "server.WithTools"):
		g.addTools(c)
	case strings.HasSuffix(c.Name, ".RegisterTool") && len(c.Args) == 3 && c.Arg(2).Callable():
		g.add(c, c.Arg(0), c.Arg(2), stylePlain)
	default:
		return toolMaker.MatchString(c.Name) && g.made(c)
	}
	return true
}

func (g *lang) addTool(c *flow.CallSite, tool, handler flow.Value) {
	style := styleRaw
	if handler.Is(typedMarker) {
		style = styleTyped
	}
	for _, p := range params(c.In, tool) {
		if s, ok := c.In.Field(tool, "Name").String(); ok && p != "" {
			c.In.Read(s, p, c.Pos)
		}
	}
	g.add(c, c.In.Field(tool, "Name"), handler, style)
}

func params(in *flow.Interp, tool flow.Value) []string {
	var out []string
	elems, _ := in.Elems(in.Field(tool, "params"))
	for _, p := range elems {
		if s, ok := p.String(); ok {
			out = append(out, s)
		}
	}
	return out
}

func (g *lang) addTools(c *flow.CallSite) {
	for i := range c.Args {
		list := []flow.Value{c.Args[i]}
		if c.Args[i].IsList() {
			list, _ = c.In.Elems(c.Args[i])
		}
		for _, t := range list {
			for _, one := range t.Apart() {
				if c.In.HasField(one, "Handler") {
					g.addTool(c, c.In.Field(one, "Tool"), c.In.Field(one, "Handler"))
				} else if name := c.In.Field(one, "Name"); c.In.HasField(one, "handler") {
					g.add(c, name, c.In.Field(one, "handler"), styleTyped)
				}
			}
		}
	}
}

func (g *lang) add(c *flow.CallSite, name, handler flow.Value, style string) {
	if !handler.Callable() {
		return
	}
	names, ok := name.Strings()
	if !ok {
		names = []string{""}
	}
	if handler.Is(wrappedMarker) {
		style = wrappedStyle(handler)
	}
	for _, n := range names {
		c.In.Register(flow.Registration{Name: n, Handler: handler, Style: style, Pos: c.Pos})
	}
}

// wrappedStyle tells the parameters of a wrapped function apart: the arguments are the structure of
// the program.
func wrappedStyle(handler flow.Value) string {
	style := styleOwn
	if handler.Bound() {
		style += string(roleNone)
	}
	for _, p := range handler.Func().Params {
		switch {
		case strings.Contains(p.Native, "CallTool"):
			style += string(roleRequest)
		case p.Native == "":
			style += string(roleArgs)
		default:
			style += string(roleNone)
		}
	}
	return style
}

// handle runs a handler with the arguments of a call.
func (g *lang) handle(in *flow.Interp, r flow.Registration) {
	if strings.HasPrefix(r.Style, styleOwn) {
		g.handleOwn(in, r)
		return
	}
	if r.Style == styleRPC {
		g.handleRPC(in, r)
		return
	}
	fn := r.Handler.Func()
	list := fn.Params
	if r.Handler.Bound() && len(list) > 0 {
		list = list[1:]
	}
	args := in.Arguments(r.Name)
	request := requestOf(in, r.Name, args)
	vals := make([]flow.Value, len(list))
	for i, p := range list {
		switch {
		case r.Style == stylePlain && i == len(list)-1:
			vals[i] = args
		case r.Style == styleTyped && i == len(list)-1:
			vals[i] = args
			if strings.Contains(p.Native, "CallToolParamsFor") || strings.Contains(p.Native, "CallToolRequest") || strings.Contains(p.Native, "ServerRequest") {
				vals[i] = request
			}
		case len(list) == 1 && r.Style == styleRaw:
			vals[i] = in.Merged(request, in.Record("Request", request, "ToolCallRequest", request))
		case strings.Contains(p.Native, "CallTool") || strings.Contains(p.Native, "ServerRequest"), i == 1:
			vals[i] = request
		}
	}
	in.Invoke(r.Handler, vals, fn.Pos)
}

// requestOf is a call of a tool as the SDKs represent it, or a program's own type: its arguments are
// in a field, exported or not.
func requestOf(in *flow.Interp, tool string, args flow.Value) flow.Value {
	params := in.Record("Arguments", args, "Name", flow.ConstStr(tool))
	return in.Record("Params", params, "Arguments", args, "arguments", args, "args", args)
}
