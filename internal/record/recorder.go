// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package record writes the fate of calls into the log that a policy names, and reports it to metrics and traces.
// Doors and package mcpgate take a Recorder as their observer.
//
//	record, err := record.Open(p.Log, record.Options{})
//	defer record.Close(ctx) // with a deadline
//	gate, err := toolvet.New(toolvet.WithObserver(record))
//
// Package policyfile does all of this for a policy file.
package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/calllog"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/logname"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/telemetry"
)

// Options of a Recorder.
type Options struct {
	Observer telemetry.Observer // metrics and traces; nil: none
	Logger   *slog.Logger       // logs errors of the log; nil discards
}

// A Recorder is a toolvet.Observer. It is safe for concurrent use.
type Recorder struct {
	settings policy.Log
	log      *calllog.Log // nil: none
	observer telemetry.Observer
	logger   *slog.Logger

	mu    sync.Mutex
	tools map[string]string // fingerprints of the tools in the last list record, by server
}

var _ toolvet.Observer = (*Recorder)(nil)

// Open opens the log of a policy, if it has one. The caller must call [Recorder.Close].
func Open(a policy.Log, o Options) (*Recorder, error) {
	if o.Observer == nil {
		o.Observer = telemetry.Join()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Recorder{settings: a, observer: o.Observer, logger: o.Logger, tools: map[string]string{}}
	if a.File == "" {
		return r, nil
	}
	options := calllog.Options{File: a.File, MaxBytes: a.MaxBytes, MaxAge: a.MaxAge, Keep: a.Keep, Logger: o.Logger}
	if a.Always {
		options.Sync = calllog.SyncAlways
	}
	if a.KeyFile != "" {
		key, err := calllog.LoadKey(a.KeyFile)
		if err != nil {
			return nil, err
		}
		options.Key = key
	}
	l, err := calllog.Open(options)
	if err != nil {
		if dir := filepath.Dir(a.File); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the log that the policy's key log.file names cannot be made: there is no directory %s", dir)
		}
		return nil, err
	}
	if l.File() != a.File {
		o.Logger.Warn("another process writes the log: this one has a file of its own", "file", l.File())
	}
	r.log = l
	return r, r.append(context.Background(), calllog.Record{Kind: calllog.KindStart, Version: toolvet.Version})
}

// Close ends the log with a stop record. It returns at the latest when ctx is done.
func (r *Recorder) Close(ctx context.Context) {
	if r.log == nil {
		return
	}
	_ = r.append(ctx, calllog.Record{Kind: calllog.KindStop}) // append has logged an error
	if err := r.log.Close(ctx); err != nil {
		r.logger.Error("the log could not be closed", "err", err)
	}
}

// append writes a record. It returns an error only if calls depend on the log.
func (r *Recorder) append(ctx context.Context, rec calllog.Record) error {
	if r.log == nil {
		return nil
	}
	err := r.log.Append(ctx, rec)
	if err != nil && r.settings.Continue {
		r.logger.Error("the log could not be written, and the policy lets calls go on", "err", err)
		return nil
	}
	return err
}

// Judged implements toolvet.Observer.
func (r *Recorder) Judged(ctx context.Context, e *toolvet.Event) error {
	_, span := r.observer.Start(ctx, r.telemetryCall(e))
	e.Keep, e.Traceparent, e.Within = &kept{span, e.Took}, span.Traceparent(), span.Context
	rec := r.record(e, calllog.KindCall)
	rec.Trace = span.TraceID()
	rec.ArgumentsBytes = len(e.Call.Raw)
	if r.log != nil {
		rec.ArgumentsDigest = r.log.Digest(e.Call.Arguments)
	}
	if e.Point == toolvet.PointValidate {
		rec.Kind = calllog.KindValidate
	}
	if r.settings.Arguments {
		if e.Call.Unread == nil || len(e.Call.Arguments) > 0 { // other text may be no JSON
			rec.Arguments = e.Call.Raw
		}
		if e.Call.Session != nil {
			rec.Roots = e.Call.Session.Roots
		}
	}
	err := r.append(ctx, rec)
	if err != nil || verdictOf(e) == calllog.NoGo || e.Point == toolvet.PointValidate {
		o := outcome(e, e.Took)
		if err != nil {
			o.Verdict = string(calllog.NoGo)
		}
		span.End(o)
	}
	return err
}

// kept is the state of a call between its judgement and its result.
type kept struct {
	span  telemetry.Span
	added time.Duration // for the judgement
}

// Returned implements toolvet.Observer.
func (r *Recorder) Returned(ctx context.Context, e *toolvet.Event) error {
	rec := r.record(e, calllog.KindResult)
	rec.ResultBytes, rec.ResultError = e.Bytes, e.Failed
	for _, f := range e.Verdict.Findings {
		if f.Check == "secret" && f.Severity == check.Warning {
			rec.Redactions = append(rec.Redactions, calllog.Redaction{Pointer: logname.Pointer(f.Pointer, nil), Pattern: f.Source})
		}
	}
	if k, ok := e.Keep.(*kept); ok {
		rec.Trace = k.span.TraceID()
		k.span.End(outcome(e, k.added))
	}
	return r.append(ctx, rec)
}

// Listed implements toolvet.Observer. A replay judges calls by the definitions of their time.
func (r *Recorder) Listed(ctx context.Context, server string, tools *call.Catalog) {
	rec := calllog.Record{Kind: calllog.KindList, Server: server}
	var all []byte
	for _, name := range tools.Names() {
		raw := tools.Tool(name).Raw
		rec.Tools = append(rec.Tools, calllog.Tool{Name: name, Digest: calllog.Fingerprint(raw), Definition: raw})
		all = append(all, raw...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if sum := calllog.Fingerprint(all); sum != r.tools[server] {
		r.tools[server] = sum
		if err := r.append(ctx, rec); err != nil {
			r.logger.Error("the list of tools could not be recorded", "err", err)
		}
	}
}

func (r *Recorder) record(e *toolvet.Event, kind calllog.Kind) calllog.Record {
	rec := calllog.Record{Kind: kind, Server: e.Call.Server, Tool: r.toolName(e.Call), Method: r.method(e), Point: point(e.Point), Request: r.request(e),
		Verdict: verdictOf(e), Findings: calllog.Findings(e.Verdict.Findings), DurationUS: e.Took.Microseconds()}
	for i, f := range e.Verdict.Findings {
		if logname.Hidden(&f, e.Call) {
			rec.Findings[i].Source = "visibility"
		}
		if kind == calllog.KindResult {
			rec.Findings[i].Pointer = logname.Pointer(f.Pointer, nil)
		} else {
			rec.Findings[i].Pointer = logname.Call(f.Pointer, e.Call)
		}
	}
	for _, c := range e.Verdict.Changes {
		rec.Changes = append(rec.Changes, calllog.Change{Pointer: logname.Call(c.Pointer, e.Call), Why: c.Why})
	}
	for _, in := range e.Verdict.Inner {
		rec.Inner = append(rec.Inner, r.toolName(in))
	}
	if e.Call.Session != nil {
		rec.Subject = e.Call.Session.Subject
	}
	for _, s := range e.Verdict.Skipped {
		rec.Skipped = append(rec.Skipped, s.Check)
	}
	if e.Call.IsTool() && e.Call.Tool != nil {
		rec.SchemaDigest = calllog.Fingerprint(e.Call.Tool.Raw)
	}
	return rec
}

// verdictOf is the verdict for the log. A door that asks nobody has refused a call to ask about.
func verdictOf(e *toolvet.Event) calllog.Verdict {
	v := &e.Verdict
	switch {
	case v.Ask && (e.Point == toolvet.PointValidate || engine.Asks(e.Call.Session)):
		return calllog.Ask
	case !v.Go:
		return calllog.NoGo
	case slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Observed }):
		return calllog.Observed
	}
	return calllog.Go
}

func point(p toolvet.Point) string {
	return map[toolvet.Point]string{toolvet.PointLibrary: "library", toolvet.PointProxy: "proxy", toolvet.PointValidate: "validate"}[p]
}

func (r *Recorder) telemetryCall(e *toolvet.Event) telemetry.Call {
	c := telemetry.Call{Server: e.Call.Server, Tool: e.Call.Name, Known: e.Call.Tool != nil && e.Call.KnownMethod(), Method: e.Call.Method, Point: point(e.Point), Request: r.request(e), Meta: e.Call.Meta}
	if e.Call.Session != nil {
		c.Protocol = e.Call.Session.ProtocolVersion
	}
	return c
}

func outcome(e *toolvet.Event, added time.Duration) telemetry.Outcome {
	o := telemetry.Outcome{Verdict: string(verdictOf(e)), ToolError: e.Failed, Added: added, Redactions: map[string]int{}}
	for _, f := range e.Verdict.Findings {
		switch {
		case f.Blocks() && f.Code == engine.CodeRateLimit:
			o.Limits = append(o.Limits, f.Source)
			o.Codes, o.Checks = append(o.Codes, f.Code), append(o.Checks, f.Check)
		case f.Blocks():
			o.Codes, o.Checks = append(o.Codes, strings.ToUpper(f.Stage.String())), append(o.Checks, f.Check)
		case f.Check == "secret":
			o.Redactions[f.Source]++
		}
	}
	return o
}
