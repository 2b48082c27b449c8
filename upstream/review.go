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

// look passes a message of a server through the output layer. C is the call that the message
// answers, or names only the server.
func (s *Set) look(ctx context.Context, c *call.Call, method string, raw json.RawMessage) toolvet.Reviewed {
	return s.door(c.Server).Review(ctx, c, method, raw)
}

// withheldError gives the reason why a result is withheld.
func withheldError(method string, v toolvet.Reviewed) error {
	words := protocol.NewResult("", v.Verdict)
	return fmt.Errorf("the server's answer to %s is withheld: %s", method, words.Text())
}

// reviewError passes a server's own error through the output layer.
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

// asked wraps a handler: it passes the server's requests through the output layer first.
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

// told passes the params of a notification through the output layer. It returns false if they
// must not be shown.
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
