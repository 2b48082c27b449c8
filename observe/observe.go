// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package observe tells logs and metrics what becomes of calls, from every door that makes
// them: the proxy, and package upstream.
package observe

import (
	"context"
	"log/slog"
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

// Judged tells o, which may be nil, of a verdict. If it must not go unrecorded, e's verdict
// becomes a no-go.
func Judged(ctx context.Context, o Observer, e *Event, log *slog.Logger) {
	if o == nil {
		return
	}
	if err := o.Judged(ctx, e); err != nil {
		log.Error("a verdict could not be recorded", "tool", e.Call.Name, "err", err)
		e.Verdict = unrecorded(check.Policy, "the call cannot be recorded, so it is refused; the reason is in toolvet's log")
	}
	e.forwarded = time.Now()
}

// Returned tells o, which may be nil, of a result of size bytes, and withholds one that
// cannot be recorded. E is the event of the call, nil if it was not judged.
func Returned(ctx context.Context, o Observer, e *Event, v *toolvet.Reviewed, size int, failed bool, log *slog.Logger) {
	if o == nil || e == nil {
		return
	}
	e.Verdict, e.Took, e.Bytes, e.Failed = v.Verdict, time.Since(e.forwarded), size, failed
	if err := o.Returned(ctx, e); err != nil {
		log.Error("a result could not be recorded", "tool", e.Call.Name, "err", err)
		*v = toolvet.Reviewed{Verdict: unrecorded(check.Output, "the result cannot be recorded, so it is withheld; the reason is in toolvet's log")}
	}
}

func unrecorded(stage check.Stage, why string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: "audit-log", Stage: stage, Level: check.SecurityLevel, Message: why}}}
}
