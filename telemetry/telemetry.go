// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package telemetry is the interface to traces and metrics of calls. Package export/prometheus counts
// for a Prometheus registerer, and package export/otel gives spans and measurements to OpenTelemetry's providers:
//
//	spans, err := otel.New(otel.WithTracerProvider(tracers))
//	...
//	counters, err := prometheus.New(prometheus.WithRegisterer(registry))
//	...
//	file, err := policyfile.Open("toolvet.yaml", policyfile.Options{Observer: telemetry.Join(spans, counters)})
//
// A program with another system of metrics writes an [Observer] of its own. toolvet calls it as follows:
//
//	ctx, span := observer.Start(ctx, telemetry.Call{Server: "files", Tool: "read", Known: true, Meta: meta})
//	// judge and forward
//	span.End(telemetry.Outcome{Verdict: "go", Added: d})
//
// An Observer gets facts, not values, and decides nothing: no method returns an error or waits.
package telemetry

import (
	"context"
	"time"
)

// An Observer follows calls. Its methods are quick and safe for concurrent use.
type Observer interface {
	// Start is called when a call arrives. The returned context carries the trace. The caller ends the span once.
	Start(ctx context.Context, c Call) (context.Context, Span)
}

// A Span is a call in progress.
type Span interface {
	// TraceID returns the call's trace id in 32 hexadecimal digits, or "" if it has none.
	TraceID() string
	// Traceparent returns the span as the parent of further calls (W3C Trace Context), or "" if nobody exports the
	// span.
	Traceparent() string
	// Context returns ctx with the span, for code that runs within the call.
	Context(ctx context.Context) context.Context
	// End is called with the outcome of the call.
	End(o Outcome)
}

// A Call describes a call at its arrival.
type Call struct {
	Server   string         // name of the server
	Tool     string         // name of the tool, as the request gives it
	Method   string         // of a request other than tools/call; then Tool is the method, too
	Known    bool           // the server lists this tool; other names are the caller's own text, and observers drop them
	Point    string         // where the call is judged: proxy, validate, library
	Request  string         // id of the JSON-RPC request, as spelt
	Session  string         // id of the MCP session, or ""
	Protocol string         // revision of MCP, or ""
	Meta     map[string]any // the request's _meta; only its trace context is used
}

// An Outcome is the outcome of a call.
type Outcome struct {
	Verdict    string         // go, ask, no-go, observed
	Codes      []string       // SCHEMA, SEMANTIC, … of the findings that refused it, the first stage first
	Checks     []string       // the checks that refused it
	ToolError  bool           // the tool ran and reported an error
	Added      time.Duration  // time that toolvet added to the call
	Redactions map[string]int // number of texts taken out of the result, by pattern
	Limits     []string       // names of limits that refused it
}

// Code returns the code of the first stage that refused the call, or "".
func (o *Outcome) Code() string {
	if len(o.Codes) == 0 {
		return ""
	}
	return o.Codes[0]
}
