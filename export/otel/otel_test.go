// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/baggage"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/export/otel"
	"github.com/toolvet/toolvet/mcpgate"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/record"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	parentID    = "b7ad6b7169203331"
	traceparent = "00-" + traceID + "-" + parentID + "-01"
)

// connect returns a client of a server with a tool called "work", behind a gate that gives its calls to the observer.
func connect(ctx context.Context, observer *otel.Observer, handler func(ctx context.Context, meta mcp.Meta)) (*mcp.ClientSession, error) {
	record, err := record.Open(policy.Log{}, record.Options{Observer: observer})
	if err != nil {
		return nil, err
	}
	gate, err := toolvet.New(toolvet.WithObserver(record))
	if err != nil {
		return nil, err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "worker", Version: "1"}, nil)
	if err := mcpgate.Install(server, gate); err != nil {
		return nil, err
	}
	type input struct {
		N int `json:"n"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "work"}, func(ctx context.Context, r *mcp.CallToolRequest, _ input) (*mcp.CallToolResult, any, error) {
		handler(ctx, r.Params.Meta)
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil, nil
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		return nil, err
	}
	return mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, here, nil)
}

// The handler of a tool runs in the span of its call.
func Example() {
	ctx := context.Background()
	spans := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)) // the program's own
	observer, err := otel.New(otel.WithTracerProvider(tracers), otel.WithVersion(toolvet.Version))
	if err != nil {
		log.Fatal(err)
	}
	client, err := connect(ctx, observer, func(ctx context.Context, _ mcp.Meta) {
		_, span := tracers.Tracer("worker").Start(ctx, "the tool's own work")
		span.End()
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "work", Arguments: map[string]any{"n": 1}}); err != nil {
		log.Fatal(err)
	}
	names := map[trace.SpanID]string{}
	for _, s := range spans.GetSpans() {
		names[s.SpanContext.SpanID()] = s.Name
	}
	for _, s := range spans.GetSpans() {
		if s.Name == "the tool's own work" {
			fmt.Printf("%s is a child of %s\n", s.Name, names[s.Parent.SpanID()])
		}
	}
	// Output: the tool's own work is a child of tools/call work
}

// TestHandlerInSpan: behind mcpgate a handler runs in the call's span, a child of the client's, whether the trace is
// sampled or not, with the client's state and baggage; and its _meta names that span.
func TestHandlerInSpan(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewInMemoryExporter()
	meters := sdkmetric.NewManualReader()
	observer, err := otel.New(otel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))),
		otel.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(meters))))
	if err != nil {
		t.Fatal(err)
	}
	var inside trace.SpanContext
	var carried baggage.Baggage
	var seen mcp.Meta
	client, err := connect(t.Context(), observer, func(ctx context.Context, meta mcp.Meta) {
		inside, carried, seen = trace.SpanContextFromContext(ctx), baggage.FromContext(ctx), meta
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	call := func(meta mcp.Meta) {
		t.Helper()
		if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Meta: meta, Name: "work", Arguments: map[string]any{"n": 1}}); err != nil {
			t.Fatal(err)
		}
	}
	own := func() tracetest.SpanStub {
		t.Helper()
		for _, s := range spans.GetSpans() {
			if s.SpanContext.SpanID() == inside.SpanID() && s.Name == "tools/call work" {
				return s
			}
		}
		t.Fatalf("the handler's span %v is not that of the call", inside)
		return tracetest.SpanStub{}
	}

	call(nil)
	if !inside.IsValid() || own().Parent.IsValid() || seen["traceparent"] != nil || carried.Len() > 0 {
		t.Errorf("without a trace: inside %v, _meta %v, baggage %v", inside, seen, carried)
	}
	call(mcp.Meta{"traceparent": traceparent, "tracestate": "rojo=1", "baggage": "user=ada,tier=1"})
	if s := own(); s.Parent.SpanID().String() != parentID || inside.TraceID().String() != traceID || inside.TraceState().String() != "rojo=1" {
		t.Errorf("with a trace: inside %v, parent %v", inside, s.Parent)
	}
	if want := "00-" + traceID + "-" + inside.SpanID().String() + "-01"; seen["traceparent"] != want || seen["tracestate"] != "rojo=1" || seen["baggage"] != "user=ada,tier=1" {
		t.Errorf("_meta of the handler is %v, want the traceparent %s", seen, want)
	}
	if carried.Member("user").Value() != "ada" || carried.Member("tier").Value() != "1" {
		t.Errorf("baggage %v", carried)
	}
	call(mcp.Meta{"traceparent": traceparent[:53] + "00", "baggage": "=;;="})
	if inside.TraceID().String() != traceID || inside.IsSampled() || carried.Len() > 0 {
		t.Errorf("a trace that is not sampled: inside %v, baggage %v", inside, carried)
	}
	var all metricdata.ResourceMetrics
	if err := meters.Collect(t.Context(), &all); err != nil || len(all.ScopeMetrics) != 1 || len(all.ScopeMetrics[0].Metrics) < 3 {
		t.Errorf("measurements: %+v, %v", all, err)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, o := range []otel.Option{nil, otel.WithTracerProvider(nil), otel.WithMeterProvider(nil)} {
		if observer, err := otel.New(o); observer != nil || err == nil {
			t.Errorf("New returns %v, %v", observer, err)
		}
	}
}
