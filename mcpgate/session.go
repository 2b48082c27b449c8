// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
)

// sessionOf is who makes a call, as far as the SDK knows it: by the bearer token that the
// server's own authorization has verified.
func sessionOf(r *mcp.CallToolRequest) *call.Session {
	s := &call.Session{ProtocolVersion: r.ProtocolVersion()}
	s.Traceparent, _ = r.Params.Meta["traceparent"].(string) // SEP-414
	if r.Extra == nil {
		return s
	}
	if r.Extra.Header != nil {
		s.Transport = "http"
	}
	if token := r.Extra.TokenInfo; token != nil {
		s.Subject, s.Claims = token.UserID, token.Extra
	}
	return s
}

// sending is the middleware of what the server sends of its own.
func (g *guard) sending(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "notifications/resources/updated", "notifications/resources/list_changed":
			g.validator.ResourcesChanged()
		}
		return next(ctx, method, req)
	}
}
