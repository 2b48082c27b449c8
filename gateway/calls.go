// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/upstream"
)

// callTool answers a tools/call.
func (s *session) callTool(ctx context.Context, r *request) (json.RawMessage, error) {
	c, err := s.decode(ctx, r)
	if err != nil {
		return nil, err
	}
	p, err := s.connections()
	if err != nil {
		return s.unmade(ctx, r, c, err), nil
	}
	if s.g.validator.Answers(c.Name, s.g.cfg.ValidateName) {
		return s.validate(ctx, r, p, c)
	}
	if c.Name == protocol.RehearseName && s.g.rehearses() {
		return s.rehearse(ctx, r, p, c), nil
	}
	t, unknown := s.resolve(ctx, p, servers.Tools, c.Name)
	if unknown != nil {
		passage := s.g.door.Refuse(ctx, c, r.passage(), unknown.verdict())
		if door.Invalid(passage.Verdict()) && s.g.protocolErrors() {
			words := protocol.NewResult(c.Name, passage.Verdict())
			return nil, invalid(&words)
		}
		answer, _ := passage.ToolRefusal()
		return answer.Raw, nil
	}
	params := r.params.Clone()
	if err := s.sent(params); err != nil {
		return s.unmade(ctx, r, c, err), nil
	}
	end, err := t.begin(s)
	if err != nil {
		return nil, t.of(err)
	}
	defer end()
	o, err := t.set.Call(ctx, t.name+":"+t.own, c.Raw,
		upstream.WithSession(c.Session), upstream.WithRequestID(string(r.id)), upstream.WithParams(params.Text()),
		upstream.WithHandler(s.handler()), upstream.WithProgress(s.progress(r)), servers.WithErrorText(func(err error) string { return explain(t.of(err)) }))
	switch {
	case o == nil:
		return nil, err // the server's own answer
	case !o.Ran && door.Invalid(o.Judged) && s.g.protocolErrors():
		words := protocol.NewResult(t.own, o.Judged)
		words.Called(c.Name, t.exposed)
		return nil, invalid(&words)
	case err != nil:
		level := slog.LevelWarn
		if errors.As(err, new(*upstream.UnavailableError)) { // the log has it already
			level = slog.LevelDebug
		}
		s.g.log.Log(ctx, level, "a call failed", "err", t.of(err))
	}
	if !o.Ran {
		o.Raw = t.renamed(o, c.Name)
	}
	return s.passed(ctx, r, p, t, o)
}

// renamed returns a refusal with the names that the caller used, and any other answer as it is.
func (t target) renamed(o *upstream.Outcome, asked string) json.RawMessage {
	words := protocol.NewResult(t.own, o.Judged)
	for _, modern := range []bool{false, true} {
		if bytes.Equal(o.Raw, words.Refusal(modern)) {
			words.Called(asked, t.exposed)
			return words.Refusal(modern)
		}
	}
	return o.Raw
}

// exposed returns the clients' name for a tool of the target's server.
func (t target) exposed(own string) string { return Expose(t.name, own) }

// passed converts a result to the form that the client gets.
func (s *session) passed(ctx context.Context, r *request, p *pool, from target, o *upstream.Outcome) (json.RawMessage, error) {
	answer := splice.New(o.Raw, wide)
	if o.Ran {
		if err := p.linked(ctx, from.peer, answer); err != nil {
			return nil, from.of(err)
		}
	}
	if !r.modern && bytes.Contains(o.Raw, []byte("input_required")) && textOf(answer.Get("resultType")) == "input_required" {
		why := explain(from.of(errors.New("the server asks for input in the way of 2026-07-28, which this client does not speak")))
		return protocol.Failure(from.own, why, true, r.modern), nil
	}
	return s.complete(r, answer, "")
}

// decode reads the params of a tools/call.
func (s *session) decode(ctx context.Context, r *request) (*call.Call, error) {
	m := jsonrpc.Envelope{Params: r.params.Text(), Unread: r.unread}
	c, err := s.g.doorOf(r.params).Decode(ctx, m, s.who, r.passage(), func(name string) bool { return s.g.validator.Answers(name, s.g.cfg.ValidateName) })
	if err == nil {
		c.Server = ""
	}
	return c, err
}

// doorOf returns the door that records a call refused before it reaches a server. The prefix
// of the tool's name tells the server; the gateway's own door records the rest.
func (g *Gateway) doorOf(params *splice.Document) *door.Door {
	d := g.door
	if server, _, ok := split(textOf(params.Get("name"))); ok && g.has(server) {
		d.Server = server
	}
	return &d
}

// passage identifies a call for its passage through a door.
func (r *request) passage() door.Request { return door.Request{ID: string(r.id), Modern: r.modern} }

// invalid returns the protocol error in place of the tool execution error for a refused call.
func invalid(words *protocol.Result) error {
	e := words.CallError()
	return &upstream.RefusedError{Method: "tools/call", Code: e.Code, Message: e.Message, Raw: e.Raw()}
}

// protocolErrors reports whether the policy, which is one for all servers, answers invalid calls with protocol errors.
func (g *Gateway) protocolErrors() bool {
	g.mu.Lock()
	servers := g.servers
	g.mu.Unlock()
	for _, s := range servers {
		if s.Gate != nil {
			protocolErrors, _ := inside.Of(s.Gate()).ErrorForms()
			return protocolErrors
		}
	}
	return false
}

// complete adds the members that 2026-07-28 requires of results, if the client speaks that
// revision and the server did not write them. The result of the method cacheable also gets
// caching members; they forbid the client to keep it.
func (s *session) complete(r *request, answer *splice.Document, cacheable string) (json.RawMessage, error) {
	if !r.modern {
		return answer.Text(), nil
	}
	add := [][2]string{{"resultType", `"complete"`}}
	if r.method == cacheable {
		add = append(add, [2]string{"ttlMs", "0"}, [2]string{"cacheScope", `"private"`})
	}
	for _, m := range add {
		if answer.At(m[0]) != nil {
			continue
		}
		if err := answer.Set([]byte(m[1]), m[0]); err != nil {
			return nil, err
		}
	}
	return answer.Text(), nil
}

// unmade refuses a call that cannot reach its server.
func (s *session) unmade(ctx context.Context, r *request, c *call.Call, err error) json.RawMessage {
	answer, _ := s.g.door.Refuse(ctx, c, r.passage(), door.Fault("call", explain(err))).Refusal()
	return answer.Raw
}

// progress returns a function that passes progress on to the client under the client's own
// token. It returns nil if the client gave no token.
func (s *session) progress(r *request) func(json.RawMessage) {
	token := r.params.Get("_meta", "progressToken")
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
