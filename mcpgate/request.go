// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	wire "github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// request judges a request other than tools/call, then has it handled, or answers with the refusal.
func (g *guard) request(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
	p, err := g.enter(ctx, method, req)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	p.Sending()
	p.Sent()
	switch method {
	case methodInitialize, methodDiscover:
		return delivered(ctx, p)(g.handshake(ctx, method, req))
	case methodListTools:
		return delivered(ctx, p)(g.listTools(ctx, req))
	}
	res, err := g.next(p.Context(ctx), method, req)
	if err == nil && inside.Of(g.gate()).Hides() && listed.Member(method) != "" {
		res, err = g.shownEntries(ctx, method, req, res)
	}
	switch {
	case ctx.Err() != nil:
		door.Lost(ctx, p)
		return nil, ctx.Err()
	case err != nil:
		return nil, g.requestError(ctx, p, err)
	case res == nil:
		return delivered(ctx, p)(nil, nil)
	}
	raw, err := json.Marshal(res)
	if err != nil {
		door.Lost(ctx, p)
		return nil, fmt.Errorf("mcpgate: the result cannot be written: %w", err)
	}
	shown := p.Returned(ctx, raw)
	switch {
	case shown.Error:
		return nil, readError(shown.Raw)
	case !shown.Changed:
		return res, nil
	}
	changed := reflect.New(reflect.TypeOf(res).Elem()).Interface()
	if err := json.Unmarshal(shown.Raw, changed); err != nil {
		return nil, fmt.Errorf("mcpgate: the SDK does not read the changed result: %w", err)
	}
	return changed.(mcp.Result), nil
}

// delivered ends the passage of a request whose result has been reviewed on its own.
func delivered(ctx context.Context, p *door.Passage) func(mcp.Result, error) (mcp.Result, error) {
	return func(res mcp.Result, err error) (mcp.Result, error) {
		p.Delivered(ctx)
		return res, err
	}
}

// requestError reviews a handler's error, because its text reaches the client.
func (g *guard) requestError(ctx context.Context, p *door.Passage, failure error) error {
	raw, err := json.Marshal(wireError(failure))
	if err != nil {
		door.Lost(ctx, p)
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the error is withheld; the reason is in toolvet's log"}
	}
	shown := p.Refused(ctx, raw)
	if !shown.Changed {
		return failure
	}
	return readError(shown.Raw)
}

// enter judges a request. The error is the refusal.
func (g *guard) enter(ctx context.Context, method string, req mcp.Request) (p *door.Passage, err error) {
	defer func() {
		if value := recover(); value != nil {
			g.panicked("judging a request", method, value)
			p, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request could not be judged; the reason is in toolvet's log"}
		}
	}()
	params, err := json.Marshal(req.GetParams())
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "a middleware hands on params that cannot be written, so they cannot be judged"}
	}
	who := func(meta map[string]any) *call.Session { return g.callerOf(req, meta) }
	d := g.door
	if known := call.RequestOf(method); known != nil && known.Implied {
		d.Limits = call.Limits{} // the limits of arguments are not those of the handshake
	}
	c, err := d.DecodeRequest(ctx, method, params, who, door.Request{})
	if err != nil {
		return nil, wired(err)
	}
	g.door.Inform(ctx, c, func(ctx context.Context, method string) (*call.Catalog, error) { return g.entries(ctx, method, req) })
	p = g.door.Enter(ctx, c, door.Request{Modern: wire.IsModern(c.Meta)})
	if answer, refused := p.Refusal(); refused {
		return nil, readError(answer.Raw)
	}
	return p, nil
}

// wired returns an error of package call in the SDK's form.
func wired(err error) error {
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		return &jsonrpc.Error{Code: int64(e.Code), Message: e.Message}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
}

// shownEntries returns a list of prompts, resources or templates without the entries that the
// session must not see.
func (g *guard) shownEntries(ctx context.Context, method string, req mcp.Request, res mcp.Result) (mcp.Result, error) {
	raw, err := json.Marshal(res)
	if err != nil {
		return nil, err
	}
	var session *call.Session
	if r, ok := req.(request); ok {
		session = g.sessionOf(r, nil)
	}
	list := splice.New(raw, call.Limits{Bytes: len(raw)})
	hidden, err := g.door.Hide(ctx, method, list, raw, session)
	switch {
	case err != nil:
		return nil, errors.New("the list is withheld: it could not be read")
	case !hidden:
		return res, nil
	}
	if err := list.Set([]byte(`"private"`), "cacheScope"); err != nil {
		return nil, err
	}
	shown := reflect.New(reflect.TypeOf(res).Elem()).Interface()
	if err := json.Unmarshal(list.Text(), shown); err != nil {
		return nil, err
	}
	return shown.(mcp.Result), nil
}
