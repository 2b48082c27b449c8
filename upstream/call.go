// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/protocol"
)

// An Outcome is what became of a call.
type Outcome struct {
	// Raw is a CallToolResult: what the server wrote, as the output layer leaves it, or if the
	// call was refused or its result withheld, the tool execution error that says why.
	Raw json.RawMessage
	// Ran says that the call was made. If not, it was refused, and Judged says why.
	Ran bool
	// Judged is the verdict on the call, Reviewed that on its result. Of a call that ran,
	// Reviewed.Go is false if the result is withheld.
	Judged, Reviewed toolvet.Verdict
	// Annotation is what whoever passes the result on should add to it, because something was
	// found in it.
	Annotation protocol.Annotation
}

// Call calls the tool SERVER:TOOL, if the gate lets it, and reviews the result. The limits of
// the policy count the call.
//
// A call that is refused has an Outcome and no error, also if there is no such server or
// tool. Err says that the call was not made, or how it ended without a result: an
// *[UnavailableError], a *[GoneError] (the tool may have run), a *[RefusedError] of the
// server, or that of ctx. A call is never made twice, unless nothing of the first was sent.
func (s *Set) Call(ctx context.Context, name string, arguments json.RawMessage, options ...CallOption) (*Outcome, error) {
	o := optionsOf(options)
	t, err := s.target(ctx, name, arguments, o)
	if errors.As(err, new(unjudged)) {
		return nil, err
	}
	if err != nil {
		_, tool, parseErr := ParseName(name)
		if parseErr != nil {
			tool = name
		}
		return refused(tool, noGo(err), nil), nil
	}
	gate, _ := s.gate(t.call.Server)
	began := time.Now()
	v, ticket := gate.Admit(ctx, t.call, toolvet.PointProxy)
	settle := ticket.Rollback // until the server may have the call
	defer func() { settle() }()
	e := &toolvet.Event{Call: t.call, Request: o.id, Point: toolvet.PointProxy, Verdict: v, Took: time.Since(began)}
	door.Judged(ctx, s.cfg.Observer, e, s.log)
	if v = e.Verdict; !v.Go {
		s.log.Info("refused a call", "server", t.call.Server, "tool", t.call.Name, "findings", len(v.Findings))
		return refused(t.call.Name, v, t.call.Meta), nil
	}
	if o.Params, err = callParams(traced(o.Params, e, t.cfg.Limits), t.call.Name, t.call.Raw, t.cfg.Limits); err != nil {
		return nil, err
	}
	o.Method = "tools/call"
	settle = ticket.Release
	raw, err := t.do(ctx, o.Request)
	if err != nil {
		s.returned(ctx, e, &toolvet.Reviewed{}, 0, true)
		return nil, s.reviewError(ctx, t.call, err)
	}
	return s.outcome(ctx, e, v, raw), nil
}

// traced are the params of a call with the parent that the observer wants in the place of the
// caller's own, so that the server's spans stand below ours.
func traced(params json.RawMessage, e *toolvet.Event, limits call.Limits) json.RawMessage {
	if e.Traceparent == "" || e.Call.Meta["traceparent"] == nil {
		return params
	}
	parent, err := json.Marshal(e.Traceparent)
	if err != nil {
		return params
	}
	changed, err := splice.Set(params, limits, parent, "_meta", "traceparent")
	if err != nil { // it was read before
		return params
	}
	return changed
}

// outcome reviews the result of a call.
func (s *Set) outcome(ctx context.Context, e *toolvet.Event, judged toolvet.Verdict, raw json.RawMessage) *Outcome {
	c := e.Call
	v := s.look(ctx, c, "tools/call", raw)
	s.returned(ctx, e, &v, len(raw), string(memberOf(raw, "isError", call.Limits{})) == "true")
	o := &Outcome{Raw: v.Raw, Ran: true, Judged: judged, Reviewed: v.Verdict}
	if !v.Go {
		words := protocol.NewResult(c.Name, v.Verdict)
		o.Raw = words.Withheld(modern(c.Meta))
		s.log.Warn("withheld a result", "server", c.Server, "tool", c.Name, "findings", len(v.Findings))
		return o
	}
	o.Annotation = protocol.Annotate(c.Name, &v)
	return o
}

func (s *Set) returned(ctx context.Context, e *toolvet.Event, v *toolvet.Reviewed, size int, failed bool) {
	door.Returned(context.WithoutCancel(ctx), s.cfg.Observer, e, v, size, failed, s.log)
}

func refused(tool string, v toolvet.Verdict, meta map[string]any) *Outcome {
	result := protocol.NewResult(strictjson.Printable(tool, 128), v)
	return &Outcome{Raw: result.Refusal(modern(meta)), Judged: v}
}

// modern reports whether a request with this _meta speaks 2026-07-28 or later.
func modern(meta map[string]any) bool {
	version, _ := meta[versionKey].(string)
	return version >= modernVersion
}
