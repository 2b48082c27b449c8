// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"time"

	"github.com/toolvet/toolvet/schedule"
)

var runPromises = []promise{
	{"runs are kept whole", wholeRuns},
	{"a time fires once", uniqueRuns},
	{"a run takes the place of a missed one", missedRuns},
	{"a job has not too many open runs", tooMany},
	{"filters choose runs", runFilters},
	{"pages of runs", runPages},
	{"owners are kept apart", owners},
}

func wholeRuns(w *world) {
	j := w.create("job")
	r := w.add(j, now, func(r *schedule.Run) {
		r.State, r.Attempt, r.Worker, r.Started, r.Ended, r.Exclusive = schedule.Succeeded, 3, "w", seconds(1), seconds(2), true
		r.RunInfo = schedule.RunInfo{
			Reason: "why", Progress: &schedule.Progress{Done: 0.5, Total: 2}, Verdict: &schedule.Verdict{At: now, Valid: true, Warnings: []string{"a"}},
			Result: []byte(`{"text":"\u0000"}`), Truncated: 7,
		}
	})
	got := w.run(r)
	w.same("the run", got, r)
	if !got.Exclusive {
		w.Error("the run is not exclusive any more")
	}
	list, err := w.Runs(w.Context(), schedule.RunFilter{Brief: true})
	w.must(err)
	r.Result, r.Verdict = nil, nil
	w.same("brief runs", list, []*schedule.Run{r})
	_, err = w.Run(w.Context(), "nobody")
	w.want("a run that is not there", err, schedule.ErrNotFound)
}

func uniqueRuns(w *world) {
	j, other := w.create("job"), w.create("other")
	for i, state := range []schedule.RunState{schedule.Queued, schedule.Succeeded, schedule.Skipped} {
		first := w.add(j, seconds(i), func(r *schedule.Run) { r.State = state })
		again := newRun(j, first.Fire)
		w.want("a second run of this time", w.AddRun(w.Context(), again, 1000), schedule.ErrRunExists)
		_, err := w.Run(w.Context(), again.ID)
		w.want("reading it", err, schedule.ErrNotFound)
		w.same("the first run", w.run(first), first)
	}
	w.add(j, now, func(r *schedule.Run) { r.Kind = "trigger" })
	w.add(other, now)
	w.add(j, now.Add(time.Millisecond))
	gone := newRun(j, seconds(9))
	w.must(w.DeleteJob(w.Context(), j.ID))
	w.want("a run without its job", w.AddRun(w.Context(), gone, 1000), schedule.ErrNotFound)
}

func missedRuns(w *world) {
	j := w.create("job")
	missed := w.add(j, now, ended(schedule.Missed))
	w.want("missed again", w.AddRun(w.Context(), func() *schedule.Run { r := newRun(j, now); r.State = schedule.Missed; return r }(), 1000), schedule.ErrRunExists)
	r := w.add(j, now, exclusive)
	_, err := w.Run(w.Context(), missed.ID)
	w.want("the missed run", err, schedule.ErrNotFound)
	w.same("the run", w.run(r), r)
	w.enlist("w")
	if got := w.one("w"); got.Run.ID != r.ID || !got.Run.Exclusive {
		w.Errorf("claimed is %+v", got.Run)
	}
}

func tooMany(w *world) {
	j, other := w.create("job"), w.create("other")
	w.add(j, seconds(-3), ended(schedule.Succeeded))
	w.add(j, seconds(-2))
	w.add(j, seconds(-1))
	r := newRun(j, now)
	w.want("a third of two", w.AddRun(w.Context(), r, 2), schedule.ErrTooMany)
	w.want("the first of another job", w.AddRun(w.Context(), newRun(other, now), 2), nil)
	w.enlist("w")
	c := w.claim("w", 1)
	w.want("while one is running", w.AddRun(w.Context(), r, 2), schedule.ErrTooMany)
	w.must(w.finish(c[0], schedule.Succeeded))
	w.want("when it has ended", w.AddRun(w.Context(), r, 2), nil)
}

func runFilters(w *world) {
	a, b := w.create("a"), w.create("b")
	one := w.add(a, seconds(1))
	two := w.add(a, seconds(2), ended(schedule.RunFailed))
	three := w.add(b, seconds(3))
	for want, f := range map[string]schedule.RunFilter{
		three.ID + " " + two.ID + " " + one.ID: {},
		two.ID + " " + one.ID:                  {Job: a.ID},
		two.ID:                                 {State: schedule.RunFailed},
		three.ID:                               {State: schedule.Queued, Job: b.ID},
		one.ID:                                 {Before: two.ID},
		"":                                     {Job: "nobody"},
	} {
		if got := w.runs(f); got != want {
			w.Errorf("%+v chooses %q, want %q", f, got, want)
		}
	}
}

// runs are the ids of the runs that a filter chooses.
func (w *world) runs(f schedule.RunFilter) string {
	w.Helper()
	list, err := w.Runs(w.Context(), f)
	w.must(err)
	return names(list, func(r *schedule.Run) string { return r.ID })
}

func runPages(w *world) {
	j := w.create("job")
	const n = 55
	for i := range n {
		w.add(j, seconds(i))
	}
	seen, last := map[string]bool{}, ""
	for f := (schedule.RunFilter{Job: j.ID, Limit: 8}); len(seen) <= n; f.Before = last {
		list, err := w.Runs(w.Context(), f)
		w.must(err)
		if len(list) == 0 || len(list) > f.Limit {
			break
		}
		for _, r := range list {
			if seen[r.ID] || last != "" && r.ID >= last {
				w.Errorf("%s comes behind %s", r.ID, last)
			}
			seen[r.ID], last = true, r.ID
		}
	}
	if len(seen) != n {
		w.Errorf("the pages have %d of %d runs", len(seen), n)
	}
	if list, err := w.Runs(w.Context(), schedule.RunFilter{}); err != nil || len(list) != 50 {
		w.Errorf("a page has %d runs by default, %v", len(list), err)
	}
}

func owners(w *world) {
	for i, subject := range []string{"ann", "bob", ""} {
		j := w.create("job", func(j *schedule.Job) { j.Owner.Subject = subject })
		w.add(j, seconds(i))
	}
	for i, subject := range []string{"ann", "bob", "", "eve"} {
		jobs, err := w.Jobs(w.Context(), schedule.JobFilter{Owner: &subject})
		w.must(err)
		runs, err := w.Runs(w.Context(), schedule.RunFilter{Owner: &subject})
		w.must(err)
		counts, err := w.Counts(w.Context(), &subject)
		w.must(err)
		want := 1
		if subject == "eve" {
			want = 0
		}
		if len(jobs) != want || len(runs) != want || len(counts) != want {
			w.Errorf("%q has %d jobs, %d runs and %d counts", subject, len(jobs), len(runs), len(counts))
		}
		if want == 1 && len(jobs) == 1 && len(runs) == 1 && (jobs[0].Owner.Subject != subject || runs[0].Job != jobs[0].ID || !runs[0].Fire.Equal(seconds(i))) {
			w.Errorf("%q sees %+v and %+v", subject, jobs[0], runs[0])
		}
	}
}
