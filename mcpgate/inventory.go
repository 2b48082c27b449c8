// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
)

// An inventory holds the server's own tools and the validate tool. It is immutable.
type inventory struct {
	*door.Beside
	listed []*mcp.Tool              // the server's own, in the order of its list
	known  map[*mcp.Tool]*call.Tool // the definitions of listed
	own    []*mcp.Tool              // the SDK's form of Own
}

// inventories caches the inventory of the last request. It keeps the definitions, and with
// them the compiled schemas, as long as the server lists the same tools.
type inventories struct {
	mu   sync.Mutex
	last *inventory
}

// inventory lists the server's tools on behalf of the caller of req.
//
// It lists them for every request and does not wait for list_changed. The SDK announces a
// change 10 ms late, and not at all while no session listens (a stateless HTTP server has
// none), but a call must not be judged by the schema of a replaced tool. The SDK never
// changes a listed tool, so the same pointers mean the same definitions, and the listing
// costs little more than copying the pointers.
func (g *guard) inventory(ctx context.Context, req mcp.Request) (inv *inventory, err error) {
	defer func() {
		if p := recover(); p != nil {
			g.panicked("listing the server's tools", "", p)
			inv, err = nil, errors.New("listing them panics")
		}
		if err != nil {
			g.logger.ErrorContext(ctx, "toolvet cannot list the server's tools", "err", err)
		}
	}()
	listed, err := g.list(ctx, req)
	if err != nil {
		return nil, err
	}
	g.tools.mu.Lock()
	defer g.tools.mu.Unlock()
	if last := g.tools.last; last != nil && slices.Equal(last.listed, listed) {
		return last, nil
	}
	g.tools.last = g.newInventory(listed, g.tools.last)
	g.door.Listed(ctx, g.tools.last.Servers) // before any call of these tools
	return g.tools.last, nil
}

// maxPages ends a listing with endless pages.
const maxPages = 10_000

// list collects all pages of the server's own tools/list.
func (g *guard) list(ctx context.Context, req mcp.Request) ([]*mcp.Tool, error) {
	session, _ := req.GetSession().(*mcp.ServerSession)
	var tools []*mcp.Tool
	params := &mcp.ListToolsParams{}
	for range maxPages {
		res, err := g.next(ctx, methodListTools, &mcp.ListToolsRequest{Session: session, Params: params, Extra: req.GetExtra()})
		if err != nil {
			return nil, err
		}
		page, ok := res.(*mcp.ListToolsResult)
		if !ok || page == nil {
			return nil, errors.New("a middleware answers tools/list with something else")
		}
		tools = append(tools, page.Tools...)
		if page.NextCursor == "" {
			return slices.DeleteFunc(tools, func(t *mcp.Tool) bool { return t == nil }), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
	return nil, fmt.Errorf("tools/list has no end after %d pages", maxPages)
}

func (g *guard) newInventory(listed []*mcp.Tool, last *inventory) *inventory {
	inv := &inventory{listed: listed, known: make(map[*mcp.Tool]*call.Tool, len(listed))}
	servers := make([]*call.Tool, 0, len(listed))
	for _, t := range listed {
		definition := last.definition(t)
		if definition == nil {
			definition = door.Define(t.Name, t, g.limits)
		}
		inv.known[t] = definition
		servers = append(servers, definition)
	}
	inv.Beside = door.NewBeside(servers, g.validator, g.name, nil, g.limits)
	for _, definition := range inv.Own {
		inv.own = append(inv.own, ownTool(definition))
	}
	return inv
}

func (inv *inventory) definition(t *mcp.Tool) *call.Tool {
	if inv == nil {
		return nil
	}
	return inv.known[t]
}

// entries lists the server's prompts, resources or templates on behalf of the caller of req.
func (g *guard) entries(ctx context.Context, method string, req mcp.Request) (*call.Catalog, error) {
	session, _ := req.GetSession().(*mcp.ServerSession)
	return door.Entries(ctx, method, call.Limits{Bytes: maxList}, func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
		cursor, _ := params["cursor"].(string)
		res, err := g.next(ctx, method, listRequest(method, cursor, session, req.GetExtra()))
		if wire := (*jsonrpc.Error)(nil); errors.As(err, &wire) {
			return nil, answeredError(wire.Code)
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(res)
	})
}

// maxList is the size of the largest page of a list, in bytes.
const maxList = 64 << 20

func listRequest(method, cursor string, session *mcp.ServerSession, extra *mcp.RequestExtra) mcp.Request {
	switch method {
	case listed.Prompts:
		return &mcp.ListPromptsRequest{Session: session, Params: &mcp.ListPromptsParams{Cursor: cursor}, Extra: extra}
	case listed.Resources:
		return &mcp.ListResourcesRequest{Session: session, Params: &mcp.ListResourcesParams{Cursor: cursor}, Extra: extra}
	}
	return &mcp.ListResourceTemplatesRequest{Session: session, Params: &mcp.ListResourceTemplatesParams{Cursor: cursor}, Extra: extra}
}

// An answeredError is a handler's JSON-RPC error, without its text.
type answeredError int

func (e answeredError) Error() string {
	return fmt.Sprintf("the server answers with the error %d", int(e))
}

// ErrorCode returns the code of the JSON-RPC error.
func (e answeredError) ErrorCode() int { return int(e) }
