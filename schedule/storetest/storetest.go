// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package storetest tests implementations of [schedule.Store]. Call [Run] from a test of the
// implementation:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB) func() schedule.Store {
//			file := filepath.Join(t.TempDir(), "jobs.db")
//			return func() schedule.Store { return open(t, file) }
//		})
//	}
//
// The tests cover well-behaved callers. An implementation needs tests of its own for failures of its database and for
// crashes.
package storetest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// Run runs one subtest for each promise of [schedule.Store], in parallel. Each calls empty for a new, empty store. The
// function that empty returns opens the store once more, as another process would; empty also arranges for
// what was opened to be closed.
func Run(t *testing.T, empty func(t testing.TB) (open func() schedule.Store)) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.hold(newWorld(t, empty(t)))
		})
	}
}

// A promise is one test.
type promise struct {
	name string
	hold func(*world)
}

var promises = slices.Concat(jobPromises, runPromises, queuePromises, capacityPromises, cancelPromises, leasePromises, alertPromises, upkeepPromises)

// A world is a store under test.
type world struct {
	testing.TB
	schedule.Store
	open func() schedule.Store
}

func newWorld(t testing.TB, open func() schedule.Store) *world { return &world{t, open(), open} }

// now is the time of day in tests, for every method that takes one.
var now = time.Date(2026, time.November, 21, 9, 30, 0, 0, time.UTC)

func seconds(n int) time.Time { return now.Add(time.Duration(n) * time.Second) }

func newJob(name string, next time.Time) *schedule.Job {
	return &schedule.Job{
		ID: jobspec.NewID(now), Spec: schedule.Spec{Name: name, Tool: "files:read", Arguments: []byte(`{"path":"x"}`), Schedule: "@daily"},
		Canonical: "@daily", State: schedule.Active, Created: now, Updated: now, Next: next,
	}
}

// create stores a new job after prepare has changed it.
func (w *world) create(name string, prepare ...func(*schedule.Job)) *schedule.Job {
	w.Helper()
	j := newJob(name, now)
	for _, f := range prepare {
		f(j)
	}
	w.must(w.CreateJob(w.Context(), j))
	return j
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// want compares an error with one of package schedule, or nil.
func (w *world) want(what string, err, want error) {
	w.Helper()
	if !is(err, want) {
		w.Errorf("%s: the error is %v, want %v", what, err, want)
	}
}

// same compares two values as JSON.
func (w *world) same(what string, got, want any) {
	w.Helper()
	if g, t := text(w, got), text(w, want); g != t {
		w.Errorf("%s:\n got %s\nwant %s", what, g, t)
	}
}

func text(w *world, v any) string {
	w.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	w.must(err)
	return string(text)
}

// newRun makes a queued run of a job. Its id sorts by its fire time.
func newRun(j *schedule.Job, fire time.Time) *schedule.Run {
	return &schedule.Run{ID: jobspec.NewID(fire), Job: j.ID, Fire: fire, Kind: "schedule", State: schedule.Queued, Ready: fire}
}

// add stores a queued run of a job.
func (w *world) add(j *schedule.Job, fire time.Time, prepare ...func(*schedule.Run)) *schedule.Run {
	w.Helper()
	r := newRun(j, fire)
	for _, f := range prepare {
		f(r)
	}
	w.must(w.AddRun(w.Context(), r, 1000))
	return r
}

func exclusive(r *schedule.Run) { r.Exclusive = true }

// ended makes a run one that has ended.
func ended(state schedule.RunState) func(*schedule.Run) {
	return func(r *schedule.Run) { r.State, r.Ended = state, r.Fire }
}

// enlist gives a lease to a new worker.
func (w *world) enlist(worker string) {
	w.Helper()
	w.must(w.beat(worker, time.Hour, true))
}

// beat renews the lease of a worker that says nothing of itself.
func (w *world) beat(worker string, lease time.Duration, first bool) error {
	return w.Heartbeat(w.Context(), &schedule.Worker{ID: worker}, lease, first)
}

// room is a capacity of so many runs of each server.
func room(limit int) schedule.Capacity {
	return schedule.Capacity{Room: func(string, []*schedule.Worker) int { return limit }}
}

// claim claims runs that are ready now, so many of each server.
func (w *world) claim(worker string, limit int) []schedule.Claim {
	w.Helper()
	list, err := w.Claim(w.Context(), worker, now, room(limit))
	w.must(err)
	return list
}

// one claims the only run that is ready.
func (w *world) one(worker string) schedule.Claim {
	w.Helper()
	list := w.claim(worker, 10)
	if len(list) != 1 {
		w.Fatalf("%d runs are claimed, want one", len(list))
	}
	return list[0]
}

// finish ends a claimed run.
func (w *world) finish(c schedule.Claim, state schedule.RunState) error {
	c.Run.State, c.Run.Ended = state, now
	return w.Finish(w.Context(), c.Run, func(*schedule.Job, int) {})
}

// bury ends the lease of a worker and hands on its runs.
func (w *world) bury(worker string, lost func(*schedule.Job, *schedule.Run, int)) {
	w.Helper()
	w.must(w.Leave(w.Context(), worker))
	w.must(w.TakeOver(w.Context(), now, time.Hour, attempts, lost))
}

// nothingLost fails the test if a run is lost.
func (w *world) nothingLost(_ *schedule.Job, r *schedule.Run, _ int) {
	w.Errorf("a run is lost that may run again: %+v", r)
}

// job returns a job as it is stored.
func (w *world) job(j *schedule.Job) *schedule.Job {
	w.Helper()
	got, err := w.Job(w.Context(), j.ID)
	w.must(err)
	return got
}

// run returns a run as it is stored.
func (w *world) run(r *schedule.Run) *schedule.Run {
	w.Helper()
	got, err := w.Run(w.Context(), r.ID)
	w.must(err)
	return got
}

// jobs are the names of the jobs that a filter chooses.
func (w *world) jobs(f schedule.JobFilter) string {
	w.Helper()
	list, err := w.Jobs(w.Context(), f)
	w.must(err)
	return jobNames(list)
}

func jobNames(list []*schedule.Job) string {
	return names(list, func(j *schedule.Job) string { return j.Name })
}

// names joins what a function says of the entries of a list.
func names[T any](list []T, name func(T) string) string {
	var all []string
	for _, v := range list {
		all = append(all, name(v))
	}
	return strings.Join(all, " ")
}
