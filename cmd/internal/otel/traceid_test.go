// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolvet/toolvet/internal/observe"
)

// FuzzTraceID: the log has the same trace id as the spans of OpenTelemetry.
func FuzzTraceID(f *testing.F) {
	const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	f.Add(traceparent)
	f.Add("cc" + traceparent[2:] + "-x")
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-09")
	f.Fuzz(func(t *testing.T, text string) {
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{observe.Traceparent: text})
		want := ""
		if remote := trace.SpanContextFromContext(ctx); remote.IsValid() {
			want = remote.TraceID().String()
		}
		if got := observe.TraceID(map[string]any{observe.Traceparent: text}); len(text) <= 512 && want != "" && got != want {
			t.Errorf("TraceID(%q) = %q, OpenTelemetry reads %q", text, got, want)
		}
	})
}
