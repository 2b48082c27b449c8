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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/protocol"
)

// An inventory is what the server offers: its own tools and the validate tool. It is
// not changed once it is made.
type inventory struct {
	listed  []*mcp.Tool              // the server's own, as it lists them
	known   map[*mcp.Tool]*call.Tool // the definitions of listed
	servers *call.Catalog            // the definitions of listed
	method  string                   // name of the validate tool, which no listed tool has
	own     []*mcp.Tool              // the validate tool, and the batch tool
	catalog *call.Catalog            // all definitions, those of own last
}

// inventories holds the inventory of the last request. Definitions, and with them the
// compiled schemas, are kept as long as the server lists the same tools.
type inventories struct {
	mu   sync.Mutex
	last *inventory
}

// inventory asks the server for its tools on behalf of the caller of req.
//
// It asks for every request rather than when the list changes: the SDK tells of a
// change 10 ms late, and not at all while no session listens (a stateless HTTP server
// has none), and a call must not be judged by the schema of a tool that has been
// replaced. The SDK lists pointers to tools that are never changed, so the same
// pointers mean the same definitions, and a look costs little more than copying them.
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
	if g.observer != nil { // before any call that is judged by them
		g.observer.Listed(ctx, g.server, g.tools.last.servers)
	}
	return g.tools.last, nil
}

// maxPages ends a listing that goes round in circles.
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
	all := make([]*call.Tool, 0, len(listed)+2)
	for _, t := range listed {
		definition := last.definition(t)
		if definition == nil {
			definition = define(t, g.limits)
		}
		inv.known[t] = definition
		all = append(all, definition)
	}
	inv.servers = call.NewCatalog(all)
	inv.method = freeName(listed, g.name)
	for _, definition := range g.validator.Definitions(inv.method) {
		t := ownTool(definition)
		inv.own = append(inv.own, t)
		all = append(all, define(t, g.limits))
	}
	inv.catalog = call.NewCatalog(all)
	return inv
}

func (inv *inventory) definition(t *mcp.Tool) *call.Tool {
	if inv == nil {
		return nil
	}
	return inv.known[t]
}

// freeName finds a name for the validate tool that no listed tool has.
func freeName(listed []*mcp.Tool, name string) string {
	taken := make(map[string]bool, len(listed))
	for _, t := range listed {
		taken[t.Name] = true
	}
	return protocol.FreeName(name, func(name string) bool { return taken[name] })
}

// define reads a tool's definition as its clients get it: a schema that is a
// json.RawMessage keeps its keys' order and its numbers' digits, one that the author
// built as a Go map or a *jsonschema.Schema is written by encoding/json here as there.
// A definition that cannot be read has a fault, so that only its own calls are refused.
func define(t *mcp.Tool, limits call.Limits) *call.Tool {
	raw, err := json.Marshal(t)
	if err != nil {
		return &call.Tool{Name: t.Name, Fault: errors.New("its definition cannot be written as JSON")}
	}
	definition, err := call.DecodeTool(raw, limits)
	if err != nil {
		return &call.Tool{Name: t.Name, Raw: raw, Fault: err}
	}
	return definition
}
