// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schedule"
)

// TestOwnersApart holds that to an owner the jobs and runs of others are not there.
func TestOwnersApart(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		ctx := w.t.Context()
		w.session = &call.Session{Subject: "ann"}
		anns := w.create(schedule.Spec{Schedule: "every hour"})
		w.session = &call.Session{Subject: "bob"}
		w.create(schedule.Spec{Schedule: "every hour"}) // of the same name
		run, err := w.Trigger(ctx, anns.ID)
		if err != nil {
			t.Fatal(err)
		}
		ann, bob, eve := w.Of("ann"), w.Of("bob"), w.Of("eve")
		if j, err := ann.Get(ctx, "job"); err != nil || j.ID != anns.ID {
			t.Errorf("Ann's job is %v, %v", j, err)
		}
		for who, s := range map[string]*schedule.Scheduler{"bob": bob, "eve": eve} {
			ids := []string{anns.ID}
			if who == "eve" {
				ids = append(ids, "job")
			}
			for _, id := range ids {
				for what, do := range map[string]func() error{
					"get":     func() error { _, err := s.Get(ctx, id); return err },
					"pause":   func() error { _, err := s.Pause(ctx, id); return err },
					"resume":  func() error { _, err := s.Resume(ctx, id); return err },
					"delete":  func() error { return s.Delete(ctx, id) },
					"trigger": func() error { _, err := s.Trigger(ctx, id); return err },
					"update":  func() error { _, _, err := s.Update(ctx, id, []byte(`{"tags":["x"]}`), schedule.How{}); return err },
					"propose": func() error { _, err := s.ProposeUpdate(ctx, id, []byte(`{"tags":["x"]}`), schedule.How{}); return err },
					"runs":    func() error { _, err := s.Runs(ctx, schedule.RunFilter{Job: id}); return err },
					"run":     func() error { _, err := s.GetRun(ctx, run.ID); return err },
				} {
					if err := do(); !errors.Is(err, schedule.ErrNotFound) {
						t.Errorf("%s: %s of Ann's job: %v", who, what, err)
					}
				}
			}
			own := 1
			if who == "eve" {
				own = 0
			}
			if list, err := s.List(ctx, schedule.JobFilter{}); err != nil || len(list) != own {
				t.Errorf("%s lists %d jobs, %v", who, len(list), err)
			}
			if counts, err := s.Counts(ctx, nil); err != nil || len(counts) != own {
				t.Errorf("%s counts %v, %v", who, counts, err)
			}
			if list, err := s.Runs(ctx, schedule.RunFilter{}); err != nil || len(list) != 0 {
				t.Errorf("%s lists %d runs, %v", who, len(list), err)
			}
		}
		if j, err := ann.Pause(ctx, "job"); err != nil || j.State != schedule.Paused {
			t.Errorf("Ann pauses her job: %v, %v", j, err)
		}
		if err := ann.Delete(ctx, "job"); err != nil {
			t.Error(err)
		}
		if _, err := bob.Get(ctx, "job"); err != nil {
			t.Errorf("Bob's job is gone with Ann's: %v", err)
		}
	})
}

// TestAlertsAreToldUntilHeard holds that an alert that cannot be told is told later, also by the next
// process, in the order of what happened.
func TestAlertsAreToldUntilHeard(t *testing.T) {
	t.Parallel()
	deaf := true
	var seen []schedule.Status
	var heard func(context.Context, *schedule.Notice) error
	change := func(c *schedule.Config) {
		heard = c.Alert
		c.Alert = func(ctx context.Context, n *schedule.Notice) error {
			if deaf {
				return errors.New("nobody is there")
			}
			return heard(ctx, n)
		}
		c.Seen = func(a schedule.Alert) { seen = append(seen, a.Status) }
		c.Poll = time.Second
	}
	inWorld(t, change, func(w *world) {
		w.create(schedule.Spec{Schedule: "every hour"})
		w.fault = "/data is gone"
		w.serve(61 * time.Minute)
		w.fault = ""
		w.serve(61 * time.Minute)
		w.want("alerts", strings.Join(w.alerts, "\n"), "")
		deaf = false
		w.serve(20 * time.Minute)
		w.want("alerts", strings.Join(w.alerts, "\n"), strings.Join([]string{
			"job warned: the run at 2000-01-01 01:00:00 UTC will be refused: /path: /data is gone",
			"job failing: the run was refused: /path: /data is gone",
			"job ok: ",
		}, "\n"))
		if len(seen) != 3 {
			t.Errorf("clients were told %v", seen)
		}
	})
}
