// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/door"
)

// An Outcome is the outcome of a call.
type Outcome struct {
	// Raw is a CallToolResult for the client. It is the server's result after the output layer,
	// with its findings, or a tool execution error with the reason why there is no result.
	Raw json.RawMessage
	// Ran reports whether the call was made or may have been. If not, the call was refused, for
	// the reason in Judged, or it never reached the server.
	Ran bool
	// Judged is the verdict on the call, Reviewed the verdict on its result. If the call ran,
	// Reviewed.Go is false when the result is withheld or missing.
	Judged, Reviewed toolvet.Verdict
}

// Call calls the tool SERVER:TOOL, if the gate lets it, and reviews the result. The limits of
// the policy count the call.
//
// A refused call has an Outcome and no error, even if the server or tool does not exist. Err
// reports a call that could not be judged, was not made or ended without a result: it is an
// *[UnavailableError], a *[GoneError] (the tool may have run) or the error of ctx. The Outcome
// beside it tells the same to a model. A *[RefusedError] is the server's own answer, and has
// no Outcome. Call makes a call a second time only if nothing of the first was sent.
func (s *Set) Call(ctx context.Context, name string, arguments json.RawMessage, options ...CallOption) (*Outcome, error) {
	o := optionsOf(options)
	t, c, err := s.target(ctx, name, arguments, o, false)
	if err != nil {
		p := s.door(c.Server).Refuse(ctx, c, o.request(c.Meta), noGo(err, o.text))
		if !errors.As(err, new(unjudged)) {
			err = nil
		}
		return refused(p), err
	}
	p := t.door.Enter(ctx, t.call, o.request(t.call.Meta))
	defer p.Close()
	if _, no := p.Refusal(); no {
		return refused(p), p.Verdict().Stopped // nil unless the caller has given up
	}
	o.Method, o.caller = "tools/call", t.call.Session
	given := t.call.Raw
	if canonical := p.Arguments(); canonical != nil {
		given = canonical
	}
	if o.Params, err = p.SetMeta(o.Params, messages, "_meta"); err == nil {
		o.Params, err = callParams(o.Params, t.call.Name, given, messages)
	}
	if err != nil {
		return failed(ctx, p, err, o.text), err
	}
	if err := ctx.Err(); err != nil { // the caller has given up
		return failed(ctx, p, err, o.text), err
	}
	o.abandoned, o.over = p.Abandon, p.Over
	p.Sending()
	raw, err := t.do(ctx, o.Request)
	noteUnsent(p, err)
	p.Sent()
	return returned(ctx, p, raw, err, o.text)
}

// noteUnsent tells a passage if err means that the server did not take the call.
func noteUnsent(p *door.Passage, err error) {
	if gone := (*GoneError)(nil); errors.As(err, &gone) && !gone.Sent || errors.As(err, new(*UnavailableError)) {
		p.Unsent()
	}
}

// returned builds the outcome of a call that was made.
func returned(ctx context.Context, p *door.Passage, raw json.RawMessage, err error, text func(error) string) (*Outcome, error) {
	var answer *RefusedError
	var unusable *unusableError
	var shown door.Shown
	switch {
	case errors.As(err, &answer):
		if shown = p.Refused(ctx, answer.Raw); shown.Error {
			return nil, rewritten(err, answer.Method, shown.Raw)
		}
	case errors.As(err, &unusable):
		shown = p.Unreadable(ctx, unusable.Err)
	case err != nil:
		return failed(ctx, p, err, text), err
	default:
		shown = p.Returned(ctx, raw)
	}
	return &Outcome{Raw: shown.Raw, Ran: true, Judged: p.Verdict(), Reviewed: shown.Verdict}, nil
}

func refused(p *door.Passage) *Outcome {
	answer, _ := p.ToolRefusal()
	return &Outcome{Raw: answer.Raw, Judged: p.Verdict()}
}

func failed(ctx context.Context, p *door.Passage, err error, text func(error) string) *Outcome {
	return &Outcome{Raw: p.Failed(ctx, text(err)).Raw, Ran: p.Made(), Judged: p.Verdict()}
}

// door returns the door to a server. The door to an unknown server only refuses.
func (s *Set) door(server string) *door.Door {
	if p := s.peers[server]; p != nil {
		return &p.door
	}
	return &door.Door{Gate: func() *toolvet.Gate { return s.schema }, Point: toolvet.PointProxy, Observer: s.cfg.Observer, Logger: s.log}
}
