// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// answered is the hook behind each request that succeeded. Result is a pointer, and what it points to is the answer.
func (g *guard) answered(ctx context.Context, _ any, method mcp.MCPMethod, message, result any) {
	if isInward(ctx) {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			g.panicked("reviewing a result", string(method), value)
			withhold(result, "the result could not be reviewed; the reason is in toolvet's log")
		}
	}()
	switch r := result.(type) {
	case *mcp.InitializeResult:
		g.review(ctx, string(method), r)
		g.announce(ctx, &r.Capabilities)
	case *mcp.DiscoverResult:
		g.review(ctx, string(method), r)
		g.announce(ctx, &r.Capabilities)
	case *mcp.ListToolsResult:
		g.listed(ctx, r)
	case *mcp.CallToolResult: // the middleware has reviewed it
	case *mcp.CreateTaskResult:
		g.ended(ctx, message, true)
	case *mcp.TaskResultResult:
		g.review(ctx, string(mcp.MethodToolsCall), r)
	default:
		g.hide(ctx, string(method), result)
		g.review(ctx, string(method), result)
	}
}

// failed is the hook behind each request with an error.
func (g *guard) failed(ctx context.Context, _ any, _ mcp.MCPMethod, message any, _ error) {
	g.ended(ctx, message, false)
}

// ended ends the passage of a call that runs without the middleware, if message is one.
func (g *guard) ended(ctx context.Context, message any, delivered bool) {
	g.tasksMu.Lock()
	p := g.tasks[message]
	delete(g.tasks, message)
	g.tasksMu.Unlock()
	switch {
	case p == nil:
		return
	case delivered:
		p.Delivered(ctx)
	default:
		door.Lost(ctx, p)
	}
	p.Close()
}

// announce puts the same protocol.Capability in both places, in copies: mcp-go hands out the server's own maps.
func (g *guard) announce(ctx context.Context, caps *mcp.ServerCapabilities) {
	inv, err := g.inventory(ctx)
	if err != nil || len(inv.own) == 0 {
		return
	}
	capability := g.validator.Capability(inv.Method, validate.Door{Levels: inside.Of(g.gate()).Levels()})
	g.announced.Add(inv.Method)
	caps.Experimental = with(caps.Experimental, protocol.Experimental, capability)
	caps.Extensions = with(caps.Extensions, protocol.Extension, capability)
}

func with(m map[string]any, key string, value any) map[string]any {
	m = maps.Clone(m)
	if m == nil {
		m = make(map[string]any, 1)
	}
	m[key] = value
	return m
}

// listed hides tools from the session, and puts its own tools at the end of the last page.
func (g *guard) listed(ctx context.Context, page *mcp.ListToolsResult) {
	inv, err := g.inventory(ctx)
	session := g.sessionOf(ctx, nil)
	shown, hidden := []mcp.Tool{}, false
	for _, t := range page.Tools {
		switch {
		case g.owns(t):
		case !inside.Of(g.gate()).Hides() || inside.Of(g.gate()).Lists(ctx, &call.Call{
			Server: g.policyName, Name: t.Name, Tool: door.Define(t.Name, t, g.limits), Session: session}):
			shown = append(shown, t)
		default:
			hidden = true
		}
	}
	if page.Tools = shown; hidden {
		page.CacheScope = mcp.CacheScopePrivate // another session may see other tools
	}
	g.review(ctx, string(mcp.MethodToolsList), page) // as the server lists them: a lock compares the definitions
	if err == nil && page.NextCursor == "" {
		page.Tools = append(page.Tools, inv.own...)
	}
}

// hide leaves prompts, resources and templates out of a list that the session must not see.
func (g *guard) hide(ctx context.Context, method string, result any) {
	if !inside.Of(g.gate()).Hides() {
		return
	}
	raw, err := json.Marshal(result)
	if err != nil {
		withhold(result, "the list cannot be written")
		return
	}
	list := splice.New(raw, call.Limits{Bytes: len(raw)})
	hidden, err := g.door.Hide(ctx, method, list, raw, g.sessionOf(ctx, nil))
	if err != nil || hidden && !replace(result, list.Text()) {
		withhold(result, "the list could not be read")
	}
}

// review runs the output layer over a result, and changes it in its place.
func (g *guard) review(ctx context.Context, method string, result any) {
	raw, err := json.Marshal(result)
	if err != nil {
		withhold(result, "the result cannot be written as JSON")
		return
	}
	if asked := g.door.Questions(ctx, g.sessionOf(ctx, nil), door.Request{}, raw, false); !asked.Go {
		words := protocol.NewResult("", asked)
		g.logger.WarnContext(ctx, "withheld a result that asks the client", "server", g.policyName, "method", method)
		withhold(result, words.Errors...)
		return
	}
	if !inside.Of(g.gate()).Reviews() {
		return
	}
	v := g.door.Review(ctx, &call.Call{Server: g.policyName}, method, raw)
	switch {
	case !v.Go:
		words := protocol.NewResult("", v.Verdict)
		g.logger.WarnContext(ctx, "withheld a result", "server", g.policyName, "method", method)
		withhold(result, words.Errors...)
	case method == string(mcp.MethodToolsCall):
		if v.Raw, err = door.Annotate("", &v); err != nil || !bytes.Equal(v.Raw, raw) && !replace(result, v.Raw) {
			withhold(result, "the result has no place for what was found in it")
		}
	case !bytes.Equal(v.Raw, raw) && !replace(result, v.Raw):
		withhold(result, "mcp-go does not read the changed result")
	}
}

// replace puts the result that raw holds in the place of another. It reports success.
func replace(result any, raw json.RawMessage) bool {
	switch r := result.(type) { // these hold interfaces, which encoding/json does not decode
	case *mcp.GetPromptResult:
		return set(r, raw, mcp.ParseGetPromptResult)
	case *mcp.ReadResourceResult:
		return set(r, raw, mcp.ParseReadResourceResult)
	case *mcp.TaskResultResult:
		return set(r, raw, mcp.ParseTaskResultResult)
	}
	place := reflect.ValueOf(result)
	if place.Kind() != reflect.Pointer || place.IsNil() {
		return false
	}
	changed := reflect.New(place.Type().Elem())
	if json.Unmarshal(raw, changed.Interface()) != nil {
		return false
	}
	place.Elem().Set(changed.Elem())
	return true
}

func set[T any](result *T, raw json.RawMessage, parse func(*json.RawMessage) (*T, error)) bool {
	changed, err := parse(&raw)
	if err != nil || result == nil {
		return false
	}
	*result = *changed
	return true
}

// empty has what results require.
const empty = `{"tools":[],"prompts":[],"resources":[],"resourceTemplates":[],"contents":[],"messages":[],"tasks":[],"completion":{"values":[]},"content":[]}`

// withhold empties a result, because mcp-go takes no error any more. Its _meta says why.
func withhold(result any, why ...string) {
	if !replace(result, json.RawMessage(empty)) {
		if place := reflect.ValueOf(result); place.Kind() == reflect.Pointer && !place.IsNil() {
			place.Elem().SetZero()
		}
	}
	switch r := result.(type) {
	case *mcp.ReadResourceResult:
		r.Contents = []mcp.ResourceContents{}
	case *mcp.GetPromptResult:
		r.Messages = []mcp.PromptMessage{}
	case *mcp.TaskResultResult:
		r.IsError, r.Content = true, []mcp.Content{mcp.NewTextContent("The result is withheld: " + strings.Join(why, "; "))}
	}
	if r, ok := result.(mcp.ResultMetadata); ok {
		words := protocol.NewResult("", toolvet.Verdict{})
		words.Errors = why
		meta := r.EnsureResultMeta()
		if meta.AdditionalFields == nil {
			meta.AdditionalFields = map[string]any{}
		}
		meta.AdditionalFields[protocol.VerdictKey] = words
	}
}
