// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/protocol"
)

// review looks at what a handler returned before the client gets it. A result in which
// nothing is changed is returned as it is.
func (g *guard) review(ctx context.Context, method string, a admitted, res mcp.Result, err error) (mcp.Result, error) {
	c := a.call
	if !g.gate.Reviews() && a.event == nil {
		return res, err
	}
	switch {
	case err != nil:
		return nil, g.reviewError(ctx, method, a, err)
	case res == nil:
		return res, nil
	}
	raw, err := json.Marshal(res)
	if err != nil {
		g.returned(ctx, a.event, new(toolvet.Reviewed), 0, true)
		return nil, fmt.Errorf("mcpgate: the result cannot be written: %w", err)
	}
	v := g.look(ctx, method, c, raw)
	tool, _ := res.(*mcp.CallToolResult)
	g.returned(ctx, a.event, &v, len(raw), tool != nil && tool.IsError)
	switch {
	case !v.Go:
		return withheld(method, c, v)
	case bytes.Equal(v.Raw, raw) && (tool == nil || len(v.Findings) == 0):
		return res, nil // only the result of a tool is told what was found
	}
	return shown(res, c, v)
}

func (g *guard) look(ctx context.Context, method string, c *call.Call, raw json.RawMessage) toolvet.Reviewed {
	read, err := result.Read(method, raw)
	if err != nil {
		g.logger.Error("a result is withheld: it could not be read", "method", method, "err", err)
		return toolvet.Reviewed{}
	}
	return g.gate.Review(ctx, c, read)
}

// reviewError is review for the error of a handler, whose text reaches the client.
func (g *guard) reviewError(ctx context.Context, method string, a admitted, failure error) error {
	c := a.call
	var wire *jsonrpc.Error
	if errors.As(failure, &wire) {
		wire = &jsonrpc.Error{Code: wire.Code, Message: failure.Error(), Data: wire.Data} // the SDK tells the whole text
	} else {
		wire = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: failure.Error()}
	}
	hidden := &jsonrpc.Error{Code: wire.Code, Message: "the error is withheld; the reason is in toolvet's log"}
	raw, err := json.Marshal(wire)
	if err != nil {
		g.returned(ctx, a.event, new(toolvet.Reviewed), 0, true)
		return hidden
	}
	v := g.look(ctx, method, c, raw)
	g.returned(ctx, a.event, &v, len(raw), true)
	switch {
	case !v.Go:
		g.logger.Warn("an error is withheld", "method", method, "tool", c.Name, "findings", len(v.Findings))
		return hidden
	case bytes.Equal(v.Raw, raw):
		return failure
	}
	changed := new(jsonrpc.Error)
	if json.Unmarshal(v.Raw, changed) != nil {
		return hidden
	}
	return changed
}

// shown is a result with the changes of the review, and with what it found.
func shown(res mcp.Result, c *call.Call, v toolvet.Reviewed) (mcp.Result, error) {
	if _, ok := res.(*mcp.CallToolResult); !ok {
		changed := reflect.New(reflect.TypeOf(res).Elem()).Interface()
		if err := json.Unmarshal(v.Raw, changed); err != nil {
			return nil, fmt.Errorf("mcpgate: the SDK does not read the changed result: %w", err)
		}
		return changed.(mcp.Result), nil
	}
	changed, err := newResult(v.Raw)
	if err != nil {
		return nil, err
	}
	a := protocol.Annotate(c.Name, &v)
	if changed.Meta == nil {
		changed.Meta = mcp.Meta{}
	}
	changed.Meta[protocol.VerdictKey] = a.Meta
	for _, note := range v.Notes {
		changed.Content = append(changed.Content, &mcp.TextContent{Text: note})
	}
	return changed, nil
}

// withheld is what the client gets in the place of a result that must not be shown.
func withheld(method string, c *call.Call, v toolvet.Reviewed) (mcp.Result, error) {
	words := protocol.NewResult(c.Name, v.Verdict)
	if method != methodCallTool {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the result is withheld: " + words.Text()}
	}
	version, _ := c.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	return newResult(words.Withheld(version >= modernVersion))
}
