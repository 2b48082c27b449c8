// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package door tells logs and metrics what becomes of calls, from every door that makes
// them: the proxy, and package upstream.
package door

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
)

// Judged tells o, which may be nil, of a verdict. If it must not go unrecorded, e's verdict
// becomes a no-go.
func Judged(ctx context.Context, o toolvet.Observer, e *toolvet.Event, log *slog.Logger) {
	if o == nil {
		return
	}
	if err := o.Judged(ctx, e); err != nil {
		log.Error("a verdict could not be recorded", "tool", e.Call.Name, "err", err)
		e.Verdict = unrecorded(check.Policy, "the call cannot be recorded, so it is refused; the reason is in toolvet's log")
	}
	e.Began = time.Now()
}

// Returned tells o, which may be nil, of a result of size bytes, and withholds one that
// cannot be recorded. E is the event of the call, nil if it was not judged.
func Returned(ctx context.Context, o toolvet.Observer, e *toolvet.Event, v *toolvet.Reviewed, size int, failed bool, log *slog.Logger) {
	if o == nil || e == nil {
		return
	}
	e.Verdict, e.Took, e.Bytes, e.Failed = v.Verdict, time.Since(e.Began), size, failed
	if err := o.Returned(ctx, e); err != nil {
		log.Error("a result could not be recorded", "tool", e.Call.Name, "err", err)
		*v = toolvet.Reviewed{Verdict: unrecorded(check.Output, "the result cannot be recorded, so it is withheld; the reason is in toolvet's log")}
	}
}

// Lost tells o, which may be nil, of calls that nothing came back of. A nil event is none. All
// together take no longer than one may.
func Lost(ctx context.Context, o toolvet.Observer, log *slog.Logger, events ...*toolvet.Event) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	for _, e := range events {
		if e == nil || o == nil {
			continue
		}
		e.Took, e.Failed = time.Since(e.Began), true
		if err := o.Returned(ctx, e); err != nil {
			log.Error("it could not be recorded that nothing came back of a call", "tool", e.Call.Name, "err", err)
		}
	}
}

func unrecorded(stage check.Stage, why string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: "log", Stage: stage, Level: check.SecurityLevel, Message: why}}}
}
