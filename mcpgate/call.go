// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
)

// callTool judges a call, then runs it or answers with the refusal. If a call asks its client
// for input (SEP-2322), each round is a call of its own. For clients before 2026-07-28 the SDK
// repeats the round itself, behind the gate, with the same arguments.
func (g *guard) callTool(ctx context.Context, req mcp.Request) (mcp.Result, error) {
	r, ok := req.(*mcp.CallToolRequest)
	if !ok || r.Params == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
			Message: "a middleware hands on a tools/call without its params, so it cannot be judged"}
	}
	p, answer, err := g.judge(ctx, r)
	if answer != nil || err != nil {
		p.Close()
		return untyped(answer, err)
	}
	defer p.Close()
	if err := ctx.Err(); err != nil { // the client has stopped waiting
		door.Lost(ctx, p)
		return nil, err
	}
	p.Sending()
	p.Sent()
	return g.run(ctx, p, r)
}

// judge judges a call. A nil answer and a nil err mean go. Otherwise they answer the call in
// place of its handler: with a refusal, or for the validate tool.
func (g *guard) judge(ctx context.Context, r *mcp.CallToolRequest) (p *door.Passage, answer *mcp.CallToolResult, err error) {
	defer func() {
		if value := recover(); value != nil {
			g.panicked("judging a call", r.Params.Name, value)
			answer, err = unjudged(r)
		}
	}()
	request := door.Request{Modern: modern(r)}
	c, unread := g.decode(r)
	inv, err := g.inventory(ctx, r)
	method := ""
	if err == nil {
		method = g.announced.Method(c, g.validator, inv.Method)
	}
	validates := method != ""
	switch {
	case unread != nil && !(validates && c.Unread != nil):
		g.door.Unreadable(ctx, &call.Call{Name: r.Params.Name, Session: c.Session}, request, unread)
		return nil, nil, wired(unread)
	case err != nil:
		p = g.door.Refuse(ctx, c, request, door.Unlisted(errors.New("the reason is in toolvet's log")))
	case validates:
		c.Resolve(inv.Catalog)
		answer, err = g.validate(ctx, r, c, inv, method)
		return nil, answer, err
	default:
		c.Resolve(inv.Catalog)
		p = g.door.Enter(ctx, c, request)
	}
	raw, refused := p.Refusal()
	if !refused {
		return p, nil, nil
	}
	if raw.Error {
		return p, nil, readError(raw.Raw)
	}
	answer, err = newResult(raw.Raw) // of an unknown tool, too: the SDK would run one that is added at this very moment
	return p, answer, err
}

// decode reads the arguments strictly. The gate judges absent arguments
// as {}; for the handler they stay absent. The call's _meta is a copy, because a handler may change its
// own while a late check still reads. Decode returns a call even with an error.
func (g *guard) decode(r *mcp.CallToolRequest) (*call.Call, error) {
	c := &call.Call{
		Server: g.server, Name: r.Params.Name, Raw: json.RawMessage("{}"), Arguments: map[string]any{},
		Meta: maps.Clone(r.Params.Meta), Session: g.sessionOf(r, r.Params.Meta),
	}
	if len(r.Params.InputResponses) > 0 {
		raw, err := json.Marshal(r.Params.InputResponses)
		if err != nil {
			return c, fmt.Errorf("inputResponses cannot be read: %w", err)
		}
		inputs, err := call.DecodeParams(fmt.Appendf(nil, `{"name":"tool","inputResponses":%s}`, raw), g.limits)
		if err != nil {
			return c, err
		}
		c.Inputs = inputs.Inputs
	}
	if len(r.Params.Arguments) == 0 {
		return c, nil
	}
	return c, c.Read(r.Params.Arguments, g.limits)
}

// validate answers a call of the validate tool, or of the batch tool.
func (g *guard) validate(ctx context.Context, r *mcp.CallToolRequest, c *call.Call, inv *inventory, method string) (*mcp.CallToolResult, error) {
	q := &validate.Request{Call: c, Method: method, Tools: inv.Catalog, Gate: g.gate()}
	if token := r.Params.GetProgressToken(); token != nil && r.Session != nil {
		q.Progress = func(p protocol.Progress) {
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(p.Progress), Total: float64(p.Total), Message: p.Message,
			})
			if err != nil {
				g.logger.DebugContext(ctx, "progress could not be told", "err", err)
			}
		}
	}
	answer := g.door.Validate(ctx, g.validator, q, door.Request{Modern: modern(r)})
	if answer == nil {
		return nil, ctx.Err()
	}
	return newResult(answer)
}

// run runs an admitted call and reviews its result. It turns a panic or a missing result into a
// tool execution error; in the SDK either would end the process.
func (g *guard) run(ctx context.Context, p *door.Passage, r *mcp.CallToolRequest) (mcp.Result, error) {
	res, err := g.handle(ctx, p, r)
	switch {
	case ctx.Err() != nil:
		// The client has stopped waiting, and there is no time left for a review. The SDK would
		// send the result regardless.
		door.Lost(ctx, p)
		return nil, ctx.Err()
	case err != nil:
		return g.returnedError(ctx, p, err)
	case res == nil:
		return g.broken(ctx, p, "the tool broke while it ran")
	}
	raw, err := json.Marshal(res)
	if err != nil {
		g.logger.Error("a result cannot be written", "tool", r.Params.Name, "err", err)
		return g.broken(ctx, p, "it cannot be written as JSON")
	}
	shown := p.Returned(ctx, raw)
	if !shown.Changed {
		return res, nil
	}
	return untyped(newResult(shown.Raw))
}

// handle calls the handler. It returns nil if the handler panicked or returned nothing.
func (g *guard) handle(ctx context.Context, p *door.Passage, r *mcp.CallToolRequest) (res mcp.Result, err error) {
	defer func() {
		if value := recover(); value != nil {
			g.panicked("running a tool", r.Params.Name, value)
			res, err = nil, nil
		}
	}()
	res, err = g.next(p.Context(ctx), methodCallTool, forwarded(p, r))
	if result, ok := res.(*mcp.CallToolResult); ok && result == nil {
		res = nil
	}
	return res, err
}

// forwarded returns the request for the tool: with the _meta that is for the tool, and with its canonical arguments. Others may still read the client's.
func forwarded(p *door.Passage, r *mcp.CallToolRequest) *mcp.CallToolRequest {
	meta, arguments := p.Meta(), p.Arguments()
	if meta == nil && arguments == nil {
		return r
	}
	params := *r.Params
	if meta != nil {
		params.Meta = maps.Clone(params.Meta)
		for _, m := range meta {
			if params.Meta[m.Key] = m.Value; m.Value == "" {
				delete(params.Meta, m.Key)
			}
		}
	}
	if arguments != nil {
		params.Arguments = arguments
	}
	changed := *r
	changed.Params = &params
	return &changed
}

// broken answers a call if its handler gave no usable result.
func (g *guard) broken(ctx context.Context, p *door.Passage, why string) (mcp.Result, error) {
	return untyped(newResult(p.Failed(ctx, why).Raw))
}

// returnedError reviews a handler's error, because its text reaches the client.
func (g *guard) returnedError(ctx context.Context, p *door.Passage, failure error) (mcp.Result, error) {
	raw, err := json.Marshal(wireError(failure))
	if err != nil {
		return g.broken(ctx, p, "its error cannot be written as JSON")
	}
	shown := p.Refused(ctx, raw)
	switch {
	case !shown.Error: // withheld, or a tool execution error in its place
		return untyped(newResult(shown.Raw))
	case !shown.Changed:
		return nil, failure
	}
	return nil, readError(shown.Raw)
}

// panicked reports a recovered panic to the operator. Only the operator may see its value.
func (g *guard) panicked(while, tool string, value any) {
	g.logger.Error("recovered a panic", "while", while, "tool", tool, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
}
