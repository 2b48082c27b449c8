// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// toolsCall judges a tools/call and forwards it, or answers it.
func (x *Exchange) toolsCall(ctx context.Context, m jsonrpc.Envelope, line []byte) {
	if m.ID == nil {
		// A server that runs it regardless would run an unjudged call.
		x.server.cfg.Logger.Warn("dropped a tools/call without an id")
		x.Refused(ctx, m, errors.New("the call has no id"))
		return
	}
	c, err := x.decode(ctx, m)
	if err != nil {
		x.refuseMessage(m.ID, err)
		return
	}
	x.client.noteRevision(c.Meta)
	r := &Request{id: bytes.Clone(m.ID), method: m.Method}
	if tools := x.server.catalog.current(); tools.Tool(c.Name) != nil && x.server.method(c, tools) == "" {
		c.Resolve(tools)
		if !inside.Of(x.server.cfg.Gate()).Waits(c) {
			if x.enterCall(ctx, r, c) {
				x.judge(ctx, r, c, line)
			}
			return
		}
	}
	x.toolsCallLater(ctx, r, c, bytes.Clone(line))
}

func (x *Exchange) decode(ctx context.Context, m jsonrpc.Envelope) (*call.Call, error) {
	tools := x.server.catalog.current()
	return x.server.door.Decode(ctx, m, x.client.caller.session, door.Request{ID: string(m.ID)}, func(name string) bool {
		return x.server.answers(name, tools) || x.server.cfg.Validator.Answers(name, x.server.announced())
	})
}

// toolsCallLater judges a call while later messages pass, because the call must wait for the
// server's list of tools, for checks, or for the server's own validation.
func (x *Exchange) toolsCallLater(ctx context.Context, r *Request, c *call.Call, line []byte) {
	ctx, r.cancel = context.WithCancel(ctx)
	cancel := r.cancel
	c.Raw, r.waiting = bytes.Clone(c.Raw), c
	if !x.enterCall(ctx, r, c) {
		cancel()
		return
	}
	x.later(func() {
		defer cancel()
		tools, err := x.toolsFor(ctx, c.Name)
		switch {
		case errors.Is(err, ErrServerGone):
			// The transport reports how the server ended; see Fail.
		case !x.client.pending.listed(r):
		case err != nil:
			x.refuse(r, x.unlisted(ctx, r, c, err))
		case x.server.rehearses(c.Name, tools):
			x.rehearse(ctx, r, c, tools)
		case x.server.method(c, tools) != "":
			x.validate(ctx, r, c, tools)
		default:
			c.Resolve(tools)
			x.judge(ctx, r, c, line)
		}
	})
}

// unlisted refuses a call because listing the server's tools failed.
func (x *Exchange) unlisted(ctx context.Context, r *Request, c *call.Call, err error) *door.Passage {
	return x.server.door.Refuse(ctx, c, r.of(c), door.Unlisted(err))
}

// enterCall is enter for a call. It records a refusal.
func (x *Exchange) enterCall(ctx context.Context, r *Request, c *call.Call) bool {
	entered := x.enter(r)
	if !entered {
		x.server.door.Unreadable(ctx, c, r.of(c), errors.New("the request cannot be taken: its id is in use, or too many wait"))
	}
	return entered
}

// of identifies a call for its passage.
func (r *Request) of(c *call.Call) door.Request {
	return door.Request{ID: string(r.id), Modern: jsonrpc.IsModern(c.Meta)}
}

// later runs slow work while later messages pass.
func (x *Exchange) later(work func()) {
	reader, ok := x.link.(Reader)
	if !ok {
		x.judging.Go(work)
		return
	}
	x.judging.Add(1)
	reader.Later(func() {
		defer x.judging.Done()
		work()
	})
}

// toolsFor returns the server's tools, and lists them if necessary. If the cached list lacks the
// tool, toolsFor lists once more before the call is refused, because some servers do not
// announce changes.
func (x *Exchange) toolsFor(ctx context.Context, name string) (*call.Catalog, error) {
	known := x.server.catalog.current()
	switch {
	case known == nil:
		return x.list(ctx)
	case known.Tool(name) != nil || x.server.answers(name, known) || x.server.rehearses(name, known) || x.server.catalog.fresh():
		return known, nil
	}
	if tools, err := x.list(ctx); err == nil {
		return tools, nil
	}
	return known, nil
}

// judge judges a call, then forwards it or answers with the refusal.
func (x *Exchange) judge(ctx context.Context, r *Request, c *call.Call, line []byte) {
	p := x.server.door.Enter(ctx, c, r.of(c))
	if x.refuse(r, p) {
		return
	}
	line, err := x.forwarded(p, line)
	if err != nil { // cannot happen: the line was read before
		x.answerWith(r, p.Failed(ctx, "the request could not be changed for the server: "+err.Error()))
		p.Close()
		return
	}
	if !x.client.pending.admitted(r, p) {
		p.Close()
		door.Lost(x.ctx, p)
		return
	}
	x.forward(r, line)
}

// refuse answers a call if its passage refuses it, and reports whether it did.
func (x *Exchange) refuse(r *Request, p *door.Passage) bool {
	answer, refused := p.Refusal()
	if refused {
		x.answerWith(r, answer)
	}
	return refused
}

// forwarded returns the line of a call for the server: with the _meta that is for the server, and with its canonical
// arguments.
func (x *Exchange) forwarded(p *door.Passage, line []byte) ([]byte, error) {
	line, err := p.SetMeta(line, x.server.cfg.Limits, "params", "_meta")
	if err != nil {
		return nil, err
	}
	if arguments := p.Arguments(); arguments != nil {
		return splice.Set(line, x.server.cfg.Limits, arguments, "params", "arguments")
	}
	return line, nil
}

// rehearse answers a call of the rehearse tool.
func (x *Exchange) rehearse(ctx context.Context, r *Request, c *call.Call, tools *call.Catalog) {
	gate := x.server.cfg.Gate()
	x.answerResult(r, x.server.door.Rehearse(ctx, c, r.of(c), door.Rehearsal{
		Find: func(_ context.Context, tool string) (validate.Found, string) {
			return validate.Found{Server: x.server.cfg.Server, Tools: tools, Gate: gate}, tool
		},
		Rehearser: func(string) door.Rehearser { return x.server.cfg.Rehearse },
	}))
}

// validate answers a call of the validate tool, or of the batch tool.
func (x *Exchange) validate(ctx context.Context, r *Request, c *call.Call, tools *call.Catalog) {
	q := &validate.Request{Call: c, Method: x.server.method(c, tools), Tools: tools, Gate: x.server.cfg.Gate(), Tasks: true}
	if native := x.server.native.Load(); native != nil {
		q.Native = func(ctx context.Context, target *call.Call, arguments json.RawMessage) (json.RawMessage, error) {
			n := door.Native{Name: *native, Tools: tools, Send: func(ctx context.Context, _ *door.Passage) (json.RawMessage, error) {
				return x.askNative(ctx, *native, arguments, protocol.AsksToken(target.Meta))
			}}
			return x.server.door.Native(ctx, n, target, arguments, r.of(target))
		}
	}
	if token := protocol.ProgressToken(c.Meta); token != nil {
		q.Progress = func(progress protocol.Progress) {
			progress.Token = token
			x.notify(ctx, "notifications/progress", progress)
		}
	}
	if answer := x.server.door.Validate(ctx, x.server.cfg.Validator, q, r.of(c)); answer != nil {
		x.answerResult(r, answer)
	}
}

// askNative asks the server's own validate tool, also for a token of its own.
func (x *Exchange) askNative(ctx context.Context, name string, arguments json.RawMessage, token bool) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, x.server.cfg.ServerTimeout)
	defer cancel()
	params := map[string]any{"name": name, "arguments": arguments}
	if token {
		var meta json.RawMessage
		if own := x.client.meta.Load(); own != nil {
			meta = *own
		}
		meta, err := splice.Set(meta, x.server.cfg.Limits, []byte("true"), binding.Key)
		if err != nil {
			return nil, err
		}
		params["_meta"] = json.RawMessage(meta)
	}
	return x.ask(ctx, "tools/call", params)
}
