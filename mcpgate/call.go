// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/protocol"
)

// callTool judges a call and runs it, or answers it. Every round of a call that asks
// its client for input (SEP-2322) is a call of its own; for clients before 2026-07-28
// the SDK repeats the round itself, behind the gate, with the same arguments.
func (g *guard) callTool(ctx context.Context, req mcp.Request) (mcp.Result, error) {
	r, ok := req.(*mcp.CallToolRequest)
	if !ok || r.Params == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
			Message: "a middleware hands on a tools/call without its params, so it cannot be judged"}
	}
	a, answer, err := g.judge(ctx, r)
	defer a.ended()
	if answer != nil || err != nil {
		return untyped(answer, err)
	}
	if err := ctx.Err(); err != nil { // nobody waits for it any more
		door.Lost(ctx, g.observer, g.logger, a.event)
		return nil, err
	}
	a.made = true
	res, err := g.run(ctx, r)
	return g.review(ctx, methodCallTool, a, res, err)
}

// An admitted call is one that is judged.
type admitted struct {
	call   *call.Call
	event  *toolvet.Event // nil: no observer is told of it
	ticket toolvet.Ticket // nil: nobody counts it
	made   bool
}

// ended settles what counts the call.
func (a *admitted) ended() {
	switch {
	case a.ticket == nil:
	case a.made:
		a.ticket.Release()
	default:
		a.ticket.Rollback()
	}
}

// judge returns what to answer instead of running the call: a refusal, or the answer
// of the validate tool. If answer and err are nil, the call is a go.
func (g *guard) judge(ctx context.Context, r *mcp.CallToolRequest) (a admitted, answer *mcp.CallToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			g.panicked("judging a call", r.Params.Name, p)
			answer, err = refusal(r, toolvet.Verdict{})
		}
	}()
	c, err := g.decode(r.Params)
	if err != nil {
		return a, nil, err
	}
	a.call = c
	c.Session = g.sessionOf(r, r.Params.Meta)
	inv, err := g.inventory(ctx, r)
	if err != nil {
		answer, err = refusal(r, failed("known-tool", "the server's tools could not be listed, so the call cannot be judged"))
		return a, answer, err
	}
	c.Resolve(inv.catalog)
	c.Validation = g.validator.Answers(c.Name, inv.method)
	if c.Tool == nil || !c.Validation && !g.gate.Visible(ctx, c) {
		v := failed("known-tool", "the server lists no tool of this name")
		g.judged(ctx, c, toolvet.PointLibrary, &v, time.Now())
		// In the SDK's words, but not by the SDK: a tool that is added at this very
		// moment would run without a verdict.
		return a, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", c.Name)}
	}
	if c.Validation {
		answer, err = g.validate(ctx, r, c, inv)
		return a, answer, err
	}
	began := time.Now()
	verdict, ticket := g.gate.Admit(ctx, c, toolvet.PointLibrary)
	a.ticket = ticket
	if a.event = g.judged(ctx, c, toolvet.PointLibrary, &verdict, began); !verdict.Go {
		answer, err = refusal(r, verdict)
	}
	return a, answer, err
}

// decode reads the arguments strictly. Absent arguments are judged as {}, and stay
// absent for the handler. The _meta is a copy: a handler may change its own while a
// check that ran out of time still reads.
func (g *guard) decode(params *mcp.CallToolParamsRaw) (*call.Call, error) {
	c := &call.Call{Server: g.server, Name: params.Name, Raw: json.RawMessage("{}"), Arguments: map[string]any{}, Meta: maps.Clone(params.Meta)}
	if len(params.Arguments) == 0 {
		return c, nil
	}
	var err error
	c.Raw = params.Arguments
	if c.Arguments, err = call.DecodeArguments(params.Arguments, g.limits); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	return c, nil
}

// validate answers a call of the validate tool, or of the batch tool.
func (g *guard) validate(ctx context.Context, r *mcp.CallToolRequest, c *call.Call, inv *inventory) (*mcp.CallToolResult, error) {
	q := &validate.Request{Call: c, Method: inv.method, Tools: inv.catalog, Gate: g.gate, Modern: modern(r)}
	q.Judged = func(ctx context.Context, target *call.Call, v toolvet.Verdict, took time.Duration) toolvet.Verdict {
		g.judged(ctx, target, toolvet.PointValidate, &v, time.Now().Add(-took))
		return v
	}
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
	return newResult(g.validator.Answer(ctx, q))
}

// run runs a call that is a go. A panic, and a result that is missing, become a tool
// execution error: the SDK would end the process.
func (g *guard) run(ctx context.Context, r *mcp.CallToolRequest) (res mcp.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			g.panicked("running a tool", r.Params.Name, p)
			res, err = untyped(broken(r))
		}
	}()
	res, err = g.next(ctx, methodCallTool, r)
	if err != nil {
		return nil, err
	}
	if result, ok := res.(*mcp.CallToolResult); res == nil || ok && result == nil {
		return untyped(broken(r))
	}
	return res, nil
}

// panicked reports a recovered panic to the operator; its value is nobody else's
// business.
func (g *guard) panicked(while, tool string, value any) {
	g.logger.Error("recovered a panic", "while", while, "tool", tool, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
}

// failed is the verdict on a call that could not be judged.
func failed(checkName, why string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{
		Check: checkName, Stage: check.Schema, Level: check.SyntaxLevel, Message: why,
	}}}
}
