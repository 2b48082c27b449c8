// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

func (s innerSet) Ask(ctx context.Context, server string, r Request, options ...CallOption) (json.RawMessage, error) {
	passage, err := s.Enter(ctx, server, r, options...)
	if err != nil {
		return nil, err
	}
	defer passage.Close()
	p, err := s.peer(server)
	if err != nil {
		return nil, err
	}
	r.caller = passage.Call().Session
	if r.Params, err = passage.SetMeta(r.Params, messages, "_meta"); err != nil {
		door.Lost(ctx, passage)
		return nil, err
	}
	passage.Sending()
	raw, err := p.do(ctx, r)
	if gone := (*GoneError)(nil); errors.As(err, &gone) && !gone.Sent || errors.As(err, new(*UnavailableError)) {
		passage.Unsent()
	}
	passage.Sent()
	var answer *RefusedError
	var unusable *unusableError
	var shown door.Shown
	switch {
	case errors.As(err, &answer):
		shown = passage.Refused(ctx, answer.Raw)
	case errors.As(err, &unusable):
		shown = passage.Unreadable(ctx, unusable.Err)
	case err != nil:
		door.Lost(ctx, passage)
		return nil, err
	default:
		shown = passage.Returned(ctx, raw)
	}
	if shown.Error {
		return nil, rewritten(err, r.Method, shown.Raw)
	}
	return shown.Raw, nil
}

func (s innerSet) Enter(ctx context.Context, server string, r Request, options ...CallOption) (*door.Passage, error) {
	if r.Method == jsonrpc.ToolsCall {
		return nil, errors.New("tools/call names a tool: use Call")
	}
	p, err := s.peer(server)
	if err != nil {
		return nil, err
	}
	o := optionsOf(options)
	who := func(map[string]any) *call.Session { return o.session }
	c, err := p.door.DecodeRequest(ctx, r.Method, r.Params, who, o.request(nil))
	if err != nil {
		return nil, refusedParams(r.Method, err)
	}
	p.door.Inform(ctx, c, func(ctx context.Context, method string) (*call.Catalog, error) {
		l, _, err := p.list(ctx, listName(method), true)
		if err != nil {
			return nil, err
		}
		return l.tools, nil
	})
	passage := p.door.Enter(ctx, c, o.request(c.Meta))
	if answer, refused := passage.Refusal(); refused {
		return nil, newRefusedError(r.Method, answer.Raw)
	}
	return passage, nil
}

// refusedParams returns the refusal of params that cannot be read.
func refusedParams(method string, err error) *RefusedError {
	code := jsonrpc.InvalidParams
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		code = e.Code
	}
	raw, broken := json.Marshal(map[string]any{"code": code, "message": err.Error()})
	if broken != nil { // impossible: a number and a text
		raw = nil
	}
	return &RefusedError{Method: method, Code: code, Message: err.Error(), Raw: raw}
}
