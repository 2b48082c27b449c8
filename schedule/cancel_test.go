// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// TestCancel: a run that waits ends at once, and one under way soon. Neither says anything about the job's health.
func TestCancel(t *testing.T) {
	t.Parallel()
	inWorld(t, func(c *schedule.Config) { c.Poll = 500 * time.Millisecond }, func(w *world) {
		w.tool = func(ctx context.Context) string { <-ctx.Done(); return "" }
		w.create(schedule.Spec{Schedule: "in 1 minute", Timeout: schedule.Duration(time.Hour)})
		var under, ended time.Duration
		time.AfterFunc(5*time.Minute, func() {
			waits, err := w.Trigger(w.t.Context(), "job")
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := w.Cancel(w.t.Context(), waits.ID); err != nil || got.State != schedule.Cancelled {
				t.Errorf("a run that waits: %+v, %v", got, err)
			}
			list, err := w.Runs(w.t.Context(), schedule.RunFilter{State: schedule.Running})
			if err != nil || len(list) != 1 {
				t.Errorf("running are %v, %v", list, err)
				return
			}
			under = time.Since(w.start)
			if got, err := w.Cancel(w.t.Context(), list[0].ID); err != nil || got.State != schedule.Running {
				t.Errorf("a run under way: %+v, %v", got, err)
			}
			time.Sleep(2 * time.Second)
			got, err := w.GetRun(w.t.Context(), list[0].ID)
			if err != nil || got.State != schedule.Cancelled || got.Reason == "" {
				t.Errorf("it becomes %+v, %v", got, err)
				return
			}
			ended = got.Ended.Sub(w.start)
			if _, err := w.Cancel(w.t.Context(), got.ID); err == nil {
				t.Error("a run that has ended can be cancelled")
			}
		})
		w.serve(6 * time.Minute)
		if took := ended - under; took < 0 || took > time.Second {
			t.Errorf("it ended after %s", took)
		}
		if j := w.job("job"); j.Health.Status != schedule.Healthy || j.State != schedule.Completed || len(w.alerts) > 0 {
			t.Errorf("the job is %s, %+v; alerts %q", j.State, j.Health, w.alerts)
		}
	})
}

// TestReplay repeats a run that failed, and none that has not ended.
func TestReplay(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.tool = func(context.Context) string { return "broken" }
		w.create(schedule.Spec{Schedule: "in 1 minute"})
		w.serve(2 * time.Minute)
		list, err := w.Runs(w.t.Context(), schedule.RunFilter{Job: "job"})
		if err != nil || len(list) != 1 || list[0].State != schedule.RunFailed {
			t.Fatalf("the runs are %v, %v", list, err)
		}
		w.tool = nil
		again, err := w.Replay(w.t.Context(), list[0].ID)
		if err != nil || again.Replays != list[0].ID || again.Kind != "trigger" {
			t.Fatalf("the replay is %+v, %v", again, err)
		}
		if _, err := w.Replay(w.t.Context(), again.ID); err == nil {
			t.Error("a run that has not ended can be repeated")
		}
		if _, err := w.Replay(w.t.Context(), "nobody"); !errors.Is(err, schedule.ErrNotFound) {
			t.Errorf("a replay of nothing: %v", err)
		}
		w.serve(time.Minute)
		w.want("runs", w.runs(), "1m0s:failed:1 2m0s:succeeded:1")
		if j := w.job("job"); j.Health.Status != schedule.Healthy {
			t.Errorf("the job is %+v", j.Health)
		}
	})
}
