// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/upstream"
)

// callTool answers a tools/call.
func (s *session) callTool(ctx context.Context, r *request) (json.RawMessage, error) {
	c, err := call.DecodeParams(r.params, s.limits)
	if err != nil {
		return nil, err
	}
	p, err := s.connections()
	if err != nil {
		return nil, err
	}
	c.Session = s.who(c.Meta)
	if s.g.validator.Answers(c.Name, s.g.cfg.ValidateName) {
		return s.validate(ctx, r, p, c)
	}
	if c.Name == protocol.RehearseName && s.g.rehearses() {
		return s.rehearse(ctx, r, p, c)
	}
	t, unknown := s.resolve(ctx, p, upstream.Tools, c.Name)
	if unknown != nil {
		return s.refusal(ctx, r, c, unknown.verdict()), nil
	}
	params, err := s.sent(r.params)
	if err != nil {
		return nil, err
	}
	end, err := t.begin(s)
	if err != nil {
		return nil, t.of(err)
	}
	defer end()
	o, err := t.set.Call(ctx, t.name+":"+t.own, c.Raw,
		upstream.WithSession(c.Session), upstream.WithRequestID(string(r.id)), upstream.WithParams(params),
		upstream.WithHandler(s.handler()), upstream.WithProgress(s.progress(r)))
	var refused *upstream.RefusedError
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case err != nil:
		return s.failure(r, t.of(err))
	}
	return s.passed(ctx, r, p, t.peer, o)
}

// passed is a result as the client gets it.
func (s *session) passed(ctx context.Context, r *request, p *pool, from *peer, o *upstream.Outcome) (json.RawMessage, error) {
	raw, err := annotated(o.Raw, o.Annotation)
	if err == nil && o.Ran {
		raw, err = p.linked(ctx, from, raw)
	}
	if err != nil {
		return nil, from.of(err)
	}
	if !r.modern && bytes.Contains(raw, []byte("input_required")) && textOf(splice.Get(raw, wide, "resultType")) == "input_required" {
		return s.failure(r, from.of(errors.New("it asks for input in the way of 2026-07-28, which this client does not speak")))
	}
	return s.complete(r, raw, "")
}

// annotated is a result with what was found in it.
func annotated(raw json.RawMessage, a protocol.Annotation) (json.RawMessage, error) {
	if a.Meta == nil || len(raw) == 0 || raw[0] != '{' {
		return raw, nil
	}
	line, err := splice.Set(raw, wide, a.Meta, "_meta", protocol.VerdictKey)
	for _, block := range a.Text {
		if err != nil {
			break
		}
		line, err = splice.Edit(line, wide, []string{"content"}, func(list []byte) ([]byte, error) {
			if len(list) == 0 || list[0] != '[' {
				return nil, nil // no result of a tool: _meta tells it
			}
			return splice.Append(list, splice.Empty(list), block), nil
		})
	}
	return line, err
}

// complete is a result with what results have since 2026-07-28, where the client speaks that
// and the server does not. Cacheable results say how long they may be kept: not at all.
func (s *session) complete(r *request, raw json.RawMessage, cacheable string) (json.RawMessage, error) {
	if !r.modern {
		return raw, nil
	}
	add := [][2]string{{"resultType", `"complete"`}}
	if r.method == cacheable {
		add = append(add, [2]string{"ttlMs", "0"}, [2]string{"cacheScope", `"private"`})
	}
	for _, m := range add {
		if splice.Get(raw, wide, m[0]) != nil {
			continue
		}
		var err error
		if raw, err = splice.Set(raw, wide, []byte(m[1]), m[0]); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

// refusal answers a call that is no server's: it is recorded as any other.
func (s *session) refusal(ctx context.Context, r *request, c *call.Call, v toolvet.Verdict) json.RawMessage {
	e := &toolvet.Event{Call: c, Request: string(r.id), Point: toolvet.PointProxy, Verdict: v}
	door.Judged(ctx, s.g.cfg.Observer, e, s.g.log)
	result := protocol.NewResult(c.Name, e.Verdict)
	return result.Refusal(r.modern)
}

// failure is the tool execution error of a call that has no result, so that a model sees it.
// Unlike a refusal it does not say that nothing was executed.
func (s *session) failure(r *request, err error) (json.RawMessage, error) {
	s.g.log.Warn("a call failed", "err", err)
	return s.complete(r, fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"isError":true}`, quoted(explain(err))), "")
}

// progress passes on what a server says of progress, with the client's own token; nil if the
// client has none.
func (s *session) progress(r *request) func(json.RawMessage) {
	token := splice.Get(r.params, s.limits, "_meta", "progressToken")
	if token == nil {
		return nil
	}
	return func(params json.RawMessage) {
		params, err := splice.Set(params, wide, token, "progressToken")
		if err == nil && s.waits(r) {
			s.out.offer(notificationLine("notifications/progress", params))
		}
	}
}
