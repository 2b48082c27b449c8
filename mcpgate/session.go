// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"context"
	"crypto/rand"
	"runtime"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// A request is a client's request in the SDK's form.
type request interface {
	mcp.Request
	ProtocolVersion() string
}

// callerOf identifies the principal behind a request of any form.
func (g *guard) callerOf(req mcp.Request, meta mcp.Meta) *call.Session {
	if r, ok := req.(request); ok {
		return g.sessionOf(r, meta)
	}
	s := inside.Of(g.gate()).Caller()
	return &s
}

// sessionOf identifies the principal behind a request by the bearer token, if the server's own
// authorization has verified one.
func (g *guard) sessionOf(r request, meta mcp.Meta) *call.Session {
	s := new(call.Session)
	*s = inside.Of(g.gate()).Caller()
	s.ProtocolVersion = r.ProtocolVersion()
	s.Traceparent, _ = meta["traceparent"].(string) // SEP-414
	extra := r.GetExtra()
	if extra == nil {
		extra = new(mcp.RequestExtra)
	}
	if token := extra.TokenInfo; token != nil {
		s.Subject, s.Claims, s.Authenticated = token.UserID, token.Extra, true
	}
	if extra.Header != nil {
		s.Transport = "http"
	}
	session, _ := r.GetSession().(*mcp.ServerSession)
	switch {
	case session == nil, s.Transport == "http" && s.ProtocolVersion >= jsonrpc.Modern: // these have no sessions
	case session.ID() != "":
		s.ID = call.SessionID(session.ID())
	case s.Transport != "http":
		s.ID = g.sessions.of(session)
	}
	return s
}

// sessionIDs holds our ids for sessions without one from the SDK, as over stdio.
type sessionIDs struct {
	byKey sync.Map // of weak.Pointer[mcp.ServerSession]: string
}

func (ids *sessionIDs) of(session *mcp.ServerSession) string {
	key := weak.Make(session)
	id, known := ids.byKey.LoadOrStore(key, rand.Text())
	if !known {
		runtime.AddCleanup(session, func(key weak.Pointer[mcp.ServerSession]) { ids.byKey.Delete(key) }, key)
	}
	return id.(string)
}

// sending is the middleware for the server's own requests and notifications.
func (g *guard) sending(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "notifications/resources/updated", "notifications/resources/list_changed":
			g.validator.ResourcesChanged()
		}
		if asks[method] {
			return g.ask(ctx, next, method, req)
		}
		return next(ctx, method, req)
	}
}
