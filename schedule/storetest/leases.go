// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

var leasePromises = []promise{
	{"work takes a lease", leased},
	{"a lease ends", leaseEnds},
	{"workers are listed while their leases last", workers},
	{"a live worker keeps its runs", liveWorker},
	{"the runs of the dead go on", takeOver},
	{"runs are fenced by worker", fencedByWorker},
	{"runs are fenced by attempt", fencedByAttempt},
	{"a run ends once", endsOnce},
	{"the run of a deleted job is lost", finishDeleted},
	{"a run that must not run twice is lost", atMostOnce},
	{"a run that kills its workers is lost", maxAttempts},
	{"a lease of a clock that was set back", longLease},
}

// attempts is the number of times that a run of the tests is begun.
const attempts = 10

func leased(w *world) {
	r := w.add(w.create("job"), now)
	_, err := w.Claim(w.Context(), "w", now, room(1))
	w.want("a claim without a lease", err, schedule.ErrLost)
	w.want("a heartbeat without a lease", w.beat("w", time.Hour, false), schedule.ErrLost)
	w.want("leaving without a lease", w.Leave(w.Context(), "w"), nil)
	w.enlist("w")
	w.want("a heartbeat", w.beat("w", time.Hour, false), nil)
	w.bury("w", w.nothingLost)
	_, err = w.Claim(w.Context(), "w", now, room(1)) // it may have slept, and not know
	w.want("a claim of a worker that was buried", err, schedule.ErrLost)
	w.want("a heartbeat of a worker that was buried", w.beat("w", time.Hour, false), schedule.ErrLost)
	if got := w.run(r); got.State != schedule.Queued || got.Attempt != 0 {
		w.Errorf("the run is %+v", got)
	}
}

func workers(w *world) {
	want := func(when, want string) {
		w.Helper()
		list, err := w.open().Workers(w.Context())
		w.must(err)
		if got := names(list, func(w *schedule.Worker) string { return w.ID }); got != want {
			w.Errorf("%s: the workers are %q, want %q", when, got, want)
		}
	}
	want("without a worker", "")
	said := schedule.Worker{ID: "w", Started: now, Servers: []string{"files", "mail"}, Policy: "p", Since: seconds(-9), Skew: schedule.Duration(-time.Minute)}
	began := time.Now().Truncate(time.Millisecond)
	w.must(w.Heartbeat(w.Context(), &said, time.Hour, true))
	w.enlist("a")
	want("with workers", "a w")
	said.Servers, said.Policy = []string{}, "q"
	w.must(w.Heartbeat(w.Context(), &said, time.Hour, false))
	list, err := w.Workers(w.Context())
	w.must(err)
	got := *list[1]
	if got.Seen.Before(began) || got.Seen.After(time.Now()) {
		w.Errorf("the worker was seen at %v, want after %v", got.Seen, began)
	}
	got.Seen = time.Time{}
	w.same("the worker", got, said)
	w.must(w.Leave(w.Context(), "w"))
	want("after one left", "a")
	w.must(w.beat("dead", -time.Hour, true))
	want("after a lease is over", "a")
}

// leaseEnds waits for the store's own clock.
func leaseEnds(w *world) {
	r := w.add(w.create("job"), now)
	w.must(w.beat("dead", 20*time.Millisecond, true))
	w.one("dead")
	for deadline := time.Now().Add(time.Minute); w.run(r).State == schedule.Running; time.Sleep(5 * time.Millisecond) {
		w.must(w.TakeOver(w.Context(), now, time.Hour, attempts, w.nothingLost))
		if time.Now().After(deadline) {
			w.Fatal("the lease does not end")
		}
	}
}

func liveWorker(w *world) {
	w.add(w.create("job"), now)
	w.enlist("alive")
	w.enlist("dead")
	c := w.one("alive")
	w.bury("dead", w.nothingLost)
	if got := w.run(c.Run); got.State != schedule.Running || got.Worker != "alive" {
		w.Errorf("the run of a worker that is alive becomes %+v", got)
	}
	w.must(w.finish(c, schedule.Succeeded))
}

func takeOver(w *world) {
	j := w.create("job")
	r := w.add(j, seconds(-9), exclusive)
	w.enlist("dead")
	w.enlist("alive")
	w.one("dead")
	w.bury("dead", w.nothingLost)
	if got := w.run(r); got.State != schedule.Queued || !got.Ready.Equal(now) || got.Attempt != 1 {
		w.Errorf("the run is handed on as %+v", got)
	}
	if c := w.one("alive"); c.Run.ID != r.ID || c.Run.Attempt != 2 || !c.Run.Exclusive {
		w.Errorf("the run goes on as %+v", c.Run)
	}
}

// stale tries everything that a worker could do to a run of its successor, and checks that nothing changes.
func (w *world) stale(c schedule.Claim) {
	w.Helper()
	stored, job := w.run(c.Run), w.job(c.Job)
	mine := *c.Run
	mine.Progress, mine.Reason = &schedule.Progress{Done: 9}, "stale"
	w.want("progress of a run that was lost", w.Progress(w.Context(), &mine), nil)
	for _, state := range []schedule.RunState{schedule.Succeeded, schedule.Queued} {
		mine.State, mine.Ended = state, now
		err := w.Finish(w.Context(), &mine, func(j *schedule.Job, _ int) {
			j.Description = "stale"
			j.Alerts = append(j.Alerts, newAlert(j, "stale", now))
		})
		w.want(fmt.Sprintf("ending a run that was lost as %s", state), err, schedule.ErrLost)
	}
	w.same("the run", w.run(c.Run), stored)
	w.same("its job", w.job(c.Job), job)
	if got := w.alertIDs(); got != "" {
		w.Errorf("the alert %s is stored", got)
	}
}

func fencedByWorker(w *world) {
	w.add(w.create("job"), now)
	w.enlist("dead")
	old := w.one("dead")
	w.bury("dead", w.nothingLost)
	w.stale(old) // nobody has it
	w.enlist("alive")
	c := w.one("alive")
	w.stale(old)
	old.Run.Attempt = c.Run.Attempt
	w.stale(old)
	w.must(w.finish(c, schedule.Succeeded))
	w.stale(old)
}

// fencedByAttempt has one worker lose a run and claim it once more.
func fencedByAttempt(w *world) {
	w.add(w.create("job"), now)
	w.enlist("w")
	old := w.one("w")
	w.bury("w", w.nothingLost)
	w.enlist("w")
	c := w.one("w")
	w.stale(old)
	w.must(w.finish(c, schedule.Succeeded))
}

func endsOnce(w *world) {
	w.add(w.create("job"), now)
	w.enlist("w")
	c := w.one("w")
	w.must(w.finish(c, schedule.Succeeded))
	w.stale(c)
}

func finishDeleted(w *world) {
	j := w.create("job")
	w.add(j, now)
	w.enlist("w")
	c := w.one("w")
	w.must(w.DeleteJob(w.Context(), j.ID))
	w.want("progress", w.Progress(w.Context(), c.Run), nil)
	w.want("ending", w.finish(c, schedule.Succeeded), schedule.ErrLost)
	_, err := w.Run(w.Context(), c.Run.ID)
	w.want("the run", err, schedule.ErrNotFound)
	w.bury("w", w.nothingLost)
}

// losing completes runs that are lost, and counts them by job.
func (w *world) losing(wantOpen int) (lost func(*schedule.Job, *schedule.Run, int), ids func() string) {
	var list []string
	return func(j *schedule.Job, r *schedule.Run, open int) {
		if open != wantOpen || r.State != schedule.Lost || r.Job != j.ID {
			w.Errorf("lost is %+v of %s with %d open runs, want %d", r, j.Name, open, wantOpen)
		}
		r.Reason, j.Health.Status = "lost", schedule.Failing
		j.Alerts = append(j.Alerts, newAlert(j, "lost", now))
		list = append(list, r.ID)
	}, func() string { return names(list, func(id string) string { return id }) }
}

func atMostOnce(w *world) {
	j := w.create("once", func(j *schedule.Job) { j.AtMostOnce = true })
	r := w.add(j, now)
	w.add(j, seconds(9))
	w.enlist("dead")
	old := w.one("dead")
	lost, ids := w.losing(1)
	w.bury("dead", lost)
	w.same("lost", ids(), r.ID)
	if got := w.run(r); got.State != schedule.Lost || got.Reason != "lost" || !got.Ended.Equal(now) {
		w.Errorf("it is stored as %+v", got)
	}
	if got := w.job(j); got.Health.Status != schedule.Failing {
		w.Errorf("its job is stored as %+v", got)
	}
	w.same("alerts", w.alertIDs(), "lost")
	w.enlist("alive")
	if list := w.claim("alive", 10); len(list) > 0 {
		w.Errorf("it is claimed again: %+v", list[0].Run)
	}
	w.want("ending it", w.finish(old, schedule.Succeeded), schedule.ErrLost)
}

func maxAttempts(w *world) {
	r := w.add(w.create("job"), now)
	lost, ids := w.losing(0)
	for i := range attempts {
		if got := ids(); got != "" {
			w.Fatalf("it is lost after %d attempts", i)
		}
		worker := fmt.Sprint("worker ", i)
		w.enlist(worker)
		w.one(worker)
		w.bury(worker, lost)
	}
	w.same("lost", ids(), r.ID)
	if got := w.run(r); got.State != schedule.Lost || got.Attempt != attempts {
		w.Errorf("it is stored as %+v", got)
	}
}

// longLease has a worker die whose lease seems to last for hours.
func longLease(w *world) {
	r := w.add(w.create("job"), now)
	w.must(w.beat("dead", 6*time.Hour, true))
	w.one("dead")
	for deadline := time.Now().Add(time.Minute); w.run(r).State == schedule.Running; time.Sleep(5 * time.Millisecond) {
		// A lease that is over lets a store do nothing at all where none is.
		w.must(w.beat(jobspec.NewID(time.Now()), 0, true))
		w.must(w.TakeOver(w.Context(), now, 10*time.Millisecond, attempts, w.nothingLost))
		if time.Now().After(deadline) {
			w.Fatal("the run stays the dead worker's")
		}
	}
}
