// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Validate judges a call of the tool SERVER:TOOL without making it. It refuses the calls that
// [Set.Call] would refuse. The Method of the result names the judges:
//
//	toolvet+native   toolvet's checks, by the policy, and the server's own validation
//	toolvet          toolvet's checks alone
//	native           the server's own validation, beside the tool's schema: there is no policy
//	schema-only      the tool's schema alone
//
// All judges must agree to a go. If the server's own validation answers late or wrongly, it does
// not count: the result has a warning, and the method leaves the validation out.
//
// The result is a no-go whenever err is not nil. Err reports a call that could not be judged,
// because the server is not available or ctx is done. Unknown servers or tools and unusable
// arguments are a plain no-go.
func (s *Set) Validate(ctx context.Context, name string, arguments json.RawMessage, options ...CallOption) (toolvet.Validation, error) {
	o := optionsOf(options)
	t, c, err := s.target(ctx, name, arguments, o, true)
	if err != nil {
		s.log.Info("validated a call", "name", strictjson.Printable(name, 128), "step", "none", "err", err)
		return s.unjudged(ctx, c, o, err)
	}
	verdict := t.door.DryRun(ctx, t.call, o.request(t.call.Meta))
	result := protocol.NewResult(t.call.Name, verdict)
	if _, own := s.gate(t.call.Server); !own {
		result.Method = protocol.MethodSchemaOnly
	}
	log := s.log.With("server", t.call.Server, "tool", t.call.Name)
	log.Info("validated a call", "step", result.Method, "valid", result.Valid, "errors", len(result.Errors))
	if method, ok := t.native(ctx); ok && result.Valid {
		before := result.Method
		answer, err := t.askNative(ctx, method, t.call, (&protocol.Request{Call: t.call}).Native(verdict.Arguments), t.call.Known, o)
		result.AddNative(answer, err)
		if result.Method == before {
			log.Warn("the server's own validation could not be used", "step", protocol.MethodNative, "fallback", before, "err", err)
		} else {
			log.Info("validated a call", "step", protocol.MethodNative, "valid", result.Valid, "errors", len(result.Errors))
		}
	}
	if err := ctx.Err(); err != nil {
		return protocol.NewResult(t.call.Name, toolvet.Verdict{}).Validation, fmt.Errorf("the call was not judged: %w", err)
	}
	return result.Validation, nil
}

func (s *Set) unjudged(ctx context.Context, c *call.Call, o callOptions, err error) (toolvet.Validation, error) {
	v := s.door(c.Server).RecordDryRun(ctx, c, o.request(c.Meta), noGo(err, o.text), 0)
	if !errors.As(err, new(unjudged)) {
		err = nil
	}
	return protocol.NewResult(c.Name, v).Validation, err
}

// native returns the name of the server's validate tool. The server must announce and list it
// (docs/protocol.md, section 3.3), and the policy must show the tool of the call to the session.
func (t *target) native(ctx context.Context) (string, bool) {
	if !inside.Of(t.door.Gate()).Visible(ctx, t.call) {
		return "", false
	}
	method, ok := t.link.NativeValidation()
	if ok && t.call.Known.Tool(method) == nil {
		t.set.log.Warn("the server announces a validate tool that it does not list", "server", t.call.Server)
		return "", false
	}
	return method, ok
}

func (s innerSet) AskNative(ctx context.Context, target *call.Call, arguments json.RawMessage, options ...CallOption) (json.RawMessage, error) {
	p, err := s.peer(target.Server)
	if err != nil {
		return nil, err
	}
	tools, l, err := p.tool(ctx, target.Name)
	if err != nil {
		return nil, err
	}
	method, ok := l.NativeValidation()
	if !ok {
		return nil, errors.New("the server announces none")
	}
	return p.askNative(ctx, method, target, arguments, tools, optionsOf(options))
}

func (p *peer) askNative(ctx context.Context, method string, target *call.Call, arguments json.RawMessage, tools *call.Catalog, o callOptions) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, nativeTimeout)
	defer cancel()
	send := func(ctx context.Context, passage *door.Passage) (json.RawMessage, error) {
		params, err := callParams(nil, method, arguments, messages)
		if err != nil {
			return nil, err
		}
		if protocol.AsksToken(target.Meta) {
			if params, err = splice.Set(params, messages, []byte("true"), "_meta", binding.Key); err != nil {
				return nil, err
			}
		}
		answer, err := p.do(ctx, Request{Method: "tools/call", Params: params})
		noteUnsent(passage, err)
		if err != nil {
			return nil, p.set.reviewError(ctx, &call.Call{Server: target.Server, Name: method}, err)
		}
		return answer, nil
	}
	return p.door.Native(ctx, door.Native{Name: method, Tools: tools, Send: send}, target, arguments, o.request(target.Meta))
}
