// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

var errAway = errors.New("the server is not available")

// TestAway: a server that stays away for two rechecks changes the health of its jobs once, and its return is told.
func TestAway(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "every day at 2am"})
		w.down = errAway
		health := func() schedule.Status { return w.job("job").Health.Status }
		var seen []schedule.Status
		for _, after := range []time.Duration{29 * time.Minute, 31 * time.Minute, 76 * time.Minute} {
			time.AfterFunc(after, func() { seen = append(seen, health()) })
		}
		time.AfterFunc(70*time.Minute, func() { w.set(func() { w.down = nil }) })
		w.serve(100 * time.Minute)
		if seen[0] != schedule.Healthy || seen[1] != schedule.Unavailable || seen[2] != schedule.Healthy {
			t.Errorf("the health is %q", seen)
		}
		if len(w.alerts) != 2 || !strings.HasPrefix(w.alerts[0], "job unavailable: its call cannot be judged since 2000-01-01 00:00:00 UTC") || w.alerts[1] != "job ok: " {
			t.Errorf("alerts: %q", w.alerts)
		}
		list, err := w.List(w.t.Context(), schedule.JobFilter{Health: schedule.Unavailable})
		if err != nil || len(list) != 0 {
			t.Errorf("%d jobs are unavailable still, %v", len(list), err)
		}
	})
}

// TestAwayFar: the health of a job changes in time although its next run is far away.
func TestAwayFar(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "2000-02-01T00:00:00Z"})
		time.AfterFunc(time.Minute, func() { w.set(func() { w.down = errAway }) })
		time.AfterFunc(40*time.Minute, func() { w.set(func() { w.down = nil }) })
		w.serve(time.Hour)
		if len(w.alerts) != 2 || !strings.HasPrefix(w.alerts[0], "job unavailable: ") || w.alerts[1] != "job ok: " {
			t.Errorf("alerts: %q", w.alerts)
		}
	})
}

// TestAwayBriefly: neither many validations of a server that is briefly away, nor two separate absences with no scheduler
// between them, are a server that stays away.
func TestAwayBriefly(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "2000-02-01T00:00:00Z"})
		w.down = errAway
		for range 20 {
			if v, err := schedule.Inside(w.Scheduler).Check(w.t.Context(), w.job("job")); err != nil || v.Unjudged.IsZero() {
				t.Fatal(v, err)
			}
			time.Sleep(time.Minute)
		}
		time.Sleep(3 * time.Hour) // nothing serves
		if v, err := schedule.Inside(w.Scheduler).Check(w.t.Context(), w.job("job")); err != nil || v.Unjudged.IsZero() {
			t.Fatal(v, err)
		}
		if j := w.job("job"); j.Health.Status != schedule.Healthy || !j.Verdict.Unjudged.Equal(w.start.Add(200*time.Minute)) {
			t.Errorf("the health is %+v, unjudged since %s", j.Health, j.Verdict.Unjudged)
		}
		w.down = nil
		if _, err := schedule.Inside(w.Scheduler).Check(w.t.Context(), w.job("job")); err != nil || !w.job("job").Verdict.Unjudged.IsZero() {
			t.Errorf("a verdict after it returned: %+v, %v", w.job("job").Verdict, err)
		}
	})
}

// TestAwayFailing: a failure stays the news of a job whose server is away afterwards.
func TestAwayFailing(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		j := w.create(schedule.Spec{Schedule: "every 3 hours"})
		w.down = errAway
		w.serve(5 * time.Hour)
		if got := w.job(j.ID).Health.Status; got != schedule.Failing || len(w.alerts) != 2 {
			t.Errorf("the health is %s, alerts %q", got, w.alerts)
		}
	})
}

// TestServerAway: an unavailable server causes no verdict, and a run is tried again.
func TestServerAway(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "in 10 minutes", Retries: 2, Backoff: schedule.Duration(time.Minute)})
		w.down = errors.New("the server is not available")
		time.AfterFunc(690*time.Second, func() { w.set(func() { w.down = nil }) })
		w.serve(20 * time.Minute)
		w.want("runs", w.runs(), "10m0s:succeeded:3")
		w.want("alerts", strings.Join(w.alerts, "\n"), "")
	})
}
