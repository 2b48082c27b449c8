// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/upstream"
)

// validate answers a call of the validate tool or of the batch tool. Each exists once, for all
// servers.
func (s *session) validate(ctx context.Context, r *request, p *pool, c *call.Call) (json.RawMessage, error) {
	batch := c.Name == protocol.BatchName(s.g.cfg.ValidateName)
	q := &validate.Request{
		Call: c, Method: s.g.cfg.ValidateName, Gate: s.g.plain, Tasks: r.modern,
		Find: func(ctx context.Context, tool string) (validate.Found, string) { return s.find(ctx, r, p, tool, batch) },
	}
	if token := protocol.ProgressToken(c.Meta); token != nil {
		q.Progress = func(progress protocol.Progress) {
			progress.Token = token
			if params, err := json.Marshal(progress); err == nil && s.waits(r) {
				s.out.offer(notificationLine("notifications/progress", params))
			}
		}
	}
	if answer := s.g.door.Validate(ctx, s.g.validator, q, r.passage()); answer != nil {
		return answer, nil
	}
	return nil, ctx.Err()
}

// find finds the server and tool of a dry run. The calls of a batch share its time, so a server
// that hangs must not use it all up.
func (s *session) find(ctx context.Context, r *request, p *pool, tool string, batch bool) (validate.Found, string) {
	for range maxReplaced {
		if found, name, err := s.tryFind(ctx, r, p, tool, batch); !errors.Is(err, errRetired) {
			return found, name
		}
	}
	found, name, _ := s.tryFind(ctx, r, p, tool, batch) // its answer tells the reason
	return found, name
}

// tryFind makes one attempt at find. The error is errRetired if the server was replaced meanwhile.
func (s *session) tryFind(ctx context.Context, r *request, p *pool, tool string, batch bool) (validate.Found, string, error) {
	t, unknown := s.resolve(ctx, p, servers.Tools, tool)
	if unknown != nil {
		v := unknown.verdict()
		return validate.Found{Gate: s.g.plain, Unknown: &v}, tool, nil
	}
	found := validate.Found{Server: t.name, Gate: t.judge(), Expose: t.exposed}
	if batch {
		t.list(ctx, servers.Tools) // waits for a hanging server only once
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, t.patience())
		defer cancel()
	}
	end, err := t.begin(s)
	if err == nil {
		defer end()
		found.Tools, err = t.set.Tools(ctx, t.name)
	}
	if err != nil {
		why := error(explained{err, explain(t.of(err))})
		if errors.As(err, new(*upstream.UnavailableError)) { // nobody asked for its tools
			why = errors.New(why.Error())
		}
		v := door.Unlisted(why)
		found.Unknown = &v
		return found, t.own, err
	}
	method, ok, err := servers.Of(t.set).NativeValidation(ctx, t.name)
	if ok && err == nil && found.Tools.Tool(method) != nil {
		found.Native = func(ctx context.Context, target *call.Call, arguments json.RawMessage) (json.RawMessage, error) {
			return servers.Of(t.set).AskNative(ctx, target, arguments, upstream.WithRequestID(string(r.id)))
		}
	}
	return found, t.own, nil
}

// An explained error carries a text for a client.
type explained struct {
	error
	text string
}

func (e explained) Error() string { return e.text }
func (e explained) Unwrap() error { return e.error }

// task answers a request about a task of the gateway's own: a long validation.
func (s *session) task(r *request) (json.RawMessage, error) {
	var meta map[string]any
	if fields, err := call.DecodeArguments(r.params.Text(), s.limits); err == nil {
		meta, _ = fields["_meta"].(map[string]any)
	}
	result, failed := s.g.validator.Task(r.method, r.params.Text(), s.who(meta))
	if failed != nil {
		return nil, &taskError{failed}
	}
	return result, nil
}

// A taskError answers a request about a task.
type taskError struct{ *validate.TaskError }

func (e *taskError) Error() string { return e.Message }
