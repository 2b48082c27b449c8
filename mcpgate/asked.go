// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
)

// asks are the server's requests to the client that a policy can deny, limit and record.
var asks = map[string]bool{"sampling/createMessage": true, "elicitation/create": true, "roots/list": true}

// ask judges a request of the server to the client, sends it, and judges the answer.
func (g *guard) ask(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request) (mcp.Result, error) {
	params, err := json.Marshal(req.GetParams())
	if err != nil {
		return nil, fmt.Errorf("mcpgate: the request cannot be written, so it cannot be judged: %w", err)
	}
	who := g.callerOf(req, nil)
	p := g.door.Ask(ctx, method, params, who, door.Request{})
	if answer, refused := p.Refusal(); refused {
		return nil, readError(answer.Raw)
	}
	v := g.door.Review(ctx, &call.Call{Server: g.server}, method, params)
	if !v.Go {
		p.Unanswered(ctx)
		words := protocol.NewResult("", v.Verdict)
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request is withheld from the client: " + words.Text()}
	}
	if !bytes.Equal(v.Raw, params) {
		if req, err = withParams(req, v.Raw); err != nil {
			p.Unanswered(ctx)
			return nil, err
		}
	}
	res, err := next(ctx, method, req)
	if err != nil {
		p.Unanswered(ctx)
		return nil, err
	}
	raw, err := json.Marshal(res)
	if err != nil {
		p.Unanswered(ctx)
		return nil, fmt.Errorf("mcpgate: the client's answer cannot be written, so it cannot be judged: %w", err)
	}
	if err := p.Answered(ctx, raw, false); err != nil {
		return nil, err
	}
	return res, nil
}

// withParams returns a copy of a request with other params. The original belongs to the program.
func withParams(req mcp.Request, raw json.RawMessage) (mcp.Request, error) {
	params := reflect.New(reflect.TypeOf(req.GetParams()).Elem())
	if err := json.Unmarshal(raw, params.Interface()); err != nil {
		return nil, fmt.Errorf("mcpgate: the SDK does not read the changed request: %w", err)
	}
	changed := reflect.New(reflect.TypeOf(req).Elem())
	changed.Elem().Set(reflect.ValueOf(req).Elem())
	changed.Elem().FieldByName("Params").Set(params)
	return changed.Interface().(mcp.Request), nil
}
