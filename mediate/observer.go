// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mediate

import (
	"context"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// An Observer is told what becomes of calls, for logs and metrics. Its methods return soon
// and are called concurrently.
type Observer interface {
	// Judged is told the verdict on a call before it is forwarded or refused, or on a dry
	// run. An error refuses the call.
	Judged(ctx context.Context, e *Event) error
	// Returned is told what the output layer made of a call's result, with the event that
	// Judged was told of. An error withholds the result.
	Returned(ctx context.Context, e *Event) error
	// Listed is told of the tools each time that they are learnt.
	Listed(ctx context.Context, server string, tools *call.Catalog)
}

// An Event is a call on its way. What does not concern the moment is zero.
type Event struct {
	Call    *call.Call
	Request string // id of the JSON-RPC request, as it is spelt
	Point   toolvet.Point
	Verdict toolvet.Verdict
	Took    time.Duration // to judge the call, or for the server to answer it
	Bytes   int           // of the result
	Failed  bool          // the tool said that it failed
	Keep    any           // the observer's own, from Judged to Returned

	forwarded time.Time
}

// judged tells the observer of a verdict. If it must not go unrecorded, it refuses.
func (p *Exchange) judged(ctx context.Context, e *Event) {
	if p.cfg.Observer == nil {
		return
	}
	if err := p.cfg.Observer.Judged(ctx, e); err != nil {
		p.log.Error("a verdict could not be recorded", "tool", e.Call.Name, "err", err)
		e.Verdict = unrecorded(check.Policy, "the call cannot be recorded, so it is refused; the reason is in toolvet's log")
	}
	e.forwarded = time.Now()
}

// returned tells the observer of a result, and withholds one that cannot be recorded.
func (p *Exchange) returned(e *Event, v *toolvet.Reviewed, size int, failed bool) {
	if p.cfg.Observer == nil || e == nil {
		return
	}
	e.Verdict, e.Took, e.Bytes, e.Failed = v.Verdict, time.Since(e.forwarded), size, failed
	if err := p.cfg.Observer.Returned(p.ctx, e); err != nil {
		p.log.Error("a result could not be recorded", "tool", e.Call.Name, "err", err)
		*v = toolvet.Reviewed{Verdict: unrecorded(check.Output, "the result cannot be recorded, so it is withheld; the reason is in toolvet's log")}
	}
}

func (p *Exchange) listed(tools *call.Catalog) {
	if p.cfg.Observer != nil {
		p.cfg.Observer.Listed(p.ctx, p.cfg.Server, tools)
	}
}

func unrecorded(stage check.Stage, why string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: "audit-log", Stage: stage, Level: check.SecurityLevel, Message: why}}}
}
