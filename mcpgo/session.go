// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// sessionOf identifies the principal behind a request.
func (g *guard) sessionOf(ctx context.Context, meta map[string]any) *call.Session {
	s := new(call.Session)
	*s = inside.Of(g.gate()).Caller()
	s.ProtocolVersion = server.RequestProtocolVersion(ctx)
	if version, ok := meta[jsonrpc.RevisionKey].(string); ok { // before mcp-go has read it
		s.ProtocolVersion = version
	}
	s.Traceparent, _ = meta["traceparent"].(string) // SEP-414
	id := local
	if session := server.ClientSessionFromContext(ctx); session != nil {
		id = session.SessionID()
	}
	if id == local || strings.HasPrefix(id, inProcess) {
		s.ID = g.session
	} else {
		s.Transport = "http"
		if id != "" && s.ProtocolVersion < jsonrpc.Modern { // others have no sessions
			s.ID = call.SessionID(id)
		}
	}
	if g.identify != nil {
		g.identify(ctx, s)
	}
	return s
}

// The IDs that mcp-go gives to the session over stdio, and to those of clients in the process.
const (
	local     = "stdio"
	inProcess = "inprocess-"
)
