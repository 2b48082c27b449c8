// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
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
	name := method(c)
	if c.Known && c.Method == "" {
		name += " " + short(c.Tool)
	}
	ctx, s := o.tracer.Start(ctx, name, options...)
	return ctx, &span{observer: o, ctx: ctx, span: s, call: labels(c), began: time.Now(), baggage: baggageOf(c.Meta)}
}

// tooLong bounds the trace context and the baggage of a request, in bytes: W3C demands that 512 characters of
// tracestate, and 8192 bytes of baggage, are passed on.
const tooLong = 8193

// baggageOf returns the baggage in a request's _meta (MCP, SEP-414); empty if there is none, or it is malformed.
func baggageOf(meta map[string]any) baggage.Baggage {
	text, _ := meta[telemetry.Baggage].(string)
	if text == "" || len(text) >= tooLong {
		return baggage.Baggage{}
	}
	b, err := baggage.Parse(text)
	if err != nil {
		return baggage.Baggage{}
	}
	return b
}

// remoteParent returns the trace context in a request's _meta (MCP, SEP-414).
func remoteParent(meta map[string]any) trace.SpanContext {
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
		attribute.String("mcp.method.name", method(c)),
		attribute.String("toolvet.server", short(c.Server)),
	}
	if c.Method != "" {
		return list
	}
	list = append(list, attribute.String("gen_ai.operation.name", "execute_tool"))
	if c.Known {
		list = append(list, attribute.String("gen_ai.tool.name", short(c.Tool)))
	}
	return list
}

// method returns the method of a request. One that MCP does not have is the client's own text.
func method(c telemetry.Call) string {
	switch {
	case c.Method == "":
		return "tools/call"
	case c.Known:
		return short(c.Method)
	}
	return "other"
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
	baggage  baggage.Baggage // of the request
}

// Context returns ctx with the span, and with the request's baggage if it has one.
func (s *span) Context(ctx context.Context) context.Context {
	if s.baggage.Len() > 0 {
		ctx = baggage.ContextWithBaggage(ctx, s.baggage)
	}
	return trace.ContextWithSpan(ctx, s.span)
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
