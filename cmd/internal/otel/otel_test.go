// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolvet/toolvet/telemetry"
)

const (
	traceID     = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentID    = "00f067aa0ba902b7"
	traceparent = "00-" + traceID + "-" + parentID + "-01"
)

// A receiver accepts OTLP over HTTP.
type receiver struct {
	mu       sync.Mutex
	resource map[string]string
	spans    []*traces.Span
	metrics  map[string]*metrics.Metric
	paths    []string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{metrics: map[string]*metrics.Metric{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err == nil {
		err = r.take(request.URL.Path, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (r *receiver) take(path string, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = append(r.paths, path)
	switch path {
	case "/v1/traces":
		var sent collectortrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &sent); err != nil {
			return err
		}
		for _, resource := range sent.ResourceSpans {
			r.resource = values(resource.Resource.Attributes)
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	case "/v1/metrics":
		var sent collectormetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &sent); err != nil {
			return err
		}
		for _, resource := range sent.ResourceMetrics {
			for _, scope := range resource.ScopeMetrics {
				for _, m := range scope.Metrics {
					r.metrics[m.Name] = m
				}
			}
		}
	default:
		return errors.New("unknown path")
	}
	return nil
}

// values returns attributes as text, with lists joined by commas.
func values(list []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[a.Key] = v.StringValue
		case *common.AnyValue_ArrayValue:
			var parts []string
			for _, part := range v.ArrayValue.Values {
				parts = append(parts, part.GetStringValue())
			}
			out[a.Key] = strings.Join(parts, ",")
		}
	}
	return out
}

func newObserver(t *testing.T) *Observer {
	t.Helper()
	o, err := New(t.Context(), "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func shutdown(t *testing.T, o *Observer) {
	t.Helper()
	if err := o.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestExport(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	r := newReceiver(t)
	o := newObserver(t)
	_, span := o.Start(t.Context(), telemetry.Call{
		Server: "files", Tool: "read", Known: true, Point: "proxy", Request: "7", Session: "s", Protocol: "2025-11-25",
		Meta: map[string]any{"traceparent": traceparent, "tracestate": "rojo=1"},
	})
	if span.TraceID() != traceID {
		t.Errorf("trace %q, want that of the client", span.TraceID())
	}
	span.End(telemetry.Outcome{Verdict: "no-go", Codes: []string{"SEMANTIC", "POLICY"}, Checks: []string{"path"},
		Added: time.Millisecond, Redactions: map[string]int{"aws-key": 2}, Limits: []string{"per-minute"}})
	_, span = o.Start(t.Context(), telemetry.Call{Server: "files", Tool: "hunter2"})
	own := span.TraceID()
	span.End(telemetry.Outcome{Verdict: "go"})
	_, span = o.Start(t.Context(), telemetry.Call{Server: "off", Session: "\xff" + strings.Repeat("ü", 10_000)})
	span.End(telemetry.Outcome{Verdict: "observed"})
	shutdown(t, o)

	if len(r.spans) != 3 {
		t.Fatalf("%d spans", len(r.spans))
	}
	want := map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read", "toolvet.server": "files",
		"toolvet.point": "proxy", "jsonrpc.request.id": "7", "mcp.session.id": "s", "mcp.protocol.version": "2025-11-25",
		"toolvet.verdict": "no-go", "error.type": "tool_error", "toolvet.codes": "SEMANTIC,POLICY", "toolvet.checks": "path", "toolvet.limits": "per-minute",
	}
	first := r.spans[0]
	if diff := cmp.Diff(want, values(first.Attributes)); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if first.Name != "tools/call read" || first.Kind != traces.Span_SPAN_KIND_SERVER || first.Status.Code != traces.Status_STATUS_CODE_ERROR ||
		hexOf(first.TraceId) != traceID || hexOf(first.ParentSpanId) != parentID || first.TraceState != "rojo=1" {
		t.Errorf("span %v", first)
	}
	if second := r.spans[1]; second.Name != "tools/call" || values(second.Attributes)["gen_ai.tool.name"] != "" || len(second.ParentSpanId) != 0 ||
		hexOf(second.TraceId) != own || second.Status.GetCode() != traces.Status_STATUS_CODE_UNSET {
		t.Errorf("span of a tool that is not known: %v", second)
	}
	if third := values(r.spans[2].Attributes); !strings.HasPrefix(third["mcp.session.id"], "\ufffdü") || len(third["mcp.session.id"]) > 270 {
		t.Errorf("a session that is too long and no UTF-8: %q", third["mcp.session.id"])
	}
	if r.resource["service.name"] != "toolvet" || r.resource["service.version"] != "0.1.0" || r.resource["deployment.environment.name"] != "test" {
		t.Errorf("resource %v", r.resource)
	}
	wantMetrics(t, r)
}

func hexOf(id []byte) string {
	const digits = "0123456789abcdef"
	var out []byte
	for _, b := range id {
		out = append(out, digits[b>>4], digits[b&15])
	}
	return string(out)
}

func wantMetrics(t *testing.T, r *receiver) {
	t.Helper()
	calls := map[string]int64{}
	for _, p := range r.metrics["toolvet.calls"].GetSum().GetDataPoints() {
		v := values(p.Attributes)
		calls[strings.Join([]string{v["toolvet.server"], v["gen_ai.tool.name"], v["toolvet.verdict"], v["toolvet.code"]}, " ")] = p.GetAsInt()
	}
	if diff := cmp.Diff(map[string]int64{"files read no-go SEMANTIC": 1, "files  go ": 1, "off  observed ": 1}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	for name, want := range map[string]uint64{"mcp.server.operation.duration": 3, "toolvet.added.duration": 3} {
		points := r.metrics[name].GetHistogram().GetDataPoints()
		var count uint64
		for _, p := range points { // in any order
			count += p.Count
		}
		if count != want || r.metrics[name].Unit != "s" {
			t.Errorf("%s: %v, want a count of %d", name, points, want)
		}
	}
	for name, want := range map[string]int64{"toolvet.redactions": 2, "toolvet.limits": 1} {
		if points := r.metrics[name].GetSum().GetDataPoints(); len(points) != 1 || points[0].GetAsInt() != want {
			t.Errorf("%s: %v, want %d", name, points, want)
		}
	}
}

// TestParents: the client's trace is the parent, with a link to the transport's trace. Without it, the transport's
// trace is the parent.
func TestParents(t *testing.T) {
	r := newReceiver(t)
	o := newObserver(t)
	ctx, outer := o.Start(t.Context(), telemetry.Call{})
	_, both := o.Start(ctx, telemetry.Call{Meta: map[string]any{"traceparent": traceparent}})
	_, ambient := o.Start(ctx, telemetry.Call{Meta: map[string]any{"traceparent": "00-nonsense", "tracestate": 5}})
	_, huge := o.Start(t.Context(), telemetry.Call{Meta: map[string]any{"traceparent": traceparent, "tracestate": strings.Repeat("a=b,", 5000)}})
	var parents []string
	for _, s := range []telemetry.Span{both, ambient, huge, outer} {
		parents = append(parents, s.Traceparent())
		s.End(telemetry.Outcome{Verdict: "go"})
	}
	shutdown(t, o)
	if len(r.spans) != 4 {
		t.Fatalf("%d spans", len(r.spans))
	}
	for i, s := range r.spans {
		if want := "00-" + hexOf(s.TraceId) + "-" + hexOf(s.SpanId) + "-01"; parents[i] != want {
			t.Errorf("as a parent it is %s, want %s", parents[i], want)
		}
	}
	outerSpan := r.spans[3]
	if s := r.spans[0]; hexOf(s.TraceId) != traceID || len(s.Links) != 1 || !slices.Equal(s.Links[0].SpanId, outerSpan.SpanId) {
		t.Errorf("with both: %v", s)
	}
	if s := r.spans[1]; !slices.Equal(s.TraceId, outerSpan.TraceId) || !slices.Equal(s.ParentSpanId, outerSpan.SpanId) || len(s.Links) != 0 {
		t.Errorf("with that of the transport alone: %v", s)
	}
	if s := r.spans[2]; hexOf(s.TraceId) != traceID || s.TraceState != "" {
		t.Errorf("with a state that is too long: %v", s)
	}
}

// TestNobodyIsParent: a span that is not sent is no parent.
func TestNobodyIsParent(t *testing.T) {
	for name, value := range map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_TRACES_SAMPLER": "always_off"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			newReceiver(t)
			o := newObserver(t)
			defer shutdown(t, o)
			_, s := o.Start(t.Context(), telemetry.Call{Meta: map[string]any{"traceparent": traceparent}})
			if s.Traceparent() != "" || s.TraceID() != traceID {
				t.Errorf("parent %q of the trace %q", s.Traceparent(), s.TraceID())
			}
			s.End(telemetry.Outcome{})
		})
	}
}

func TestEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		want string // in the error, or the paths that are called
	}{
		"both":             {nil, "/v1/metrics /v1/traces"},
		"said":             {map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, "/v1/metrics /v1/traces"},
		"no traces":        {map[string]string{"OTEL_TRACES_EXPORTER": "none"}, "/v1/metrics"},
		"no metrics":       {map[string]string{"OTEL_METRICS_EXPORTER": "none"}, "/v1/traces"},
		"disabled":         {map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "zipkin"}, ""},
		"not sampled":      {map[string]string{"OTEL_TRACES_SAMPLER": "always_off"}, "/v1/metrics"},
		"unknown exporter": {map[string]string{"OTEL_METRICS_EXPORTER": "prometheus"}, "otel: OTEL_METRICS_EXPORTER must be otlp or none"},
		"unknown protocol": {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc"}, "otel: OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be http/protobuf"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t)
			for key, value := range tt.env {
				t.Setenv(key, value)
			}
			o, err := New(t.Context(), "0.1.0")
			if err != nil {
				if !strings.HasPrefix(err.Error(), tt.want) || tt.want == "" {
					t.Errorf("New: %v, want %s", err, tt.want)
				}
				return
			}
			_, span := o.Start(t.Context(), telemetry.Call{Meta: map[string]any{"traceparent": traceparent}})
			if span.TraceID() != traceID {
				t.Errorf("trace %q", span.TraceID())
			}
			span.End(telemetry.Outcome{Verdict: "go"})
			shutdown(t, o)
			slices.Sort(r.paths)
			if got := strings.Join(slices.Compact(r.paths), " "); got != tt.want {
				t.Errorf("sent to %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNobodyAnswers: no call waits for a hanging receiver, and Shutdown waits only until its context is done.
func TestNobodyAnswers(t *testing.T) {
	release := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	o := newObserver(t)
	for range 10_000 { // more than are kept
		_, span := o.Start(t.Context(), telemetry.Call{Server: "files"})
		span.End(telemetry.Outcome{Verdict: "go"})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := o.Shutdown(ctx); err == nil {
		t.Error("Shutdown says that all was sent")
	}
}

func BenchmarkCall(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	o, err := New(b.Context(), "0.1.0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = o.Shutdown(context.Background()) }()
	b.ReportAllocs()
	for b.Loop() {
		_, span := o.Start(b.Context(), telemetry.Call{Server: "files", Tool: "read", Known: true, Meta: map[string]any{"traceparent": traceparent}})
		span.End(telemetry.Outcome{Verdict: "go", Added: time.Millisecond})
	}
}
