// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/protocol"
)

// look has the output layer look at what a server sends: c is the call that it answers, or
// names the server alone.
func (s *Set) look(ctx context.Context, c *call.Call, method string, raw json.RawMessage) toolvet.Reviewed {
	return s.door(c.Server).Review(ctx, c, method, raw)
}

// withheldError says why a result is not shown.
func withheldError(method string, v toolvet.Reviewed) error {
	words := protocol.NewResult("", v.Verdict)
	return fmt.Errorf("the server's answer to %s is withheld: %s", method, words.Text())
}

// reviewError has the output layer look at the error that a server answered with.
func (s *Set) reviewError(ctx context.Context, c *call.Call, err error) error {
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	v := s.look(ctx, c, "", refused.Raw)
	switch {
	case !v.Go:
		return &RefusedError{Method: refused.Method, Code: refused.Code, Message: "its error is withheld"}
	case !bytes.Equal(v.Raw, refused.Raw):
		return newRefusedError(refused.Method, v.Raw)
	}
	return err
}

// asked has the output layer look at what a server asks for before the handler sees it.
func (p *peer) asked(handle func(context.Context, string, json.RawMessage) (json.RawMessage, error)) func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	if handle == nil {
		return nil
	}
	return func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		if params == nil {
			return handle(ctx, method, nil)
		}
		v := p.set.look(ctx, &call.Call{Server: p.cfg.Name}, method, params)
		if !v.Go {
			return nil, withheldError(method, v)
		}
		return handle(ctx, method, v.Raw)
	}
}

// told has the output layer look at the params of a notification. It reports whether anybody may
// see them.
func (p *peer) told(method string, params json.RawMessage) (json.RawMessage, bool) {
	if params == nil {
		return nil, true
	}
	v := p.set.look(p.set.ctx, &call.Call{Server: p.cfg.Name}, method, params)
	if !v.Go {
		p.set.log.Warn("dropped a notification of a server: it is withheld", "server", p.cfg.Name, "method", method)
	}
	return v.Raw, v.Go
}
