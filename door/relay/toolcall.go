// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/protocol"
)

// toolsCall judges a tools/call and forwards it, or answers it.
func (p *Exchange) toolsCall(ctx context.Context, m call.Envelope, line []byte) {
	if m.ID == nil {
		// A server that runs it all the same would run what nobody judged.
		p.log.Warn("dropped a tools/call without an id")
		return
	}
	c, err := call.DecodeParams(m.Params, p.limits)
	if err != nil {
		p.refuseMessage(m.ID, err)
		return
	}
	c.Server, c.Session = p.cfg.Server, p.caller.session(c.Meta)
	p.noteVersion(c.Meta)
	r := &Request{id: bytes.Clone(m.ID), method: m.Method}
	if tools := p.catalog.current(); tools.Tool(c.Name) != nil && !p.answers(c.Name, tools) {
		c.Resolve(tools)
		if !p.gate().Waits(c) {
			if p.enter(r) {
				p.judge(ctx, r, c, line)
			}
			return
		}
	}
	p.toolsCallLater(ctx, r, c, bytes.Clone(line))
}

// toolsCallLater judges a call beside the messages that follow it: it must wait for
// the server's list of tools, for checks, or for the server's own validation.
func (p *Exchange) toolsCallLater(ctx context.Context, r *Request, c *call.Call, line []byte) {
	ctx, r.cancel = context.WithCancel(ctx)
	cancel := r.cancel
	c.Raw = bytes.Clone(c.Raw)
	if !p.enter(r) {
		cancel()
		return
	}
	p.later(func() {
		defer cancel()
		tools, err := p.toolsFor(ctx, c.Name)
		switch {
		case errors.Is(err, ErrServerGone):
			// Whoever waits for the server's end says how it ended.
		case err != nil:
			p.refuse(r, c, unlisted(err))
		case p.rehearses(c.Name, tools):
			p.answerRehearse(ctx, r, c, tools)
		case p.answers(c.Name, tools):
			p.answerValidate(ctx, r, c, tools)
		default:
			c.Resolve(tools)
			p.judge(ctx, r, c, line)
		}
	})
}

// later runs what may take its time beside the messages that follow.
func (p *Exchange) later(work func()) {
	reader, ok := p.link.(Reader)
	if !ok {
		p.judging.Go(work)
		return
	}
	p.judging.Add(1)
	reader.Later(func() {
		defer p.judging.Done()
		work()
	})
}

// toolsFor returns the server's tools, and lists them if they are not known. If they are
// known and hold no tool of the name, the server is asked once more before the call is
// refused: some servers do not say that their list has changed.
func (p *Exchange) toolsFor(ctx context.Context, name string) (*call.Catalog, error) {
	known := p.catalog.current()
	switch {
	case known == nil:
		return p.list(ctx)
	case known.Tool(name) != nil || p.answers(name, known) || p.rehearses(name, known) || p.catalog.fresh():
		return known, nil
	}
	if tools, err := p.list(ctx); err == nil {
		return tools, nil
	}
	return known, nil
}

// unlisted is the verdict on a call while the server does not tell its tools.
func unlisted(err error) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{
		Check: "known-tool", Stage: check.Schema, Level: check.SyntaxLevel,
		Message: fmt.Sprintf("the server's tools could not be listed, so the call cannot be judged: %v", err),
	}}}
}

// judge forwards a call that is a go, and answers one that is not.
func (p *Exchange) judge(ctx context.Context, r *Request, c *call.Call, line []byte) {
	r.call = &call.Call{Server: c.Server, Name: c.Name, Tool: c.Tool, Meta: c.Meta, Session: c.Session}
	began := time.Now()
	v, ticket := p.gate().Admit(ctx, c, toolvet.PointProxy)
	e := &toolvet.Event{Call: c, Request: string(r.id), Point: toolvet.PointProxy, Verdict: v, Took: time.Since(began)}
	if p.judged(ctx, e); !e.Verdict.Go {
		ticket.Rollback()
		p.refuse(r, c, e.Verdict)
		return
	}
	e.Call = r.call
	if !p.pending.counted(r, e, ticket) {
		p.lost(e)
		return
	}
	p.forward(r, p.traced(e, line))
}

// traced is the line of a call with the parent that the observer wants in the place of the
// client's own, so that the server's spans stand below the proxy's.
func (p *Exchange) traced(e *toolvet.Event, line []byte) []byte {
	if e.Traceparent == "" || e.Call.Meta["traceparent"] == nil {
		return line
	}
	changed, err := splice.Edit(line, p.limits, []string{"params", "_meta", "traceparent"}, func([]byte) ([]byte, error) { return json.Marshal(e.Traceparent) })
	if err != nil {
		p.log.Warn("a call keeps the parent that its client gave it", "tool", e.Call.Name, "err", err)
		return line
	}
	return changed
}

// refuse answers a call that is a no-go: a tool execution error (SEP-1303).
func (p *Exchange) refuse(r *Request, c *call.Call, v toolvet.Verdict) {
	result := protocol.NewResult(c.Name, v)
	p.logRefused(result)
	p.answerResult(r, result.Refusal(modern(c.Meta)))
}

func (p *Exchange) logRefused(result protocol.Result) {
	for _, f := range result.Findings {
		p.log.Info("refused a call", "tool", result.Tool, "code", f.Code, "check", f.Check, "at", f.Pointer)
	}
}

// answerValidate answers a call of the validate tool, or of the batch tool.
func (p *Exchange) answerValidate(ctx context.Context, r *Request, c *call.Call, tools *call.Catalog) {
	q := &validate.Request{
		Call: c, Method: p.validateName(tools), Tools: tools, Gate: p.gate(), Modern: modern(c.Meta), Tasks: true,
		Refused: p.logRefused,
		Judged: func(ctx context.Context, target *call.Call, v toolvet.Verdict, took time.Duration) toolvet.Verdict {
			e := &toolvet.Event{Call: target, Request: string(r.id), Point: toolvet.PointValidate, Verdict: v, Took: took}
			p.judged(ctx, e)
			return e.Verdict
		},
	}
	if native := p.native.Load(); native != nil {
		q.Native = func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
			return p.askNative(ctx, *native, arguments)
		}
	}
	if token := protocol.ProgressToken(c.Meta); token != nil {
		q.Progress = func(progress protocol.Progress) {
			progress.Token = token
			p.notify(ctx, "notifications/progress", progress)
		}
	}
	if answer := p.validator.Answer(ctx, q); answer != nil {
		p.answerResult(r, answer)
	}
}

// askNative asks the server's own validate tool.
func (p *Exchange) askNative(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.ServerTimeout)
	defer cancel()
	answer, err := p.ask(ctx, "tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	v := p.look(p.gate(), &call.Call{Server: p.cfg.Server, Name: name}, "", answer)
	if !v.Go {
		return nil, errors.New("the server's own validation is withheld")
	}
	return v.Raw, nil
}

// answers reports whether the proxy answers calls of a tool itself, beside the server's tools.
func (p *Exchange) answers(name string, tools *call.Catalog) bool {
	method := p.validateName(tools)
	return p.validator.Answers(name, method) && (name == method || p.batches(method, tools))
}

// batches reports whether there can be a batch tool: a server that validates natively, but no
// batches, keeps the name of its validate tool, and may have any other tool of the name that
// the batch tool would have.
func (p *Exchange) batches(method string, tools *call.Catalog) bool {
	return p.native.Load() == nil || p.nativeBatch.Load() || tools.Tool(protocol.BatchName(method)) == nil
}

// validateName is the name of the validate tool beside the server's tools: that of the
// server's own if it announces the protocol, else the first that is free.
func (p *Exchange) validateName(tools *call.Catalog) string {
	if native := p.native.Load(); native != nil {
		return *native
	}
	return protocol.FreeName(p.cfg.ValidateName, func(name string) bool { return tools.Tool(name) != nil })
}

// modernVersion is the first version of MCP without sessions.
const (
	modernVersion = "2026-07-28"
	versionKey    = "io.modelcontextprotocol/protocolVersion"
)

// modern reports whether a request with this _meta speaks 2026-07-28 or later.
func modern(meta map[string]any) bool {
	version, _ := meta[versionKey].(string)
	return version >= modernVersion
}

// noteVersion remembers what a request since 2026-07-28 must say of its sender, for the
// proxy's own requests.
func (p *Exchange) noteVersion(meta map[string]any) {
	if p.meta.Load() != nil || !modern(meta) {
		return
	}
	const capabilities = "io.modelcontextprotocol/clientCapabilities"
	own := map[string]any{versionKey: meta[versionKey], capabilities: map[string]any{}} // which it must say
	for _, key := range []string{"io.modelcontextprotocol/clientInfo", capabilities} {
		if v, ok := meta[key].(map[string]any); ok {
			own[key] = v
		}
	}
	raw, err := json.Marshal(own)
	if err == nil {
		p.meta.Store((*json.RawMessage)(&raw))
	}
}

func (p *Exchange) noteMeta(raw []byte) {
	if p.meta.Load() != nil || raw == nil {
		return
	}
	if meta, err := call.DecodeArguments(raw, p.limits); err == nil {
		p.noteVersion(meta)
	}
}
