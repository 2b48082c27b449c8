// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// answerKey is the key in the _meta of a request that beforeCall has answered. No client can send an answered.
const answerKey = "io.github.toolvet/answered"

type answered struct{ result *mcp.CallToolResult }

// beforeCall judges the calls that do not reach the middleware: of unknown tools, and of tools that mcp-go runs as tasks
// only. A refusal becomes a call of the validate tool, which the middleware answers.
func (g *guard) beforeCall(ctx context.Context, _ any, r *mcp.CallToolRequest) {
	if g.reaches(ctx, r) {
		return
	}
	p, answer := g.judge(ctx, r)
	if answer == nil {
		if err := forwarded(p, r); err != nil {
			failed := p.Failed(ctx, err.Error())
			answer = g.result(failed.Raw)
		}
	}
	if answer == nil {
		p.Sending()
		p.Sent()
		g.tasksMu.Lock()
		defer g.tasksMu.Unlock()
		g.tasks[r] = p
		return
	}
	p.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	name := g.name
	if g.last != nil {
		name = g.last.Method
	}
	r.Params = mcp.CallToolParams{
		Name: name, Arguments: map[string]any{"tool": name, "arguments": map[string]any{}}, // for mcp-go's own validation
		Meta: &mcp.Meta{AdditionalFields: map[string]any{answerKey: answered{answer}}},
	}
}

// reaches reports whether a call comes to the middleware.
func (g *guard) reaches(ctx context.Context, r *mcp.CallToolRequest) bool {
	if g.server.GetTool(r.Params.Name) != nil {
		return true
	}
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools)
	if !ok {
		return false
	}
	_, ok = session.GetSessionTools()[r.Params.Name]
	return ok
}

// middleware is called for each call, and for each round of a call that asks its client for input (SEP-2322).
func (g *guard) middleware(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Params.Meta != nil {
			if a, ok := r.Params.Meta.AdditionalFields[answerKey].(answered); ok {
				return a.result, nil
			}
		}
		// mcp-go ends the context of a task when the client knows of the task. The handler gets that context as mcp-go means it.
		waiting := ctx
		if r.Params.Task != nil {
			waiting = context.WithoutCancel(ctx)
		}
		p, answer := g.judge(waiting, &r)
		defer p.Close()
		switch {
		case answer != nil:
			return answer, nil
		case waiting.Err() != nil: // the client has stopped waiting
			door.Lost(ctx, p)
			return nil, waiting.Err()
		}
		p.Sending()
		p.Sent()
		return g.run(ctx, waiting, p, next, r)
	}
}

// judge judges a call. A nil answer means go. Otherwise it answers the call in place of its handler: with a refusal, or for
// the validate tool.
func (g *guard) judge(ctx context.Context, r *mcp.CallToolRequest) (p *door.Passage, answer *mcp.CallToolResult) {
	request := door.Request{Modern: server.IsModernRequest(ctx)}
	defer func() {
		if value := recover(); value != nil {
			g.panicked("judging a call", r.Params.Name, value)
			words := protocol.NewResult(r.Params.Name, toolvet.Verdict{})
			answer = g.result(words.Refusal(request.Modern))
		}
	}()
	c, unread := g.decode(ctx, r)
	inv, err := g.inventory(ctx)
	method := ""
	if err == nil {
		method = g.announced.Method(c, g.validator, inv.Method)
	}
	switch {
	case unread != nil && !(method != "" && c.Unread != nil):
		p = g.door.Refuse(ctx, c, request, door.Unread(unread))
	case err != nil:
		p = g.door.Refuse(ctx, c, request, door.Unlisted(errors.New("the reason is in toolvet's log")))
	case method != "":
		c.Resolve(inv.Catalog)
		q := &validate.Request{Call: c, Method: method, Tools: inv.Catalog, Gate: g.gate()}
		if raw := g.door.Validate(ctx, g.validator, q, request); raw != nil {
			return nil, g.result(raw)
		}
		return nil, mcp.NewToolResultError("the client has stopped waiting for the verdict")
	default:
		c.Resolve(inv.Catalog)
		p = g.door.Enter(ctx, c, request)
	}
	if _, refused := p.Refusal(); refused { // always as a tool execution error: mcp-go gives the errors of handlers one code
		words := protocol.NewResult(r.Params.Name, p.Verdict())
		return p, g.result(words.Refusal(request.Modern))
	}
	return p, nil
}

// decode reads what the handler will read, strictly. It returns a call even with an error.
func (g *guard) decode(ctx context.Context, r *mcp.CallToolRequest) (*call.Call, error) {
	own := &call.Call{Server: g.policyName, Name: r.Params.Name, Raw: json.RawMessage("{}"), Arguments: map[string]any{}}
	if r.Params.Meta != nil {
		own.Meta = maps.Clone(r.Params.Meta.AdditionalFields)
	}
	own.Session = g.sessionOf(ctx, own.Meta)
	if !agree(&r.Params) { // a middleware has changed one of the two
		raw, err := json.Marshal(r.Params.Arguments)
		if err != nil {
			return own, errors.New("a middleware hands on arguments that cannot be written as JSON")
		}
		r.Params.RawArguments = raw
	}
	params, err := json.Marshal(r.Params)
	if err != nil {
		return own, errors.New("a middleware hands on a call that cannot be written as JSON")
	}
	c, err := call.DecodeParams(params, g.limits)
	if c == nil {
		return own, err
	}
	c.Server, c.Session = own.Server, own.Session
	return c, err
}

// agree reports whether both forms of the arguments are the same, since handlers read one or the other.
func agree(p *mcp.CallToolParams) bool {
	if len(p.RawArguments) == 0 {
		return p.Arguments == nil
	}
	var arguments any
	return json.Unmarshal(p.RawArguments, &arguments) == nil && reflect.DeepEqual(arguments, p.Arguments)
}

// run runs an admitted call and reviews its result. It turns a panic or a missing result into a tool execution error.
func (g *guard) run(ctx, waiting context.Context, p *door.Passage, next server.ToolHandlerFunc, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res, err := g.handle(ctx, p, next, r)
	switch {
	case waiting.Err() != nil: // the client has stopped waiting, and there is no time left for a review
		door.Lost(waiting, p)
		return nil, waiting.Err()
	case err != nil:
		return g.returnedError(waiting, p, err)
	case res == nil:
		return g.result(p.Failed(waiting, "the tool broke while it ran").Raw), nil
	}
	raw, err := json.Marshal(res)
	if err != nil {
		g.logger.Error("a result cannot be written", "tool", r.Params.Name, "err", err)
		return g.result(p.Failed(waiting, "it cannot be written as JSON").Raw), nil
	}
	if shown := p.Returned(waiting, raw); shown.Changed {
		return g.result(shown.Raw), nil
	}
	return res, nil
}

// handle calls the handler. It returns nil if the handler panicked or returned nothing.
func (g *guard) handle(ctx context.Context, p *door.Passage, next server.ToolHandlerFunc, r mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
	defer func() {
		if value := recover(); value != nil {
			g.panicked("running a tool", r.Params.Name, value)
			res, err = nil, nil
		}
	}()
	if err := forwarded(p, &r); err != nil {
		return nil, err
	}
	return next(p.Context(ctx), r)
}

// forwarded makes the request that of the tool: with the _meta that is for the tool, and with its canonical arguments.
func forwarded(p *door.Passage, r *mcp.CallToolRequest) error {
	if changes := p.Meta(); changes != nil {
		meta := mcp.Meta{}
		if r.Params.Meta != nil {
			meta = *r.Params.Meta
		}
		meta.AdditionalFields = maps.Clone(meta.AdditionalFields)
		if meta.AdditionalFields == nil {
			meta.AdditionalFields = map[string]any{}
		}
		for _, m := range changes {
			if meta.AdditionalFields[m.Key] = m.Value; m.Value == "" {
				delete(meta.AdditionalFields, m.Key)
			}
		}
		r.Params.Meta = &meta
	}
	if arguments := p.Arguments(); arguments != nil {
		var value any
		if err := json.Unmarshal(arguments, &value); err != nil {
			return errors.New("the canonical arguments cannot be read")
		}
		r.Params.RawArguments, r.Params.Arguments = arguments, value
	}
	return nil
}

// returnedError reviews a handler's error, because its text reaches the client.
func (g *guard) returnedError(ctx context.Context, p *door.Passage, failure error) (*mcp.CallToolResult, error) {
	wire := mcp.NewJSONRPCErrorDetails(jsonrpc.InternalError, failure.Error(), nil)
	var required mcp.URLElicitationRequiredError
	if pointer := (*mcp.URLElicitationRequiredError)(nil); errors.As(failure, &pointer) && pointer != nil {
		wire = pointer.JSONRPCError().Error
	} else if errors.As(failure, &required) {
		wire = required.JSONRPCError().Error
	}
	raw, err := json.Marshal(wire)
	if err != nil {
		return g.result(p.Failed(ctx, "its error cannot be written as JSON").Raw), nil
	}
	shown := p.Refused(ctx, raw)
	switch {
	case !shown.Error: // withheld, or a tool execution error in its place
		return g.result(shown.Raw), nil
	case !shown.Changed:
		return nil, failure
	}
	var changed struct{ Message string }
	if json.Unmarshal(shown.Raw, &changed) != nil {
		changed.Message = "the error is withheld; the reason is in toolvet's log"
	}
	return nil, errors.New(changed.Message)
}

// result makes mcp-go's form of a CallToolResult. Values that mcp-go would decode into maps and floats keep their text.
func (g *guard) result(raw json.RawMessage) *mcp.CallToolResult {
	res := new(mcp.CallToolResult)
	var exact struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if err := errors.Join(json.Unmarshal(raw, res), json.Unmarshal(raw, &exact)); err != nil {
		g.logger.Error("mcp-go does not read toolvet's result", "err", err)
		return mcp.NewToolResultError("the result is withheld; the reason is in toolvet's log")
	}
	for key, value := range exact.Meta {
		res.Meta.AdditionalFields[key] = value
	}
	return res
}
