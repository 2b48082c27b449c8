// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/auditlog"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/mediate"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/telemetry"
)

// A recorder writes what becomes of calls into the audit log, and tells it to whoever
// watches.
type recorder struct {
	audit    policy.Audit
	log      *auditlog.Log // nil: none
	observer telemetry.Observer
	logger   *slog.Logger

	mu    sync.Mutex
	tools string // fingerprint of the tools that were recorded last
}

// openRecorder opens the audit log that a policy names, if any.
func openRecorder(a policy.Audit, observer telemetry.Observer, logger *slog.Logger) (*recorder, error) {
	r := &recorder{audit: a, observer: observer, logger: logger}
	if a.File == "" {
		return r, nil
	}
	options := auditlog.Options{File: a.File, MaxBytes: a.MaxBytes, MaxAge: a.MaxAge, Keep: a.Keep, Logger: logger}
	if a.Always {
		options.Sync = auditlog.SyncAlways
	}
	if a.KeyFile != "" {
		key, err := auditlog.LoadKey(a.KeyFile)
		if err != nil {
			return nil, err
		}
		options.Key = key
	}
	l, err := auditlog.Open(options)
	if err != nil {
		return nil, err
	}
	if l.File() != a.File {
		logger.Warn("another process writes the audit log: this one has a file of its own", "file", l.File())
	}
	r.log = l
	return r, r.append(context.Background(), auditlog.Record{Kind: auditlog.KindStart, Version: toolvet.Version})
}

// close ends the audit log in order.
func (r *recorder) close(ctx context.Context) {
	if r.log == nil {
		return
	}
	_ = r.append(ctx, auditlog.Record{Kind: auditlog.KindStop}) // what cannot be written is told already
	if err := r.log.Close(ctx); err != nil {
		r.logger.Error("the audit log could not be closed", "err", err)
	}
}

// append writes a record. What cannot be written is an error only if calls depend on it.
func (r *recorder) append(ctx context.Context, rec auditlog.Record) error {
	if r.log == nil {
		return nil
	}
	err := r.log.Append(ctx, rec)
	if err != nil && r.audit.Continue {
		r.logger.Error("the audit log could not be written, and the policy lets calls go on", "err", err)
		return nil
	}
	return err
}

// Judged implements mediate.Observer.
func (r *recorder) Judged(ctx context.Context, e *mediate.Event) error {
	_, span := r.observer.Start(ctx, telemetryCall(e))
	e.Keep = span
	rec := r.record(e, auditlog.KindCall)
	rec.Trace = span.TraceID()
	rec.ArgumentsBytes = len(e.Call.Raw)
	if r.log != nil {
		rec.ArgumentsDigest = r.log.Digest(e.Call.Arguments)
	}
	if e.Point == toolvet.PointValidate {
		rec.Kind = auditlog.KindValidate
	}
	if r.audit.Arguments {
		rec.Arguments = e.Call.Raw
		if e.Call.Session != nil {
			rec.Roots = e.Call.Session.Roots
		}
	}
	if !e.Verdict.Go || e.Point == toolvet.PointValidate {
		span.End(outcome(e))
	}
	return r.append(ctx, rec)
}

// Returned implements mediate.Observer.
func (r *recorder) Returned(ctx context.Context, e *mediate.Event) error {
	rec := r.record(e, auditlog.KindResult)
	rec.ResultBytes, rec.ResultError = e.Bytes, e.Failed
	for _, f := range e.Verdict.Findings {
		if f.Check == "secret" && f.Severity == check.Warning {
			rec.Redactions = append(rec.Redactions, auditlog.Redaction{Pointer: f.Place(), Rule: f.Rule})
		}
	}
	if span, ok := e.Keep.(telemetry.Span); ok {
		rec.Trace = span.TraceID()
		span.End(outcome(e))
	}
	return r.append(ctx, rec)
}

// Listed implements mediate.Observer: a replay judges calls by the definitions of their time.
func (r *recorder) Listed(ctx context.Context, server string, tools *call.Catalog) {
	rec := auditlog.Record{Kind: auditlog.KindList, Server: server}
	var all []byte
	for _, name := range tools.Names() {
		raw := tools.Tool(name).Raw
		rec.Tools = append(rec.Tools, auditlog.Tool{Name: name, Digest: auditlog.Fingerprint(raw), Definition: raw})
		all = append(all, raw...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if sum := auditlog.Fingerprint(all); sum != r.tools {
		r.tools = sum
		if err := r.append(ctx, rec); err != nil {
			r.logger.Error("the list of tools could not be recorded", "err", err)
		}
	}
}

func (r *recorder) record(e *mediate.Event, kind auditlog.Kind) auditlog.Record {
	rec := auditlog.Record{Kind: kind, Server: e.Call.Server, Tool: e.Call.Name, Point: point(e.Point), Request: e.Request,
		Verdict: verdictOf(&e.Verdict), Findings: auditlog.Findings(e.Verdict.Findings), DurationUS: e.Took.Microseconds()}
	if e.Call.Session != nil {
		rec.Subject = e.Call.Session.Subject
	}
	for _, s := range e.Verdict.Skipped {
		rec.Skipped = append(rec.Skipped, s.Check)
	}
	if e.Call.Tool != nil {
		rec.SchemaDigest = auditlog.Fingerprint(e.Call.Tool.Raw)
	}
	return rec
}

func verdictOf(v *toolvet.Verdict) auditlog.Verdict {
	switch {
	case !v.Go:
		return auditlog.NoGo
	case slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Observed }):
		return auditlog.Observed
	}
	return auditlog.Go
}

func point(p toolvet.Point) string {
	return map[toolvet.Point]string{toolvet.PointLibrary: "library", toolvet.PointProxy: "proxy", toolvet.PointValidate: "validate"}[p]
}

func telemetryCall(e *mediate.Event) telemetry.Call {
	c := telemetry.Call{Server: e.Call.Server, Tool: e.Call.Name, Known: e.Call.Tool != nil, Point: point(e.Point), Request: e.Request, Meta: e.Call.Meta}
	if e.Call.Session != nil {
		c.Protocol = e.Call.Session.ProtocolVersion
	}
	return c
}

func outcome(e *mediate.Event) telemetry.Outcome {
	o := telemetry.Outcome{Verdict: string(verdictOf(&e.Verdict)), ToolError: e.Failed, Redactions: map[string]int{}}
	if e.Bytes == 0 {
		o.Added = e.Took
	}
	for _, f := range e.Verdict.Findings {
		switch {
		case f.Blocks() && f.Code == toolvet.CodeRateLimit:
			o.Limits = append(o.Limits, f.Rule)
			o.Codes, o.Checks = append(o.Codes, f.Code), append(o.Checks, f.Check)
		case f.Blocks():
			o.Codes, o.Checks = append(o.Codes, strings.ToUpper(f.Stage.String())), append(o.Checks, f.Check)
		case f.Check == "secret":
			o.Redactions[f.Rule]++
		}
	}
	return o
}
