// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/schedule"
)

// events records the alerts of a world, with the time since its start.
type events struct {
	mu   sync.Mutex
	list []string
}

func (e *events) config(c *schedule.Config) {
	c.Alert = func(_ context.Context, n *schedule.Notice) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.list = append(e.list, fmt.Sprintf("%s %s %s", n.Time.Format("2 15:04"), n.Name, n.Event))
		return nil
	}
}

func (e *events) expect(t *testing.T, want ...string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	slices.Sort(e.list) // alerts of different jobs have no order
	if diff := cmp.Diff(want, e.list); diff != "" {
		t.Errorf("alerts (-want +got):\n%s", diff)
	}
}

// TestAlertsOfRuns: each failure and success is told where a job asks for it, and none twice.
func TestAlertsOfRuns(t *testing.T) {
	t.Parallel()
	var e events
	inWorld(t, e.config, func(w *world) {
		w.create(schedule.Spec{Name: "quiet", Schedule: "every 10 minutes"})
		w.create(schedule.Spec{Name: "each", Schedule: "every 20 minutes", AlertFailure: true, AlertSuccess: true})
		w.create(schedule.Spec{Name: "retries", Schedule: "every 20 minutes", AlertFailure: true, Retries: 1})
		w.tool = func(context.Context) string {
			if at := time.Since(w.start); at > 30*time.Minute && at < 75*time.Minute {
				return "it broke"
			}
			return ""
		}
		w.serve(85 * time.Minute)
		e.expect(w.t,
			"1 00:20 each run.succeeded",
			"1 00:40 each job.failing", "1 00:40 quiet job.failing", "1 00:40 retries job.failing",
			"1 01:00 each run.failed", "1 01:00 retries run.failed",
			"1 01:20 each job.ok", "1 01:20 quiet job.ok", "1 01:20 retries job.ok")
	})
}

// TestLateAndLong: a run that does not begin in time, and one that takes long, are told once each. A cancelled or paused one is not.
func TestLateAndLong(t *testing.T) {
	t.Parallel()
	var e events
	inWorld(t, func(c *schedule.Config) { e.config(c); c.Workers = 1 }, func(w *world) {
		w.tool = func(ctx context.Context) string {
			select {
			case <-time.After(10 * time.Minute):
			case <-ctx.Done():
			}
			return ""
		}
		w.create(schedule.Spec{Name: "first", Schedule: "in 1 minute", AlertLong: schedule.Duration(4 * time.Minute), AlertLate: schedule.Duration(time.Minute), Timeout: schedule.Duration(time.Hour)})
		w.create(schedule.Spec{Name: "waits", Schedule: "in 2 minutes", AlertLate: schedule.Duration(3 * time.Minute), AlertLong: schedule.Duration(11 * time.Minute), Timeout: schedule.Duration(time.Hour)})
		w.create(schedule.Spec{Name: "silent", Schedule: "in 2 minutes", Timeout: schedule.Duration(time.Hour)})
		w.create(schedule.Spec{Name: "paused", Schedule: "in 121 seconds", AlertLate: schedule.Duration(time.Minute)})
		go func() {
			time.Sleep(150 * time.Second)
			if _, err := w.Pause(w.t.Context(), "paused"); err != nil {
				w.t.Error(err)
			}
		}()
		w.serve(40 * time.Minute)
		e.expect(w.t, "1 00:05 first run.long", "1 00:05 waits run.late")
	})
}

// TestReminders: as long as a job is not well, a reminder comes as often as it asks, also after a restart; a paused job has none.
func TestReminders(t *testing.T) {
	race.Skip(t) // two days of looks at the jobs
	t.Parallel()
	var e events
	inWorld(t, func(c *schedule.Config) { e.config(c); c.Poll = 30 * time.Second }, func(w *world) {
		w.create(schedule.Spec{Name: "sick", Schedule: "every day at 1am", AlertReminder: schedule.Duration(7 * time.Hour)})
		w.create(schedule.Spec{Name: "silent", Schedule: "every day at 1am"})
		w.tool = func(context.Context) string {
			if time.Since(w.start) < 20*time.Hour {
				return "it broke"
			}
			return ""
		}
		w.serve(8 * time.Hour)
		w.serve(10 * time.Hour)
		w.serve(20 * time.Hour)
		e.expect(w.t, "1 01:00 sick job.failing", "1 01:00 silent job.failing", "1 08:00 sick job.reminder", "1 15:00 sick job.reminder",
			"1 22:00 sick job.reminder", "2 01:00 sick job.ok", "2 01:00 silent job.ok")
	})
}

// TestAlertFieldsAreChecked refuses what nobody could tell.
func TestAlertFieldsAreChecked(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		for _, s := range []schedule.Spec{{AlertLate: schedule.Duration(time.Second)}, {AlertLong: -1}, {AlertReminder: schedule.Duration(400 * 24 * time.Hour)}} {
			s.Name, s.Tool, s.Schedule = "x", "files:read", "@daily"
			if p, err := w.Propose(w.t.Context(), s, nil, schedule.How{}); err == nil || p.Valid {
				w.t.Errorf("%+v is accepted", s)
			}
		}
	})
}
