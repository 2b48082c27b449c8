// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolvet/toolvet/record/telemetry"
)

// Start begins the span of a call: the server span, because toolvet is the client's server. Its parent is the trace
// in _meta, with a link to a trace in ctx. Without a trace in _meta, the one in ctx is the parent.
func (o *Observer) Start(ctx context.Context, c telemetry.Call) (context.Context, telemetry.Span) {
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(about(c)...)}
	if remote := remoteParent(c.Meta); remote.IsValid() {
		if ambient := trace.SpanContextFromContext(ctx); ambient.IsValid() {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: ambient}))
		}
		ctx = trace.ContextWithRemoteSpanContext(ctx, remote)
	}
	name := "tools/call"
	if c.Known {
		name += " " + short(c.Tool)
	}
	ctx, s := o.tracer.Start(ctx, name, options...)
	return ctx, &span{observer: o, ctx: ctx, span: s, call: labels(c), began: time.Now()}
}

// remoteParent returns the trace context in a request's _meta (MCP, SEP-414).
func remoteParent(meta map[string]any) trace.SpanContext {
	const tooLong = 4096 // far above the 512 characters that W3C demands
	carrier := propagation.MapCarrier{}
	for _, key := range []string{telemetry.Traceparent, telemetry.Tracestate} {
		if text, ok := meta[key].(string); ok && len(text) < tooLong {
			carrier[key] = text
		}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), carrier)
	return trace.SpanContextFromContext(ctx)
}

// about returns the attributes of a call's span.
func about(c telemetry.Call) []attribute.KeyValue {
	list := append(labels(c), attribute.String("toolvet.point", c.Point))
	for _, a := range []struct{ key, value string }{
		{"jsonrpc.request.id", c.Request}, {"mcp.session.id", c.Session}, {"mcp.protocol.version", c.Protocol},
	} {
		if a.value != "" {
			list = append(list, attribute.String(a.key, short(a.value)))
		}
	}
	return list
}

// labels are the attributes that measurements share with the span. Each has few values.
func labels(c telemetry.Call) []attribute.KeyValue {
	list := []attribute.KeyValue{
		attribute.String("mcp.method.name", "tools/call"),
		attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("toolvet.server", short(c.Server)),
	}
	if c.Known {
		list = append(list, attribute.String("gen_ai.tool.name", short(c.Tool)))
	}
	return list
}

// short bounds a text from outside. Invalid UTF-8 would block a whole batch.
func short(text string) string {
	const most = 256
	return strings.ToValidUTF8(text[:min(len(text), most)], "\ufffd")
}

type span struct {
	observer *Observer
	ctx      context.Context
	span     trace.Span
	call     []attribute.KeyValue
	began    time.Time
}

// TraceID returns the id of the span's trace, or "" if traces are off and the call has none.
func (s *span) TraceID() string {
	if id := s.span.SpanContext().TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}

// Traceparent returns the span's own traceparent, or "" if the span is not sent.
func (s *span) Traceparent() string {
	if !s.span.IsRecording() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(s.ctx, carrier)
	return carrier[telemetry.Traceparent]
}

// toolError is the error type of the conventions for a result with isError. A refused call has such a result, too.
const toolError = "tool_error"

// End ends the span and measures the call.
func (s *span) End(o telemetry.Outcome) {
	failed := o.ToolError || o.Verdict == "no-go"
	list := append(s.call[:len(s.call):len(s.call)], attribute.String("toolvet.verdict", o.Verdict))
	if failed {
		list = append(list, attribute.String("error.type", toolError))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.SetAttributes(list...)
	for key, values := range map[string][]string{"toolvet.codes": o.Codes, "toolvet.checks": o.Checks, "toolvet.limits": o.Limits} {
		if len(values) > 0 {
			s.span.SetAttributes(attribute.StringSlice(key, values))
		}
	}
	s.span.SetAttributes(attribute.Float64("toolvet.added", o.Added.Seconds()))
	s.measure(o, list)
	s.span.End()
}

func (s *span) measure(o telemetry.Outcome, list []attribute.KeyValue) {
	m := &s.observer.meters
	m.duration.Record(s.ctx, time.Since(s.began).Seconds(), metric.WithAttributes(list...))
	m.calls.Add(s.ctx, 1, metric.WithAttributes(append(list, attribute.String("toolvet.code", o.Code()))...))
	m.added.Record(s.ctx, o.Added.Seconds(), metric.WithAttributes(attribute.String("toolvet.server", s.server())))
	for pattern, n := range o.Redactions {
		m.redactions.Add(s.ctx, int64(n), metric.WithAttributes(attribute.String("toolvet.pattern", pattern)))
	}
	for _, limit := range o.Limits {
		m.limits.Add(s.ctx, 1, metric.WithAttributes(attribute.String("toolvet.limit", limit)))
	}
}

func (s *span) server() string {
	for _, a := range s.call {
		if a.Key == "toolvet.server" {
			return a.Value.AsString()
		}
	}
	return ""
}

// Checked measures a check, and adds it to the span of ctx.
func (o *Observer) Checked(ctx context.Context, check string, took time.Duration) {
	name := attribute.String("toolvet.check", check)
	o.meters.checks.Record(ctx, took.Seconds(), metric.WithAttributes(name))
	trace.SpanFromContext(ctx).AddEvent("toolvet.check", trace.WithAttributes(name, attribute.Float64("toolvet.duration", took.Seconds())))
}
