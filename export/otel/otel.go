// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package otel gives calls to OpenTelemetry, as spans and measurements of the program's own providers:
//
//	observer, err := otel.New(otel.WithTracerProvider(tracers), otel.WithMeterProvider(meters))
//	file, err := policyfile.Open("toolvet.yaml", policyfile.Options{Observer: observer})
//	err = mcpgate.Install(server, file)
//
// Behind mcpgate, the handler of a tool runs in the span of its call: trace.SpanContextFromContext(ctx) is that span,
// and spans that the handler starts are its children. The parent of the span is the trace in the request's _meta
// (traceparent and tracestate, SEP-414); the handler's context also has the baggage from there.
//
// The package reads no environment and exports nothing. Names follow the semantic conventions for MCP
// (open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md). These are in development, so names may change with
// versions of toolvet. Other names begin with "toolvet.".
package otel

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolvet/toolvet/record/telemetry"
)

// scope names the source of the spans and measurements.
const scope = "github.com/toolvet/toolvet"

// An Observer is a telemetry.Observer that makes spans and measurements; [New] makes one. It is safe for concurrent
// use.
type Observer struct {
	tracer trace.Tracer
	meters instruments
	policy policyState
}

var _ telemetry.PolicyObserver = (*Observer)(nil)

// An Option changes what [New] makes.
type Option interface{ apply(*config) }

type config struct {
	tracers trace.TracerProvider
	meters  metric.MeterProvider
	version string
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// WithTracerProvider makes the spans with p. The default is the global provider, as it is when a span begins.
func WithTracerProvider(p trace.TracerProvider) Option {
	return optionFunc(func(c *config) { c.tracers = p })
}

// WithMeterProvider measures with p. The default is the global provider.
func WithMeterProvider(p metric.MeterProvider) Option {
	return optionFunc(func(c *config) { c.meters = p })
}

// WithVersion sets the version of the instrumentation, such as toolvet.Version. The default is none.
func WithVersion(version string) Option {
	return optionFunc(func(c *config) { c.version = version })
}

// New makes an Observer. A nil option, a nil provider, and a provider that refuses an instrument are errors. The
// providers remain the caller's to shut down.
func New(options ...Option) (*Observer, error) {
	c := config{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider()}
	for i, option := range options {
		if option == nil {
			return nil, fmt.Errorf("otel: option %d is nil", i)
		}
		option.apply(&c)
	}
	if c.tracers == nil || c.meters == nil {
		return nil, errors.New("otel: a provider is nil")
	}
	o := &Observer{tracer: c.tracers.Tracer(scope, trace.WithInstrumentationVersion(c.version))}
	var err error
	if o.meters, err = newInstruments(c.meters.Meter(scope, metric.WithInstrumentationVersion(c.version)), &o.policy); err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return o, nil
}
