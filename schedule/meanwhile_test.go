// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/schedule"
)

// TestUpdateOfPaused: an update leaves a paused job paused, and the runs that it left out stay left out.
func TestUpdateOfPaused(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "every day at noon"})
		if _, err := w.Pause(w.t.Context(), "job"); err != nil {
			t.Fatal(err)
		}
		j, _, err := w.Update(w.t.Context(), "job", []byte(`{"schedule":"0 * * * *"}`), schedule.How{})
		if err != nil {
			t.Fatal(err)
		}
		if j.State != schedule.Paused || !j.Next.IsZero() {
			t.Errorf("the job is %s and runs next at %s", j.State, j.Next)
		}
		w.serve(90 * time.Minute)
		if _, err := w.Resume(w.t.Context(), "job"); err != nil {
			t.Fatal(err)
		}
		w.serve(time.Hour)
		w.want("runs", w.runs(), "2h0m0s:succeeded:1")
	})
}

// TestTriggeredTwice: a job runs twice if it is triggered twice at once.
func TestTriggeredTwice(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "every day at noon"})
		for range 2 {
			r, err := w.Trigger(w.t.Context(), "job")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.GetRun(w.t.Context(), r.ID); err != nil {
				t.Errorf("the run %s: %v", r.ID, err)
			}
		}
		w.serve(time.Minute)
		got := strings.Fields(w.runs())
		sortRuns(got)
		w.want("runs", strings.Join(got, " "), "0s:succeeded:1 1ms:succeeded:1")
	})
}

// TestManyMissed: a job catches up with its last times even if there are too many to count.
func TestManyMissed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"* * * * *":   "479h57m0s:missed:0 479h58m0s:succeeded:1 479h59m0s:succeeded:1",
		"* * 3 * * *": "459h59m57s:missed:0 459h59m58s:succeeded:1 459h59m59s:succeeded:1", // an hour each day
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(w *world) {
				w.create(schedule.Spec{Schedule: text, CatchUp: "all", CatchUpLimit: 2, Overlap: "queue", Until: w.start.Add(20*24*time.Hour - time.Minute)})
				time.Sleep(20*24*time.Hour + time.Minute)
				w.serve(time.Minute)
				got := strings.Fields(w.runs())
				sortRuns(got)
				w.want("runs", strings.Join(got, " "), want)
			})
		})
	}
}

// TestRecheckMeanwhile: Recheck during a validation causes another validation at once.
func TestRecheckMeanwhile(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "2000-02-01T00:00:00Z"})
		w.judged = func() {
			w.set(func() { w.fault, w.judged = "gone", nil })
			if err := schedule.Inside(w.Scheduler).Recheck(context.Background(), ""); err != nil {
				t.Error(err)
			}
		}
		if err := schedule.Inside(w.Scheduler).Recheck(w.t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		w.serve(5 * time.Minute)
		w.want("alerts", strings.Join(w.alerts, "\n"), "job warned: the run at 2000-02-01 00:00:00 UTC will be refused: /path: gone")
	})
}

// TestManyWait: at most a thousand runs of a job wait.
func TestManyWait(t *testing.T) {
	race.Skip(t) // a thousand transactions
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.set(func() { w.tool = func(ctx context.Context) string { <-ctx.Done(); return "" } })
		w.create(schedule.Spec{Schedule: "every second", Overlap: "queue", Timeout: schedule.Duration(24 * time.Hour)})
		w.serve(1005 * time.Second)
		list, err := w.Runs(w.t.Context(), schedule.RunFilter{State: schedule.Skipped})
		if err != nil || len(list) == 0 || !strings.Contains(list[0].Reason, "1000 runs before it had not ended") {
			t.Errorf("skipped are %v, %v", list, err)
		}
		if _, err := w.Trigger(w.t.Context(), "job"); !errors.Is(err, schedule.ErrTooMany) {
			t.Errorf("one more is triggered: %v", err)
		}
	})
}

// lease is by the store's clock, which is none of the bubble's.
const lease = time.Hour
