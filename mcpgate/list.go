// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
)

// handshake announces the validate tool in the result of initialize or server/discover,
// unless listing the server's tools fails.
func (g *guard) handshake(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
	res, err := g.next(ctx, method, req)
	if res, err = g.review(ctx, method, res, err); err != nil {
		return nil, err
	}
	inv, err := g.inventory(ctx, req)
	if err != nil {
		return res, nil
	}
	switch r := res.(type) {
	case *mcp.InitializeResult:
		if r != nil {
			announced := *r
			announced.Capabilities = g.announce(r.Capabilities, inv)
			return &announced, nil
		}
	case *mcp.DiscoverResult:
		if r != nil {
			announced := *r
			announced.Capabilities = g.announce(r.Capabilities, inv)
			return &announced, nil
		}
	}
	return res, nil
}

// announce returns caps with the same protocol.Capability in both places. It changes a copy,
// since a middleware may share one object among all requests.
func (g *guard) announce(caps *mcp.ServerCapabilities, inv *inventory) *mcp.ServerCapabilities {
	var announced mcp.ServerCapabilities
	if caps != nil {
		announced = *caps
	}
	capability := g.validator.Capability(inv.Method, validate.Door{Levels: inside.Of(g.gate()).Levels(), Progress: true})
	g.announced.Add(inv.Method)
	announced.Experimental = with(announced.Experimental, protocol.Experimental, capability)
	announced.Extensions = with(announced.Extensions, protocol.Extension, capability)
	if announced.Tools == nil { // the server has no tools of its own yet
		announced.Tools = &mcp.ToolCapabilities{ListChanged: true}
	}
	return &announced
}

func with(m map[string]any, key string, value any) map[string]any {
	m = maps.Clone(m)
	if m == nil {
		m = make(map[string]any, 1)
	}
	m[key] = value
	return m
}

// listTools hides tools from the session, and adds the validate tool at the end of the last
// page.
func (g *guard) listTools(ctx context.Context, req mcp.Request) (mcp.Result, error) {
	res, err := g.next(ctx, methodListTools, req)
	if err != nil {
		return g.review(ctx, methodListTools, nil, err)
	}
	page, ok := res.(*mcp.ListToolsResult)
	if !ok || page == nil {
		return res, nil
	}
	// Filter before the review: the lock compares the server's own definitions.
	res, err = g.review(ctx, methodListTools, g.shown(ctx, req, page), nil)
	if err != nil {
		return nil, err
	}
	if page, ok = res.(*mcp.ListToolsResult); !ok {
		return res, nil
	}
	if page.NextCursor != "" {
		return page, nil
	}
	inv, err := g.inventory(ctx, req)
	if err != nil {
		return page, nil // without the validate tool, which has no known name
	}
	last := *page
	last.Tools = append(slices.Clip(page.Tools), inv.own...)
	return &last, nil
}

// shown returns a page without the tools hidden from the session.
func (g *guard) shown(ctx context.Context, req mcp.Request, page *mcp.ListToolsResult) *mcp.ListToolsResult {
	if !inside.Of(g.gate()).Hides() {
		return page
	}
	var session *call.Session
	if r, ok := req.(request); ok {
		session = g.sessionOf(r, nil)
	}
	shown := *page
	shown.Tools = slices.DeleteFunc(slices.Clone(page.Tools), func(t *mcp.Tool) bool {
		if t == nil {
			return true
		}
		return !inside.Of(g.gate()).Lists(ctx, &call.Call{Server: g.server, Name: t.Name, Tool: door.Define(t.Name, t, g.limits), Session: session})
	})
	if shown.Tools == nil { // the list is required
		shown.Tools = []*mcp.Tool{}
	}
	if len(shown.Tools) < len(page.Tools) {
		shown.CacheScope = "private" // another session may see other tools
	}
	return &shown
}

// ownTool returns the SDK's form of one of toolvet's own tools.
func ownTool(def protocol.Tool) *mcp.Tool {
	tool := &mcp.Tool{
		Name:         def.Name,
		Title:        def.Title,
		Description:  def.Description,
		InputSchema:  def.InputSchema,
		OutputSchema: def.OutputSchema,
		Annotations:  &mcp.ToolAnnotations{},
	}
	if err := json.Unmarshal(def.Annotations, tool.Annotations); err != nil {
		panic("mcpgate: annotations of a tool of its own: " + err.Error())
	}
	return tool
}
