// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
)

// An inventory holds the server's own tools and the validate tool, as one session sees them. It is immutable.
type inventory struct {
	*door.Beside
	listed []mcp.Tool            // the server's own
	known  map[string]*call.Tool // the definitions of listed
	own    []mcp.Tool            // mcp-go's form of Own; empty if a filter of the server drops them
}

// inwardKey marks the context of a request that the guard makes itself.
type inwardKey struct{}

// inward is the value behind inwardKey.
type inward struct {
	filtered bool
	tools    []mcp.Tool
}

func isInward(ctx context.Context) bool { return ctx.Value(inwardKey{}) != nil }

// collect is a tool filter that changes nothing. Behind the other filters, it sees all tools of a session, on no page.
func collect(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	if in, ok := ctx.Value(inwardKey{}).(*inward); ok {
		in.filtered, in.tools = true, slices.Clone(tools)
	}
	return tools
}

// ask makes a request in the name of the caller of ctx, which no gate judges.
func (g *guard) ask(ctx context.Context, in *inward, method string, params map[string]any) mcp.JSONRPCMessage {
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "toolvet " + method, "method": method, "params": params})
	if err != nil { // impossible: maps and strings
		return nil
	}
	return g.server.HandleMessage(context.WithValue(ctx, inwardKey{}, in), message)
}

// inventory lists the server's tools on behalf of the caller of ctx, and makes sure that the server has its own tools beside
// them. It lists them for each request: a call must not be judged by the schema of a replaced tool.
func (g *guard) inventory(ctx context.Context) (inv *inventory, err error) {
	defer func() {
		if p := recover(); p != nil {
			g.panicked("listing the server's tools", "", p)
			inv, err = nil, errors.New("listing them panics")
		}
		if err != nil {
			g.logger.ErrorContext(ctx, "toolvet cannot list the server's tools", "err", err)
		}
	}()
	for range 10 {
		in := new(inward)
		if g.ask(ctx, in, "tools/list", nil); !in.filtered && g.server.ListTools() != nil {
			return nil, errors.New("a hook of the server refuses to list them")
		}
		if inv := g.beside(ctx, in.tools); inv != nil {
			return inv, nil
		}
	}
	return nil, errors.New("the program keeps deleting the validate tool")
}

// beside returns the inventory of a session with these tools. It returns nil if it had to give the server an own tool, which is not
// among them yet.
func (g *guard) beside(ctx context.Context, tools []mcp.Tool) *inventory {
	g.mu.Lock()
	defer g.mu.Unlock()
	var listed, own []mcp.Tool
	for _, t := range tools {
		if g.isOwn(t) {
			own = append(own, t)
		} else {
			listed = append(listed, t)
		}
	}
	if g.last == nil || !reflect.DeepEqual(g.last.listed, listed) || slices.ContainsFunc(g.last.Own, func(t protocol.Tool) bool { return g.taken(t.Name) }) {
		g.last = g.newInventory(listed, g.last)
		g.door.Listed(ctx, g.last.Servers) // before any call of these tools
	}
	if g.offer(g.last.Own) {
		return nil
	}
	inv := *g.last
	for _, definition := range inv.Own { // the validate tool first; names of other sessions are not in force
		if i := slices.IndexFunc(own, func(t mcp.Tool) bool { return t.Name == definition.Name }); i >= 0 {
			inv.own = append(inv.own, own[i])
		}
	}
	return &inv
}

// offer registers own tools with the server that it does not have, or has no longer. It reports whether there were any.
// The caller holds the mutex.
func (g *guard) offer(own []protocol.Tool) bool {
	var missing []server.ServerTool
	for _, definition := range own {
		if g.server.GetTool(definition.Name) == nil {
			missing = append(missing, g.ownTool(definition))
		}
	}
	if len(missing) > 0 {
		g.server.AddTools(missing...)
	}
	return len(missing) > 0
}

// ownTool returns mcp-go's form of an own tool, the same each time. The caller holds the mutex.
func (g *guard) ownTool(definition protocol.Tool) server.ServerTool {
	if tool, ok := g.own[definition.Name]; ok {
		return tool
	}
	tool := mcp.NewToolWithRawSchema(definition.Name, definition.Description, definition.InputSchema)
	tool.Title, tool.RawOutputSchema = definition.Title, definition.OutputSchema
	if err := json.Unmarshal(definition.Annotations, &tool.Annotations); err != nil {
		panic("mcpgo: annotations of a tool of its own: " + err.Error())
	}
	g.own[definition.Name] = server.ServerTool{Tool: tool, Handler: unreached}
	return g.own[definition.Name]
}

// isOwn reports whether a tool is the guard's, by the place of its schema in memory. The caller holds the mutex.
func (g *guard) isOwn(t mcp.Tool) bool {
	own, ok := g.own[t.Name]
	return ok && len(t.RawInputSchema) > 0 && &t.RawInputSchema[0] == &own.Tool.RawInputSchema[0]
}

// owns is isOwn for callers without the mutex.
func (g *guard) owns(t mcp.Tool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isOwn(t)
}

// taken reports whether the server has a tool of its own under a name, listed or not. The caller holds the mutex.
func (g *guard) taken(name string) bool {
	t := g.server.GetTool(name)
	return t != nil && !g.isOwn(t.Tool)
}

// unreached is the handler of own tools. The middleware answers in its place.
func unreached(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, errors.New("the call was not judged, so it is refused")
}

// newInventory keeps the definitions of the last inventory, and with them the compiled schemas.
func (g *guard) newInventory(listed []mcp.Tool, last *inventory) *inventory {
	inv := &inventory{listed: listed, known: make(map[string]*call.Tool, len(listed))}
	before := map[string]mcp.Tool{}
	if last != nil {
		for _, t := range last.listed {
			before[t.Name] = t
		}
	}
	servers := make([]*call.Tool, 0, len(listed))
	for _, t := range listed {
		definition := (*call.Tool)(nil)
		if old, ok := before[t.Name]; ok && reflect.DeepEqual(old, t) {
			definition = last.known[t.Name]
		} else {
			definition = door.Define(t.Name, t, g.limits)
		}
		inv.known[t.Name] = definition
		servers = append(servers, definition)
	}
	inv.Beside = door.NewBeside(servers, g.validator, g.name, g.taken, g.limits)
	return inv
}
