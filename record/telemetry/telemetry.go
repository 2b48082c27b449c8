// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package telemetry says what toolvet tells of calls while they happen: traces and
// metrics. It only holds the interface; package telemetry/prometheus serves metrics to a
// scraper, package telemetry/otel sends traces and metrics by OpenTelemetry.
//
//	ctx, span := observer.Start(ctx, telemetry.Call{Server: "files", Tool: "read", Known: true, Meta: meta})
//	// judge and forward; observer.Checked(ctx, "path", d) for each check
//	span.End(telemetry.Outcome{Verdict: "go", Added: d})
//
// It is told facts, not values, and decides nothing: no method returns an error or waits.
package telemetry

import (
	"context"
	"time"
)

// An Observer is told what happens to calls. Its methods are quick and safe for
// concurrent use.
type Observer interface {
	// Start is called when a call arrives. The context that it returns carries the
	// trace; whoever starts a call ends its span once.
	Start(ctx context.Context, c Call) (context.Context, Span)
	// Checked is told how long a check has taken, with the context of Start.
	Checked(ctx context.Context, check string, took time.Duration)
}

// A Span is a call on its way.
type Span interface {
	// TraceID is the call's trace id in 32 hexadecimal digits, or "" if it has none.
	TraceID() string
	// Traceparent is the span as the parent of what the call leads to (W3C Trace Context), or
	// "" if nobody exports the span.
	Traceparent() string
	// End is told what became of the call.
	End(o Outcome)
}

// A Call is what is known of a call when it arrives.
type Call struct {
	Server   string         // name of the server
	Tool     string         // name of the tool, as the request gives it
	Known    bool           // the server lists this tool; other names are the caller's own and are not told
	Point    string         // where it is judged: proxy, validate, library
	Request  string         // id of the JSON-RPC request, as it is spelt
	Session  string         // id of the MCP session, or ""
	Protocol string         // revision of MCP, or ""
	Meta     map[string]any // the request's _meta, of which only the trace context is read
}

// An Outcome is what became of a call.
type Outcome struct {
	Verdict    string         // go, no-go, observed
	Codes      []string       // SCHEMA, SEMANTIC, … of the findings that refused it, the first stage first
	Checks     []string       // the checks that refused it
	ToolError  bool           // the tool ran and said that it failed
	Added      time.Duration  // what toolvet added to the call
	Redactions map[string]int // what was taken out of the result: how often, by pattern
	Limits     []string       // names of limits that refused it
}

// Code is the code of the first stage that refused the call, or "".
func (o *Outcome) Code() string {
	if len(o.Codes) == 0 {
		return ""
	}
	return o.Codes[0]
}

// Discard is an Observer that tells nobody. Its spans know the trace of their call.
type Discard struct{}

// Start continues no trace.
func (Discard) Start(ctx context.Context, c Call) (context.Context, Span) {
	return ctx, Silent(TraceID(c.Meta))
}

// Checked does nothing.
func (Discard) Checked(context.Context, string, time.Duration) {}

// Silent is a span of this trace id that tells nobody.
type Silent string

// TraceID is the id.
func (s Silent) TraceID() string { return string(s) }

// Traceparent is "".
func (Silent) Traceparent() string { return "" }

// End does nothing.
func (Silent) End(Outcome) {}
