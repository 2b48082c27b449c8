// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/mcpgate"
)

// cancelKey is the key of a function that cancels its context.
type cancelKey struct{}

// A hasty limiter counts calls of read, and cancels the first when it has counted it.
type hasty struct {
	limits    *limit.Limiter
	cancelled bool
}

func (h *hasty) Take(ctx context.Context, c *call.Call) (engine.Ticket, []check.Finding) {
	ticket, err := h.limits.Take(ctx, limit.Key{Tool: c.Name})
	if err != nil {
		return nil, []check.Finding{{Check: "limit", Stage: check.Policy, Level: check.SecurityLevel, Message: err.Error()}}
	}
	if !h.cancelled {
		h.cancelled = true
		ctx.Value(cancelKey{}).(context.CancelFunc)()
	}
	return ticket, nil
}

func (h *hasty) Peek(context.Context, *call.Call) ([]engine.Allowance, []check.Finding) {
	return nil, nil
}

// TestRollback holds that a call which was admitted and is cancelled before its handler runs
// is not counted, and that one whose handler ran is.
func TestRollback(t *testing.T) {
	t.Parallel()
	limits, err := limit.New([]limit.Limit{{Name: "one", Concurrency: 1, Quota: limit.Quota{Calls: 1, Period: limit.Month}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, ran := newServer(nil)
	if err := mcpgate.Install(server, newGate(t, toolvet.WithInside(engine.Parts{Limiter: &hasty{limits: limits}})), mcpgate.WithLogger(slog.New(slog.DiscardHandler))); err != nil {
		t.Fatal(err)
	}
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			return next(context.WithValue(ctx, cancelKey{}, cancel), method, req)
		}
	})
	w := open(t, server, modernVersion)
	// The limiter cancels while the engine waits for its answer. If the engine sees the cancellation first, it refuses the
	// call and gives the ticket back; if it sees the answer first, mcpgate notices the cancellation, and the SDK answers with an error.
	if a := w.call("read", `{"path":"a"}`); a.Error == nil && !a.tool(t).IsError {
		t.Errorf("the cancelled call is answered with %s", a.line)
	}
	if got := ran.take(); got != nil {
		t.Errorf("the cancelled call ran: %v", got)
	}
	second, third := w.call("read", `{"path":"b"}`), w.call("read", `{"path":"c"}`)
	if got := ran.take(); len(got) != 1 || second.tool(t).IsError || !third.tool(t).IsError {
		t.Errorf("the next calls are answered with %s%s", second.line, third.line)
	}
}
