// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/schedule"
)

// TestOwnersApart: an owner cannot find the jobs and runs of others.
func TestOwnersApart(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		ctx := w.t.Context()
		w.session = &call.Session{Subject: "ann"}
		anns := w.create(schedule.Spec{Schedule: "every hour"})
		w.session = &call.Session{Subject: "bob"}
		w.create(schedule.Spec{Schedule: "every hour"}) // of the same name
		run := w.triggerPaused(anns.ID)
		ann, bob, eve := w.Of("ann"), w.Of("bob"), w.Of("eve")
		if j, err := ann.Get(ctx, "job"); err != nil || j.ID != anns.ID {
			t.Errorf("Ann's job is %v, %v", j, err)
		}
		for who, s := range map[string]*schedule.Scheduler{"bob": bob, "eve": eve} {
			ids, own := []string{anns.ID}, 1
			if who == "eve" {
				ids, own = append(ids, "job"), 0
			}
			for _, id := range ids {
				for what, do := range asked(ctx, s, anns, id, run) {
					if err := do(); !errors.Is(err, schedule.ErrNotFound) {
						t.Errorf("%s: %s of Ann's job: %v", who, what, err)
					}
				}
			}
			if list, err := s.List(ctx, schedule.JobFilter{}); err != nil || len(list) != own {
				t.Errorf("%s lists %d jobs, %v", who, len(list), err)
			}
		}
		if err := ann.Delete(ctx, "job"); err != nil {
			t.Error(err)
		}
		if _, err := bob.Get(ctx, "job"); err != nil {
			t.Errorf("Bob's job is gone with Ann's: %v", err)
		}
	})
}

// triggerPaused triggers a job and pauses it.
func (w *world) triggerPaused(id string) *schedule.Run {
	w.t.Helper()
	run, err := w.Trigger(w.t.Context(), id)
	if err == nil {
		_, err = w.Pause(w.t.Context(), id)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return run
}

// ownerless are the methods without a job in their question, and the reasons why they need not keep owners apart.
var ownerless = map[string]string{
	"Scheduler.Create": "what it makes is the session's", "inside.CreateManaged": "what it makes is the session's", "Scheduler.Propose": "judges what is not there yet", "inside.Validate": "judges what is not there yet",
	"Scheduler.Of": "narrows", "Scheduler.Serve": "the engine", "Scheduler.Inside": "its methods stand beside", "inside.Tune": "sets", "inside.Recheck": "the engine: it tells nothing",

	"Store.CreateJob": "what it makes is the session's", "Store.AddRun": "Trigger has found the job",
	"Store.Fire": "the engine", "Store.Claim": "the engine", "Store.Finish": "the engine", "Store.Progress": "the engine", "Store.Heartbeat": "the engine",
	"Store.Leave": "the engine", "Store.TakeOver": "the engine", "Store.NextAt": "the engine", "Store.Checks": "the engine", "Store.CheckSoon": "the engine",
	"Store.SetBack": "the engine", "Store.Zones": "the engine", "Store.Servers": "the engine", "Store.Workers": "tells nothing of jobs", "inside.Workers": "tells nothing of jobs", "Store.Now": "tells nothing of jobs", "Store.ToCancel": "the engine", "Store.Backlog": "counts alone, for metrics", "inside.Backlog": "counts alone, for metrics", "Store.Prune": "the engine", "Store.Alerts": "the engine", "Store.Told": "the engine", "Store.AlertsSince": "the engine; doors choose by the alert's owner",
	"Store.Close": "whoever has opened it",
}

// TestOwnersEverywhere makes sure that somebody has thought about the owners for every method. A new method must be
// in asked, for TestOwnersApart, or in ownerless.
func TestOwnersEverywhere(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.session = &call.Session{Subject: "ann"}
		ann, known := w.Of("ann"), map[string]bool{}
		for name := range asked(w.t.Context(), ann, new(schedule.Job), "", new(schedule.Run)) {
			j := w.create(schedule.Spec{Name: name, Schedule: "every hour"})
			run := w.triggerPaused(name)
			if err := asked(w.t.Context(), ann, j, name, run)[name](); err != nil {
				t.Errorf("%s finds nothing of Ann's for herself: %v", name, err)
			}
			known[name] = true
		}
		for name := range ownerless {
			known[name] = true
		}
		for _, of := range []reflect.Type{reflect.TypeFor[*schedule.Scheduler](), reflect.TypeFor[schedule.Store](), reflect.TypeOf(w.Inside())} {
			typ := of.Name()
			if of.Kind() == reflect.Pointer {
				typ = of.Elem().Name()
			}
			for i := range of.NumMethod() {
				name := typ + "." + of.Method(i).Name
				if !known[name] {
					t.Errorf("%s: does it keep owners apart? It must be in asked, or in ownerless with the reason", name)
				}
				delete(known, name)
			}
		}
		for name := range known {
			t.Errorf("there is no %s", name)
		}
	})
}

// asked are the questions to a scheduler and its store about a job and a run, by method. The error is
// [schedule.ErrNotFound] if a question finds nothing.
func asked(ctx context.Context, s *schedule.Scheduler, j *schedule.Job, id string, run *schedule.Run) map[string]func() error {
	store := schedule.StoreOf(s)
	patch := []byte(`{"tags":["x"]}`)
	found := func(any bool, err error) error {
		if err == nil && !any {
			return schedule.ErrNotFound
		}
		return err
	}
	seen := func(list []*schedule.Job, err error) error {
		return found(slices.ContainsFunc(list, func(other *schedule.Job) bool { return other.ID == j.ID }), err)
	}
	counted := func(list []schedule.Count, err error) error { // nobody else has a paused job
		return found(slices.ContainsFunc(list, func(c schedule.Count) bool { return c.State == schedule.Paused }), err)
	}
	return map[string]func() error{
		"inside.Check":     func() error { _, err := schedule.Inside(s).Check(ctx, j); return err },
		"Scheduler.Cancel": func() error { _, err := s.Cancel(ctx, run.ID); return err },
		"Scheduler.Replay": func() error {
			_, err := s.Replay(ctx, run.ID)
			if !errors.Is(err, schedule.ErrNotFound) {
				return nil // the run has not ended
			}
			return err
		},
		"Store.Cancel": func() error {
			_, err := store.Cancel(ctx, run.ID, "why", run.Fire, func(*schedule.Job, int) {})
			return err
		},
		"Scheduler.Delete":     func() error { return s.Delete(ctx, id) },
		"Scheduler.Get":        func() error { _, err := s.Get(ctx, id); return err },
		"Scheduler.GetRun":     func() error { _, err := s.GetRun(ctx, run.ID); return err },
		"Scheduler.Pause":      func() error { _, err := s.Pause(ctx, id); return err },
		"inside.ProposeUpdate": func() error { _, err := schedule.Inside(s).ProposeUpdate(ctx, id, patch, schedule.How{}); return err },
		"inside.Manage":        func() error { _, err := schedule.Inside(s).Manage(ctx, id, "label"); return err },
		"Scheduler.Resume":     func() error { _, err := s.Resume(ctx, id); return err },
		"Scheduler.Runs":       func() error { _, err := s.Runs(ctx, schedule.RunFilter{Job: id}); return err },
		"Scheduler.Trigger":    func() error { _, err := s.Trigger(ctx, id); return err },
		"Scheduler.Update":     func() error { _, _, err := s.Update(ctx, id, patch, schedule.How{}); return err },
		"Scheduler.List":       func() error { return seen(s.List(ctx, schedule.JobFilter{Owner: &j.Owner.Subject})) },
		"inside.Counts":        func() error { return counted(schedule.Inside(s).Counts(ctx, &j.Owner.Subject)) },

		"Store.Counts":    func() error { return counted(store.Counts(ctx, &j.Owner.Subject)) },
		"Store.DeleteJob": func() error { return store.DeleteJob(ctx, id) },
		"Store.Jobs":      func() error { return seen(store.Jobs(ctx, schedule.JobFilter{Owner: &j.Owner.Subject})) },
		"Store.Job":       func() error { _, err := store.Job(ctx, id); return err },
		"Store.Run":       func() error { _, err := store.Run(ctx, run.ID); return err },
		"Store.UpdateJob": func() error {
			_, err := store.UpdateJob(ctx, id, func(*schedule.Job) error { return nil })
			return err
		},
		"Store.Runs": func() error {
			list, err := store.Runs(ctx, schedule.RunFilter{Job: j.ID, Owner: &j.Owner.Subject})
			return found(len(list) > 0, err)
		},
	}
}

// TestAlertsAreToldUntilHeard: an alert that could not be delivered is delivered later, even by the next process, and
// in order.
func TestAlertsAreToldUntilHeard(t *testing.T) {
	race.Skip(t)
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
