// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/telemetry"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	_, span := m.Start(t.Context(), telemetry.Call{Server: "files"})
	span.End(telemetry.Outcome{Verdict: "go"})
	scraped := httptest.NewRecorder()
	m.Handler().ServeHTTP(scraped, httptest.NewRequest("GET", "/metrics", nil))
	for _, name := range []string{"\ngo_goroutines ", "\nprocess_open_fds ", "\ntoolvet_calls_total{"} {
		if !strings.Contains(scraped.Body.String(), name) {
			t.Errorf("%q is not served", name)
		}
	}
}

// TestSchedule: the metrics of the scheduler are read for each scrape, and those that cannot be read are left out.
func TestSchedule(t *testing.T) {
	t.Parallel()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	var state *ScheduleState
	ran, err := m.Schedule(func(context.Context) (*ScheduleState, error) {
		if state == nil {
			return nil, errors.New("no store")
		}
		return state, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	scrape := func() string {
		scraped := httptest.NewRecorder()
		m.Handler().ServeHTTP(scraped, httptest.NewRequest("GET", "/metrics", nil))
		return scraped.Body.String()
	}
	if text := scrape(); strings.Contains(text, "\ntoolvet_schedule_workers") || !strings.Contains(text, "\ntoolvet_schedule_lag_seconds_count 0") {
		t.Errorf("without a store:\n%s", text)
	}
	state = &ScheduleState{Jobs: map[[2]string]int{{"active", "ok"}: 3, {"paused", "warned"}: 1}, Workers: 2, Due: 5, Running: 4, Late: 90 * time.Second}
	ran("succeeded", 20*time.Millisecond)
	ran("failed", -time.Millisecond)
	text := scrape()
	for _, want := range []string{
		`toolvet_schedule_jobs{health="ok",state="active"} 3`, `toolvet_schedule_jobs{health="warned",state="paused"} 1`, "toolvet_schedule_workers 2",
		"toolvet_schedule_due_runs 5", "toolvet_schedule_running_runs 4", "toolvet_schedule_late_seconds 90",
		`toolvet_schedule_runs_total{state="failed"} 1`, `toolvet_schedule_runs_total{state="succeeded"} 1`,
		`toolvet_schedule_lag_seconds_bucket{le="0.01"} 1`, `toolvet_schedule_lag_seconds_bucket{le="0.05"} 2`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("%s is missing:\n%s", want, text)
		}
	}
}
