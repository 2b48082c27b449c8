// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

var queuePromises = []promise{
	{"jobs fire when they are due", fire},
	{"firing leaves out times that have fired", fireAgain},
	{"jobs fire once", fireOnce},
	{"runs are claimed in order", claimOrder},
	{"runs are claimed once", claimOnce},
	{"exclusive runs wait for each other", exclusiveRuns},
	{"exclusive runs of many workers", exclusiveWorkers},
	{"runs of paused jobs wait", pausedJobs},
	{"the end of a run changes its job", finishing},
	{"a run is tried again", retry},
	{"progress", progress},
	{"the next moment", nextAt},
	{"validations ahead", checks},
	{"validations in order of the next runs", checksInOrder},
	{"validations of many jobs", checksOfMany},
	{"the servers of jobs", servers},
	{"validations are given out once", checksOnce},
	{"limits of zero", zeroLimits},
}

func fire(w *world) {
	late := w.create("late", func(j *schedule.Job) { j.Next = seconds(-1) })
	w.create("on time")
	w.create("not yet", func(j *schedule.Job) { j.Next = now.Add(time.Millisecond) })
	w.create("never", func(j *schedule.Job) { j.Next = time.Time{} })
	w.add(late, seconds(-20), ended(schedule.Succeeded))
	w.add(late, seconds(-10))
	var fires []string
	next := now.Add(time.Hour)
	pass := func(limit, want int) {
		w.Helper()
		n, err := w.Fire(w.Context(), now, limit, func(j *schedule.Job, open int, fired []time.Time) []*schedule.Run {
			fires = append(fires, fmt.Sprint(j.Name, " ", open))
			skipped := newRun(j, j.Next.Add(-time.Millisecond))
			skipped.State = schedule.Skipped
			r := newRun(j, j.Next)
			j.Next, j.CheckAt, j.Description = next, now, "fired"
			return []*schedule.Run{r, skipped}
		})
		if err != nil || n != want {
			w.Errorf("%d jobs fire, %v, want %d", n, err, want)
		}
	}
	pass(1, 1)
	pass(10, 1)
	pass(10, 0)
	w.same("fired, with the number of open runs", fires, []string{"late 1", "on time 0"})
	got := w.job(late)
	if got.Fired != 1 || !got.Next.Equal(next) || !got.CheckAt.Equal(now) || got.Description != "fired" {
		w.Errorf("the job is stored as %+v", got)
	}
	if list, err := w.Runs(w.Context(), schedule.RunFilter{Job: late.ID}); err != nil || len(list) != 4 {
		w.Errorf("it has %d runs, %v", len(list), err)
	}
}

// fireAgain fires a job whose Next came again because the clock was set back.
func fireAgain(w *world) {
	j := w.create("job", func(j *schedule.Job) { j.Through = now.Add(time.Hour) })
	for i, state := range []schedule.RunState{schedule.Missed, schedule.Succeeded, schedule.Skipped} {
		w.add(j, seconds(i), ended(state))
	}
	w.add(j, seconds(-1), ended(schedule.Succeeded)) // before Next
	w.add(j, seconds(1), func(r *schedule.Run) { r.Kind = "trigger" })
	_, err := w.Fire(w.Context(), now, 1, func(j *schedule.Job, open int, fired []time.Time) (runs []*schedule.Run) {
		slices.SortFunc(fired, time.Time.Compare)
		w.same("times that have fired", fired, []time.Time{seconds(1), seconds(2)})
		for i := range 4 {
			runs = append(runs, newRun(j, seconds(i)))
		}
		j.Next = time.Time{}
		return append(runs, newRun(j, seconds(3))) // twice in one pass
	})
	w.must(err)
	list, err := w.Runs(w.Context(), schedule.RunFilter{State: schedule.Queued})
	w.must(err)
	w.same("new runs", names(list, func(r *schedule.Run) string { return fmt.Sprint(r.Kind, r.Fire.Sub(now)) }), "schedule3s trigger1s schedule0s")
	if got := w.job(j); got.Fired != 2 {
		w.Errorf("it fired %d times, want 2", got.Fired)
	}
}

// fireOnce has several handles fire the same jobs at once.
func fireOnce(w *world) {
	const jobs = 40
	for i := range jobs {
		w.create(fmt.Sprint("job", i))
	}
	var all sync.WaitGroup
	for range 4 {
		s := w.open()
		all.Go(func() {
			for range jobs {
				n, err := s.Fire(w.Context(), now, 7, func(j *schedule.Job, open int, fired []time.Time) []*schedule.Run {
					r := newRun(j, j.Next)
					j.Next = time.Time{}
					return []*schedule.Run{r}
				})
				if err != nil {
					w.Error(err)
				}
				if n == 0 {
					return
				}
			}
		})
	}
	all.Wait()
	runs, err := w.Runs(w.Context(), schedule.RunFilter{Limit: 1000})
	if err != nil || len(runs) != jobs {
		w.Errorf("%d jobs have %d runs, %v", jobs, len(runs), err)
	}
	list, err := w.Jobs(w.Context(), schedule.JobFilter{Limit: 1000})
	if err != nil || slices.ContainsFunc(list, func(j *schedule.Job) bool { return j.Fired != 1 || !j.Next.IsZero() }) {
		w.Errorf("jobs did not fire once, %v", err)
	}
}

func claimOrder(w *world) {
	j := w.create("job")
	second := w.add(j, seconds(-1))
	third := w.add(j, now)
	first := w.add(j, seconds(-9), func(r *schedule.Run) { r.Ready = seconds(-2) })
	w.add(j, seconds(-8), func(r *schedule.Run) { r.Ready = now.Add(time.Millisecond) })
	w.add(j, seconds(-7), ended(schedule.Succeeded))
	w.enlist("w")
	var claims []schedule.Claim
	for i, want := range []int{2, 1, 0} {
		list := w.claim("w", 2)
		if len(list) != want {
			w.Fatalf("%d runs are claimed in pass %d, want %d", len(list), i, want)
		}
		claims = append(claims, list...)
	}
	for i, want := range []*schedule.Run{first, second, third} {
		c := claims[i]
		if c.Run.ID != want.ID || c.Job.ID != j.ID || string(c.Job.Arguments) != string(j.Arguments) {
			w.Errorf("claim %d is %+v of %+v", i, c.Run, c.Job)
		}
		if got := w.run(want); got.State != schedule.Running || got.Worker != "w" || got.Attempt != 1 || !got.Started.Equal(now) {
			w.Errorf("the claimed run is stored as %+v", got)
		}
		w.same("the claimed run", c.Run, w.run(want))
	}
}

// claimOnce has several workers claim at once.
func claimOnce(w *world) {
	const runs = 50
	j := w.create("job")
	for i := range runs {
		w.add(j, seconds(-i))
	}
	seen := w.contend(4, runs, func(s schedule.Store, worker string) []schedule.Claim {
		list, err := s.Claim(w.Context(), worker, now, room(3))
		if err != nil {
			w.Error(err)
		}
		return list
	})
	if len(seen) != runs {
		w.Errorf("%d of %d runs are claimed", len(seen), runs)
	}
	for id, n := range seen {
		if n != 1 {
			w.Errorf("%s is claimed %d times", id, n)
		}
	}
}

// contend has workers with handles of their own claim, until each finds nothing or has tried most times. It returns how
// often each run was claimed.
func (w *world) contend(workers, most int, claim func(s schedule.Store, worker string) []schedule.Claim) map[string]int {
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for i := range workers {
		worker, s := fmt.Sprint("worker ", i), w.open()
		w.enlist(worker)
		all.Go(func() {
			for range most {
				list := claim(s, worker)
				if len(list) == 0 {
					return
				}
				mu.Lock()
				for _, c := range list {
					seen[c.Run.ID]++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return seen
}

func exclusiveRuns(w *world) {
	j, other := w.create("job"), w.create("other")
	w.add(j, seconds(-3), exclusive)
	w.add(j, seconds(-2), exclusive)
	w.enlist("w")
	first := w.one("w")
	w.add(other, seconds(-1), exclusive)
	if c := w.one("w"); c.Job.ID != other.ID {
		w.Errorf("claimed is a run of %s", c.Job.Name)
	}
	w.add(j, seconds(-1)) // may run beside others
	if c := w.one("w"); c.Run.Exclusive {
		w.Errorf("claimed is %+v", c.Run)
	} else {
		w.must(w.finish(c, schedule.Succeeded))
	}
	w.must(w.finish(first, schedule.Succeeded))
	second := w.one("w")
	w.must(w.finish(second, schedule.Succeeded))
}

// exclusiveWorkers has workers claim exclusive runs of one job at once: only one may get one.
func exclusiveWorkers(w *world) {
	for round := range 5 {
		j := w.create(fmt.Sprint("job", round))
		for i := range 8 {
			w.add(j, seconds(-i-1), exclusive)
		}
	}
	seen := w.contend(4, 1, func(s schedule.Store, worker string) []schedule.Claim {
		list, err := s.Claim(w.Context(), worker, now, room(100))
		if err != nil {
			w.Error(err)
		}
		return list
	})
	running, err := w.Runs(w.Context(), schedule.RunFilter{State: schedule.Running, Limit: 1000})
	w.must(err)
	each := map[string]int{}
	for _, r := range running {
		if each[r.Job]++; each[r.Job] > 1 {
			w.Error("two exclusive runs of a job are running")
		}
	}
	if len(running) != len(seen) {
		w.Errorf("%d runs are running, and %d were claimed", len(running), len(seen))
	}
}

func pausedJobs(w *world) {
	j := w.create("job", func(j *schedule.Job) { j.State = schedule.Paused })
	w.add(j, seconds(-2))
	w.enlist("w")
	if list := w.claim("w", 10); len(list) > 0 {
		w.Errorf("%d runs of a paused job are claimed", len(list))
	}
	trigger := w.add(j, seconds(-1), func(r *schedule.Run) { r.Kind = "trigger" })
	if c := w.one("w"); c.Run.ID != trigger.ID {
		w.Errorf("claimed is %+v", c.Run)
	}
}

func finishing(w *world) {
	j := w.create("job")
	r := w.add(j, seconds(-1))
	w.add(j, seconds(9))
	w.add(j, seconds(-9), ended(schedule.Succeeded))
	w.enlist("w")
	c := w.one("w")
	c.Run.State, c.Run.Ended, c.Run.Reason, c.Run.Result = schedule.RunFailed, seconds(1), "why", []byte(`{"content":[]}`)
	w.must(w.Finish(w.Context(), c.Run, func(j *schedule.Job, open int) {
		if open != 1 {
			w.Errorf("%d other runs are open, want 1", open)
		}
		j.Description = "changed"
	}))
	w.same("the run", w.run(r), c.Run)
	if got := w.job(j); got.Description != "changed" {
		w.Errorf("its job is %+v", got)
	}
}

func retry(w *world) {
	r := w.add(w.create("job"), now)
	w.enlist("w")
	c := w.one("w")
	c.Run.State, c.Run.Ready, c.Run.Reason = schedule.Queued, seconds(10), "not yet"
	w.must(w.Finish(w.Context(), c.Run, func(*schedule.Job, int) {}))
	if list := w.claim("w", 10); len(list) > 0 {
		w.Errorf("it is claimed before it is ready: %+v", list[0].Run)
	}
	list, err := w.Claim(w.Context(), "w", seconds(10), room(10))
	if err != nil || len(list) != 1 || list[0].Run.ID != r.ID || list[0].Run.Attempt != 2 || list[0].Run.Reason != "not yet" {
		w.Errorf("then claimed are %v, %v", list, err)
	}
}

func progress(w *world) {
	r := w.add(w.create("job"), now)
	w.enlist("w")
	c := w.one("w")
	c.Run.Progress = &schedule.Progress{Done: 1, Total: 2}
	w.must(w.Progress(w.Context(), c.Run))
	w.same("the run", w.run(r), c.Run)
	if list := w.claim("w", 10); len(list) > 0 {
		w.Error("a run is claimed again because it has come further")
	}
	w.must(w.finish(c, schedule.Succeeded))
}

func nextAt(w *world) {
	want := func(after, want time.Time) {
		w.Helper()
		if at, err := w.NextAt(w.Context(), after); err != nil || !at.Equal(want) {
			w.Errorf("after %v comes %v, %v, want %v", after, at, err, want)
		}
	}
	want(now, time.Time{})
	j := w.create("a", func(j *schedule.Job) { j.Next = seconds(60) })
	w.create("b", func(j *schedule.Job) { j.Next = seconds(90) })
	w.create("never", func(j *schedule.Job) { j.Next = time.Time{} })
	want(now, seconds(60))
	w.add(j, seconds(30))
	w.add(j, seconds(20), ended(schedule.Succeeded))
	want(now, seconds(30))
	want(seconds(30), seconds(60))
	want(seconds(60), seconds(90))
	want(seconds(90), time.Time{})
}

// due are the names of the jobs that are validated now. They are due again in an hour.
func (w *world) due(limit int) string {
	w.Helper()
	again := now.Add(time.Hour)
	list, err := w.Checks(w.Context(), "files", now, again, limit)
	w.must(err)
	for _, j := range list {
		if !j.CheckAt.Equal(again) || !w.job(j).CheckAt.Equal(again) {
			w.Errorf("%s is to be validated again at %v, stored as %v, want %v", j.Name, j.CheckAt, w.job(j).CheckAt, again)
		}
	}
	return jobNames(list)
}

func checks(w *world) {
	at := func(at time.Time) func(*schedule.Job) {
		return func(j *schedule.Job) { j.Next, j.CheckAt = seconds(9), at }
	}
	w.create("b", at(now))
	w.create("a", at(seconds(-1)))
	w.create("later", at(seconds(1)))
	w.create("never", at(time.Time{}))
	w.create("paused", func(j *schedule.Job) { j.State = schedule.Paused })
	w.create("elsewhere", func(j *schedule.Job) { j.Tool, j.Next = "other:tool", seconds(9) })
	w.create("ended", func(j *schedule.Job) { j.Next = time.Time{} })
	w.same("due", []string{w.due(1), w.due(10), w.due(10)}, []string{"a", "b", ""})
	for _, tt := range []struct{ server, want string }{{"other", "elsewhere"}, {"", "a b elsewhere later never"}, {"nobody", ""}} {
		w.checkSoon(tt.server)
		var list []*schedule.Job
		for _, server := range []string{"files", "other", "nobody", "\x00"} {
			some, err := w.Checks(w.Context(), server, now, now.Add(time.Hour), 10)
			w.must(err)
			list = append(list, some...)
		}
		slices.SortFunc(list, func(a, b *schedule.Job) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) })
		w.same("due after a change of "+tt.server, jobNames(list), tt.want)
	}
}

// checkSoon makes the validation of all jobs of a server due.
func (w *world) checkSoon(server string) {
	w.Helper()
	for after := (schedule.Place{}); ; {
		var err error
		after, err = w.CheckSoon(w.Context(), server, now, after)
		w.must(err)
		if after == (schedule.Place{}) {
			return
		}
	}
}

// checksOfMany: so many jobs that a store takes several steps, of which many have one Next.
func checksOfMany(w *world) {
	const many = 1203
	for i := range many {
		w.create(fmt.Sprint(i), func(j *schedule.Job) { j.Next, j.CheckAt = seconds(i/1000), seconds(i%3) })
	}
	w.checkSoon("files")
	list, err := w.Checks(w.Context(), "files", now, now.Add(time.Hour), 2*many)
	w.must(err)
	w.same("due of many", len(list), many)
}

// checksInOrder validates first what runs first, if all is due at once.
func checksInOrder(w *world) {
	for i, name := range []string{"c", "a", "d", "b"} {
		w.create(name, func(j *schedule.Job) { j.Next = seconds([]int{30, 10, 40, 20}[i]) })
	}
	w.create("urgent", func(j *schedule.Job) { j.Next, j.CheckAt = seconds(99), seconds(-1) })
	for _, name := range []string{"c", "a", "d", "b"} {
		_, err := w.UpdateJob(w.Context(), name, func(j *schedule.Job) error { j.CheckAt = now; return nil })
		w.must(err)
	}
	w.same("due", []string{w.due(2), w.due(2), w.due(2)}, []string{"urgent a", "b c", "d"})
}

// servers are those of jobs that will run.
func servers(w *world) {
	w.create("a")
	w.create("b")
	w.create("c", func(j *schedule.Job) { j.Tool = "other:tool" })
	w.create("ended", func(j *schedule.Job) { j.Tool, j.Next = "ended:tool", time.Time{} })
	list, err := w.Servers(w.Context())
	w.must(err)
	slices.Sort(list)
	w.same("servers", list, []string{"files", "other"})
}

// checksOnce has several handles ask for validations at once.
func checksOnce(w *world) {
	const jobs = 30
	for i := range jobs {
		w.create(fmt.Sprint("job", i), func(j *schedule.Job) { j.CheckAt = now })
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for range 4 {
		s := w.open()
		all.Go(func() {
			for range jobs {
				list, err := s.Checks(w.Context(), "files", now, now.Add(time.Hour), 4)
				if err != nil {
					w.Error(err)
				}
				if len(list) == 0 {
					return
				}
				mu.Lock()
				for _, j := range list {
					seen[j.ID]++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for id, n := range seen {
		if n != 1 {
			w.Errorf("%s is validated %d times", id, n)
		}
	}
	if len(seen) != jobs {
		w.Errorf("%d of %d jobs are validated", len(seen), jobs)
	}
}

func zeroLimits(w *world) {
	j := w.create("job", func(j *schedule.Job) { j.CheckAt = now })
	w.alert(j, "a")
	w.add(j, now)
	w.enlist("w")
	for _, limit := range []int{0, -1} {
		n, err := w.Fire(w.Context(), now, limit, func(j *schedule.Job, open int, fired []time.Time) []*schedule.Run { return nil })
		claims, claimErr := w.Claim(w.Context(), "w", now, room(limit))
		jobs, jobsErr := w.Checks(w.Context(), "files", now, now, limit)
		alerts, alertsErr := w.Alerts(w.Context(), now, now, limit)
		for _, err := range []error{err, claimErr, jobsErr, alertsErr} {
			w.must(err)
		}
		if n+len(claims)+len(jobs)+len(alerts) > 0 {
			w.Errorf("a limit of %d gives %d jobs, %d claims, %d validations and %d alerts", limit, n, len(claims), len(jobs), len(alerts))
		}
	}
}
