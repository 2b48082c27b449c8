// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"time"

	"github.com/toolvet/toolvet/schedule"
)

var cancelPromises = []promise{
	{"a queued run is cancelled", cancelQueued},
	{"the worker of a running run is asked to end it", cancelRunning},
	{"a cancelled run does not go back into the queue", cancelledTwice},
	{"a cancelled run of a dead worker ends", cancelledDead},
	{"a run that has ended stays as it is", cancelEnded},
}

// cancelled cancels a run, and returns it as the method does. Want is the number of the job's other open runs, or -1 if the job must not
// change.
func (w *world) cancelled(r *schedule.Run, wantOpen int) *schedule.Run {
	w.Helper()
	open := -1
	got, err := w.Cancel(w.Context(), r.ID, "why", seconds(5), func(j *schedule.Job, n int) {
		open, j.Description = n, "changed"
	})
	w.must(err)
	if open != wantOpen {
		w.Errorf("the job has %d other open runs, want %d", open, wantOpen)
	}
	w.same("the run", got, w.run(r))
	return got
}

func cancelQueued(w *world) {
	_, err := w.Cancel(w.Context(), "nobody", "why", now, func(*schedule.Job, int) {})
	w.want("cancelling what is not there", err, schedule.ErrNotFound)
	j := w.create("job")
	first := w.add(j, seconds(-9), exclusive)
	second := w.add(j, seconds(-5), exclusive)
	got := w.cancelled(first, 1)
	if got.State != schedule.Cancelled || !got.Ended.Equal(seconds(5)) || got.Reason != "why" {
		w.Errorf("the run is %+v", got)
	}
	if got := w.job(j).Description; got != "changed" {
		w.Errorf("the job has the description %q", got)
	}
	w.enlist("w")
	if c := w.one("w"); c.Run.ID != second.ID {
		w.Errorf("claimed is %+v", c.Run)
	}
}

// asked are the runs that a worker is asked to end.
func (w *world) asked(worker string) string {
	w.Helper()
	list, err := w.ToCancel(w.Context(), worker)
	w.must(err)
	return names(list, func(id string) string { return id })
}

func cancelRunning(w *world) {
	j := w.create("job")
	r := w.add(j, seconds(-9))
	w.enlist("w")
	w.enlist("other")
	c := w.one("w")
	w.same("asked before", w.asked("w"), "")
	if got := w.cancelled(r, -1); got.State != schedule.Running {
		w.Errorf("the run is %+v", got)
	}
	w.same("asked", w.asked("w"), r.ID)
	w.same("asked of another", w.asked("other"), "")
	c.Run.Progress = &schedule.Progress{Done: 1}
	w.must(w.Progress(w.Context(), c.Run))
	w.same("asked after progress", w.asked("w"), r.ID)
	w.must(w.finish(c, schedule.Succeeded))
	w.same("asked after the end", w.asked("w"), "")
	if got := w.run(r); got.State != schedule.Succeeded {
		w.Errorf("a run that was done all the same is %+v", got)
	}
}

func cancelledTwice(w *world) {
	r := w.add(w.create("job"), seconds(-9))
	w.enlist("w")
	c := w.one("w")
	w.cancelled(r, -1)
	c.Run.State, c.Run.Ready = schedule.Queued, seconds(9)
	saw := schedule.RunState("")
	w.must(w.Finish(w.Context(), c.Run, func(*schedule.Job, int) { saw = c.Run.State }))
	if got := w.run(r); got.State != schedule.Cancelled || got.Ended.IsZero() || saw != schedule.Cancelled {
		w.Errorf("the run is %+v, and the job saw %s", got, saw)
	}
	w.same("asked", w.asked("w"), "")
}

func cancelledDead(w *world) {
	j := w.create("job")
	r := w.add(j, seconds(-9))
	next := w.add(j, seconds(-5), exclusive)
	w.enlist("dead")
	w.one("dead")
	w.cancelled(r, -1)
	saw := schedule.RunState("")
	w.bury("dead", func(_ *schedule.Job, r *schedule.Run, open int) { saw = r.State })
	if got := w.run(r); got.State != schedule.Cancelled || !got.Ended.Equal(now) || saw != schedule.Cancelled {
		w.Errorf("the run is %+v, and the job saw %s", got, saw)
	}
	w.enlist("w")
	if c := w.one("w"); c.Run.ID != next.ID {
		w.Errorf("claimed is %+v", c.Run)
	}
}

func cancelEnded(w *world) {
	r := w.add(w.create("job"), seconds(-9), ended(schedule.Succeeded))
	if got := w.cancelled(r, -1); got.State != schedule.Succeeded || got.Reason != "" {
		w.Errorf("the run is %+v", got)
	}
	again := w.add(w.create("other"), now.Add(time.Hour)) // not ready yet
	if got := w.cancelled(again, 0); got.State != schedule.Cancelled {
		w.Errorf("the run is %+v", got)
	}
	w.cancelled(again, -1)
}
