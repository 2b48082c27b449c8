// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/toolvet/toolvet/record/telemetry"
)

// A served is metrics with a registry of their own.
type served struct {
	*Metrics
	registry *prometheus.Registry
}

func newMetrics(t testing.TB) *served {
	t.Helper()
	registry := prometheus.NewRegistry()
	m, err := New(WithRegisterer(registry))
	if err != nil {
		t.Fatal(err)
	}
	return &served{m, registry}
}

// scrape returns the lines about toolvet.
func scrape(t *testing.T, m *served) map[string]bool {
	t.Helper()
	server := httptest.NewServer(promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	defer server.Close()
	response, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", response.StatusCode, err, text)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "toolvet_") {
			lines[strings.TrimSpace(line)] = true
		}
	}
	return lines
}

func call(m *served, c telemetry.Call, o telemetry.Outcome) {
	_, span := m.Start(context.Background(), c)
	span.End(o)
}

func TestScrape(t *testing.T) {
	t.Parallel()
	m := newMetrics(t)
	known := telemetry.Call{Server: "files", Tool: "read", Known: true}
	call(m, known, telemetry.Outcome{Verdict: "go", Added: 70 * time.Microsecond, Redactions: map[string]int{"aws-key": 2, "none": 0}})
	call(m, known, telemetry.Outcome{Verdict: "go", Added: 2 * time.Millisecond})
	call(m, known, telemetry.Outcome{Verdict: "no-go", Codes: []string{"RATE_LIMIT", "OUTPUT"}, Limits: []string{"per-minute"}})
	call(m, telemetry.Call{Server: "files", Tool: "hunter2"}, telemetry.Outcome{Verdict: "no-go", Codes: []string{"SCHEMA"}})
	call(m, known, telemetry.Outcome{Verdict: "perhaps", Codes: []string{"hunter2"}})
	m.Checked(t.Context(), "path", 3*time.Millisecond)
	got := scrape(t, m)
	for _, want := range []string{
		`toolvet_calls_total{code="",server="files",tool="read",verdict="go"} 2`,
		`toolvet_calls_total{code="RATE_LIMIT",server="files",tool="read",verdict="no-go"} 1`,
		`toolvet_calls_total{code="SCHEMA",server="files",tool="other",verdict="no-go"} 1`,
		`toolvet_calls_total{code="other",server="files",tool="read",verdict="other"} 1`,
		`toolvet_added_latency_seconds_bucket{server="files",le="0.0001"} 4`,
		`toolvet_added_latency_seconds_count{server="files"} 5`,
		`toolvet_check_duration_seconds_bucket{check="path",le="0.001"} 0`,
		`toolvet_check_duration_seconds_bucket{check="path",le="0.005"} 1`,
		`toolvet_redactions_total{pattern="aws-key"} 2`,
		`toolvet_limits_total{limit="per-minute"} 1`,
	} {
		if !got[want] {
			t.Errorf("no line %s", want)
		}
	}
	for line := range got {
		if strings.Contains(line, "hunter2") || strings.Contains(line, `limit="none"`) {
			t.Errorf("the line %s is told", line)
		}
	}
}

// TestCardinality: no server, tool or limit can make an endless number of series.
func TestCardinality(t *testing.T) {
	t.Parallel()
	m := newMetrics(t)
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 3000 {
				call(m, telemetry.Call{Server: fmt.Sprint("s", i%5), Tool: fmt.Sprint("t", g, i), Known: true},
					telemetry.Outcome{Verdict: "go", Limits: []string{fmt.Sprint("l", i)}, Redactions: map[string]int{fmt.Sprint("r", i): 1}})
				call(m, telemetry.Call{Server: fmt.Sprint("many", i), Tool: "t", Known: true}, telemetry.Outcome{Verdict: "go"})
				m.Checked(context.Background(), fmt.Sprint("c", i), 0)
			}
		})
	}
	group.Wait()
	call(m, telemetry.Call{Server: "s\xff", Tool: strings.Repeat("x", maxName+1), Known: true}, telemetry.Outcome{Verdict: "go"})
	counts := map[string]int{}
	for line := range scrape(t, m) {
		name, _, _ := strings.Cut(line, "{")
		counts[name]++
	}
	for name, limit := range map[string]int{
		"toolvet_calls_total": m.tools.max + m.servers.max + 2, "toolvet_limits_total": m.policyLimits.max + 1,
		"toolvet_check_duration_seconds_count": m.checkNames.max + 1, "toolvet_added_latency_seconds_count": m.servers.max + 1,
	} {
		if counts[name] > limit || counts[name] < 100 {
			t.Errorf("%d series of %s, want at most %d", counts[name], name, limit)
		}
	}
}

func TestTraceID(t *testing.T) {
	t.Parallel()
	_, span := newMetrics(t).Start(t.Context(), telemetry.Call{Meta: map[string]any{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}})
	if span.TraceID() != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("trace %q", span.TraceID())
	}
}

func BenchmarkCall(b *testing.B) {
	m := newMetrics(b)
	b.ReportAllocs()
	for b.Loop() {
		call(m, telemetry.Call{Server: "files", Tool: "read", Known: true}, telemetry.Outcome{Verdict: "go", Added: time.Millisecond})
	}
}

// TestRegisterer: a registerer that cannot take all the metrics keeps none, and no option is taken for another.
func TestRegisterer(t *testing.T) {
	t.Parallel()
	first := newMetrics(t)
	if m, err := New(WithRegisterer(first.registry)); m != nil || err == nil {
		t.Errorf("the same metrics twice: %v, %v", m, err)
	}
	taken := prometheus.NewRegistry()
	taken.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "toolvet_policy_refused", Help: "Another."}))
	if m, err := New(WithRegisterer(taken)); m != nil || err == nil {
		t.Errorf("a name that is taken: %v, %v", m, err)
	}
	if all, err := taken.Gather(); err != nil || len(all) != 1 {
		t.Errorf("after the error %d metrics stay, %v", len(all), err)
	}
	for _, o := range []Option{nil, WithRegisterer(nil)} {
		if m, err := New(o); m != nil || err == nil {
			t.Errorf("a nil option: %v, %v", m, err)
		}
	}
}
