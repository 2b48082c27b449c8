// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rewrite is a middleware that replaces the arguments of every call.
func rewrite(arguments string) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok {
				params := *r.Params
				params.Arguments = json.RawMessage(arguments)
				req = &mcp.CallToolRequest{Session: r.Session, Params: &params, Extra: r.Extra}
			}
			return next(ctx, method, req)
		}
	}
}

// hide is a middleware that leaves a tool out of tools/list.
func hide(name string) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if page, ok := res.(*mcp.ListToolsResult); ok && err == nil {
				page.Tools = slices.DeleteFunc(page.Tools, func(t *mcp.Tool) bool { return t.Name == name })
			}
			return res, err
		}
	}
}

// What middleware that is added after Install makes of a call is what is judged, and
// what runs.
func TestLaterMiddlewareIsJudged(t *testing.T) {
	t.Parallel()
	server, _ := guarded(t, nil)
	server.AddReceivingMiddleware(rewrite(`{"pth":"x"}`))
	checkRefusal(t, open(t, server, "2025-11-25").call("read", `{"path":"a"}`).tool(t), "2025-11-25")

	server, ran := guarded(t, nil)
	server.AddReceivingMiddleware(rewrite(`{"path":"x"}`))
	if r := open(t, server, "2025-11-25").call("read", `{"pth":"a"}`).tool(t); r.IsError {
		t.Errorf("got %+v, want the rewritten call run", r)
	}
	if diff := cmp.Diff([]string{`read {"path":"x"}`}, ran.take()); diff != "" {
		t.Errorf("runs differ (-want +got):\n%s", diff)
	}
}

// A tool that a later middleware hides from the list is known to the gate all the same.
func TestLaterMiddlewareMayHideTools(t *testing.T) {
	t.Parallel()
	server, ran := guarded(t, nil)
	server.AddReceivingMiddleware(hide("read"))
	w := open(t, server, "2025-11-25")
	if names := w.names(); slices.Contains(names, "read") || !slices.Contains(names, "validate") {
		t.Errorf("got tools %q, want all but read", names)
	}
	if r := w.call("read", `{"path":"a"}`).tool(t); r.IsError {
		t.Errorf("got %+v, want the call run", r)
	}
	checkRefusal(t, w.call("read", `{}`).tool(t), "2025-11-25")
	if diff := cmp.Diff([]string{`read {"path":"a"}`}, ran.take()); diff != "" {
		t.Errorf("runs differ (-want +got):\n%s", diff)
	}
}

// Middleware that was added before Install is behind the gate: it is documented that
// what it does to a call is not judged, and that tools it hides are refused.
func TestEarlierMiddlewareIsBehindTheGate(t *testing.T) {
	t.Parallel()
	server, ran := newServer(nil)
	server.AddReceivingMiddleware(rewrite(`{"pth":"unjudged"}`), hide("greet"))
	install(t, server)
	w := open(t, server, "2025-11-25")
	checkRefusal(t, w.call("read", `{}`).tool(t), "2025-11-25")
	if r := w.call("read", `{"path":"a"}`).tool(t); r.IsError {
		t.Errorf("got %+v, want the call run", r)
	}
	if diff := cmp.Diff([]string{`read {"pth":"unjudged"}`}, ran.take()); diff != "" {
		t.Errorf("runs differ (-want +got):\n%s", diff)
	}
	if a := w.call("greet", `{"name":"Ann"}`); !strings.Contains(a.line, unknownTool) {
		t.Errorf("got %s, want the tool unknown: nobody could judge it", a.line)
	}
	if v := w.validate("greet", `{"name":"Ann"}`).tool(t).verdict(t); v.Valid {
		t.Errorf("got %+v, want the same of the validate tool", v)
	}
}

// The server's tools are listed for the caller, so that what a middleware shows to one
// caller does not judge the calls of another.
func TestToolsAreListedForTheCaller(t *testing.T) {
	t.Parallel()
	var hidden atomic.Pointer[mcp.ServerSession] // the session that may not see greet
	server, ran := newServer(nil)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		all, some := next, hide("greet")(next)
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if req.GetSession() == hidden.Load() {
				return some(ctx, method, req)
			}
			return all(ctx, method, req)
		}
	})
	install(t, server)
	poor := open(t, server, "2025-11-25")
	for session := range server.Sessions() {
		hidden.Store(session)
	}
	rich := open(t, server, "2025-11-25")
	for range 3 {
		if a := poor.call("greet", `{"name":"Ann"}`); !strings.Contains(a.line, unknownTool) {
			t.Errorf("got %s, want the tool unknown", a.line)
		}
		if r := rich.call("greet", `{"name":"Ann"}`).tool(t); r.IsError {
			t.Errorf("got %+v, want the call run", r)
		}
	}
	if got := len(ran.take()); got != 3 {
		t.Errorf("%d calls ran, want 3", got)
	}
}

// What is neither a call nor a list passes unseen.
func TestOtherMethodsPass(t *testing.T) {
	t.Parallel()
	add := func(server *mcp.Server) {
		server.AddPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Description: "d"}, nil
		})
	}
	bare, _ := newServer(nil)
	with, _ := guarded(t, nil)
	add(bare)
	add(with)
	for _, version := range []string{"2025-11-25", modernVersion} {
		direct, judged := open(t, bare, version), open(t, with, version)
		for method, params := range map[string]string{"prompts/list": `{}`, "prompts/get": `{"name":"p"}`, "no/such": `{}`} {
			want, got := direct.ask(method, params), judged.ask(method, params)
			if diff := cmp.Diff(want.line, got.line); diff != "" {
				t.Errorf("%s: answers differ (-bare +guarded):\n%s", method, diff)
			}
		}
	}
}

// A middleware that hands on a call without its params gets an error, and no panic.
func TestCallWithoutParams(t *testing.T) {
	t.Parallel()
	server, ran := guarded(t, nil)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok {
				req = &mcp.CallToolRequest{Session: r.Session}
			}
			return next(ctx, method, req)
		}
	})
	a := open(t, server, "2025-11-25").call("read", `{"path":"a"}`)
	if a.Error == nil || a.Error.Code != -32603 || ran.take() != nil {
		t.Errorf("got %s, want the error -32603 and nothing run", a.line)
	}
}
