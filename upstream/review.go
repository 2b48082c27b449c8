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
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
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
	raw, ok := s.door(c.Server).ReviewError(ctx, c, refused.Method, refused.Raw)
	switch {
	case !ok:
		return &RefusedError{Method: refused.Method, Code: refused.Code, Message: "its error is withheld"}
	case !bytes.Equal(raw, refused.Raw):
		return rewritten(err, refused.Method, raw)
	}
	return err
}

// asked wraps a handler: the policy judges the server's requests and their answers, and the requests
// pass through the output layer.
func (p *peer) asked(handle func(context.Context, string, json.RawMessage) (json.RawMessage, error), caller *call.Session) func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	if handle == nil {
		return nil
	}
	return func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		passage := p.door.Ask(ctx, method, params, caller, door.Request{})
		if answer, refused := passage.Refusal(); refused {
			return nil, newRefusedError(method, answer.Raw)
		}
		if params != nil {
			v := p.set.look(ctx, &call.Call{Server: p.cfg.Name}, method, params)
			if !v.Go {
				passage.Unanswered(ctx)
				return nil, withheldError(method, v)
			}
			params = v.Raw
		}
		result, err := handle(ctx, method, params)
		if err != nil {
			passage.Unanswered(ctx)
			return nil, err
		}
		if !json.Valid(result) {
			passage.Unanswered(ctx)
			return result, nil // the connection answers with its own error
		}
		if err := passage.Answered(ctx, result, false); err != nil {
			return nil, err
		}
		return result, nil
	}
}

// told passes the params of a notification through the output layer. It returns false if they
// must not be shown.
func (p *peer) told(method string, params json.RawMessage) (json.RawMessage, bool) {
	if params == nil {
		return nil, true
	}
	v := p.set.look(p.set.ctx, &call.Call{Server: p.cfg.Name}, method, params)
	if v.Go {
		if asked := p.door.Questions(p.set.ctx, nil, door.Request{}, v.Raw, false); !asked.Go {
			v.Verdict = asked
		}
	}
	if !v.Go {
		p.set.log.Warn("dropped a notification of a server: it is withheld", "server", p.cfg.Name, "method", method)
	}
	return v.Raw, v.Go
}
