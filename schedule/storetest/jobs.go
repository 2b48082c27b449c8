// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

var jobPromises = []promise{
	{"jobs are kept whole", wholeJobs},
	{"jobs are found by id and by name", foundJobs},
	{"copies share no memory", copies},
	{"names are unique for an owner", uniqueNames},
	{"a change that fails changes nothing", failedChange},
	{"no update is lost", noUpdateIsLost},
	{"deleting a job deletes its runs", deletedJob},
	{"filters choose jobs", jobFilters},
	{"pages of jobs", jobPages},
	{"searching jobs", search},
	{"brief jobs", briefJobs},
	{"jobs without large arguments", largeJobs},
	{"counting jobs", counts},
	{"an owner has so many jobs", quotas},
	{"texts that no database holds", strangeTexts},
	{"a context that is done", doneContext},
}

// is is [errors.Is]; want may be nil.
func is(err, want error) bool {
	if want == nil {
		return err == nil
	}
	return errors.Is(err, want)
}

// full sets all fields of a job that a store keeps.
func full(j *schedule.Job) {
	j.Arguments = []byte(`{"text":"\u0000\ud800 \u003cb\u003e","n":1e400,"arguments":{"id":1}}`)
	j.Zone, j.Description, j.Tags, j.Until, j.MaxRuns = "Europe/Vienna", "does it", []string{"daily", "x y"}, now.Add(time.Hour), 3
	j.Timeout, j.Overlap, j.CatchUp, j.AtMostOnce = schedule.Duration(time.Minute), "queue", "all", true
	j.Owner = schedule.Owner{Subject: "ann", Claims: map[string]any{"groups": []any{"a", "b"}}, Roots: []string{"/srv"}}
	j.Words, j.Moved, j.Through, j.Fired = "every day", &schedule.Move{At: now, From: now, To: now, Why: "it moved"}, now, 2
	j.Health = schedule.Health{Status: schedule.Warned, Since: now, Reason: "why"}
	j.Verdict = &schedule.Verdict{At: now, On: "ahead", Errors: []string{`no "good"`}}
	j.Unvalidated, j.CheckAt = true, now.Add(time.Minute)
}

func wholeJobs(w *world) {
	for _, j := range []*schedule.Job{w.create("plain"), w.create("full", full)} {
		got := w.job(j)
		w.same(j.Name, got, j)
		if !got.CheckAt.Equal(j.CheckAt) {
			w.Errorf("CheckAt is %v, want %v", got.CheckAt, j.CheckAt)
		}
		for _, at := range []time.Time{got.Next, got.CheckAt, got.Created} {
			if !at.IsZero() && at.Location() != time.UTC {
				w.Errorf("%v is not in UTC", at)
			}
		}
	}
}

func foundJobs(w *world) {
	a := w.create("a")
	b := w.create(a.ID) // whose name is the id of another
	for id, want := range map[string]string{a.ID: a.ID, "a": a.ID, b.ID: b.ID} {
		if got, err := w.Job(w.Context(), id); err != nil || got.ID != want {
			w.Errorf("%s finds %v, %v", id, got, err)
		}
	}
	got, err := w.UpdateJob(w.Context(), "a", func(j *schedule.Job) error { j.Description = "changed"; return nil })
	if err != nil || got.Description != "changed" || w.job(a).Description != "changed" {
		w.Errorf("a change by name: %v, %v", got, err)
	}
	for what, do := range byID(w, "nobody") {
		w.want(what+" a job that is not there", do(), schedule.ErrNotFound)
	}
}

// byID are the operations on the job with an id.
func byID(w *world, id string) map[string]func() error {
	return map[string]func() error{
		"reading": func() error { _, err := w.Job(w.Context(), id); return err },
		"changing": func() error {
			_, err := w.UpdateJob(w.Context(), id, func(*schedule.Job) error { return nil })
			return err
		},
		"deleting": func() error { return w.DeleteJob(w.Context(), id) },
	}
}

func copies(w *world) {
	j := w.create("job", full)
	r := w.add(j, now, func(r *schedule.Run) {
		r.Result, r.Verdict = []byte(`{"a":1}`), &schedule.Verdict{Errors: []string{"a"}}
	})
	before := text(w, w.job(j)) + text(w, w.run(r))
	spoil := func(j *schedule.Job, r *schedule.Run) {
		j.Name, j.Arguments[2], j.Tags[0], j.Verdict.On = "spoiled", 'X', "spoiled", "spoiled"
		j.Owner.Claims["groups"], j.Owner.Roots[0], j.Moved.Why = "spoiled", "spoiled", "spoiled"
		r.Reason, r.Result[2], r.Verdict.Errors[0] = "spoiled", 'X', "spoiled"
	}
	spoil(w.job(j), w.run(r))
	spoil(j, r)
	if after := text(w, w.job(j)) + text(w, w.run(r)); after != before {
		w.Errorf("a change outside reaches the store:\n%s\nwas\n%s", after, before)
	}
}

func uniqueNames(w *world) {
	owned := func(subject string) func(*schedule.Job) {
		return func(j *schedule.Job) { j.Owner.Subject = subject }
	}
	ann, other := w.create("job", owned("ann")), w.create("other", owned("ann"))
	again := newJob("job", now)
	again.Owner.Subject = "ann"
	w.want("a second job of the name", w.CreateJob(w.Context(), again), schedule.ErrNameTaken)
	again.ID, again.Name = ann.ID, "third"
	w.want("a second job of the id", w.CreateJob(w.Context(), again), schedule.ErrNameTaken)
	_, err := w.UpdateJob(w.Context(), other.ID, func(j *schedule.Job) error { j.Name = "job"; return nil })
	w.want("a job that takes the name", err, schedule.ErrNameTaken)
	bob := w.create("job", owned("bob"))
	for what, do := range byID(w, "job") {
		w.want(what+" a job by a name of two owners", do(), schedule.ErrAmbiguous)
	}
	for _, j := range []*schedule.Job{ann, bob, other} {
		if got := w.job(j); got.Name != j.Name || got.Owner.Subject != j.Owner.Subject {
			w.Errorf("the job has become %+v", got)
		}
	}
}

func failedChange(w *world) {
	j := w.create("job")
	fault := errors.New("no")
	got, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { j.Description = "changed"; return fault })
	w.want("a change that fails", err, fault)
	if got != nil {
		w.Errorf("it returns %+v", got)
	}
	w.same("the job", w.job(j), j)
}

// noUpdateIsLost has several handles count at once.
func noUpdateIsLost(w *world) {
	j := w.create("counter")
	const handles, writers, updates = 3, 4, 4
	var all sync.WaitGroup
	for range handles {
		s := w.open()
		for range writers {
			all.Go(func() {
				for range updates {
					if _, err := s.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { j.Fired++; return nil }); err != nil {
						w.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	if got := w.job(j); got.Fired != handles*writers*updates {
		w.Errorf("%d of %d updates are there", got.Fired, handles*writers*updates)
	}
}

func deletedJob(w *world) {
	j, other := w.create("job"), w.create("other")
	r := w.add(j, now)
	w.add(other, now)
	w.must(w.DeleteJob(w.Context(), "job"))
	_, err := w.Run(w.Context(), r.ID)
	w.want("its run", err, schedule.ErrNotFound)
	for what, do := range byID(w, j.ID) {
		w.want(what+" a deleted job", do(), schedule.ErrNotFound)
	}
	if list, err := w.Runs(w.Context(), schedule.RunFilter{}); err != nil || len(list) != 1 || list[0].Job != other.ID {
		w.Errorf("the other job's runs are %v, %v", list, err)
	}
	w.create("job") // its name is free
}

func jobFilters(w *world) {
	w.create("backup", func(j *schedule.Job) { j.ID, j.Tool = jobspec.NewID(seconds(0)), "disks:copy" })
	w.create("report", func(j *schedule.Job) {
		j.ID, j.State, j.Next, j.Health.Status, j.Tags = jobspec.NewID(seconds(1)), schedule.Paused, time.Time{}, schedule.Failing, []string{"daily", "a%b"}
		j.Owner.Subject, j.AlertReminder = "ann", schedule.Duration(time.Hour)
	})
	w.create("report", func(j *schedule.Job) {
		j.Description = `"alert_reminder":"1h0m0s"`
		j.Arguments = []byte(`{"alert_reminder":"1h"}`)
		j.ID, j.Next, j.Owner.Subject = jobspec.NewID(seconds(2)), seconds(1), "bob"
	})
	ann, nobody, none := "ann", "nobody", ""
	for _, tt := range []struct {
		filter schedule.JobFilter
		want   string
	}{
		{schedule.JobFilter{}, "backup report report"},
		{schedule.JobFilter{State: schedule.Paused}, "report"},
		{schedule.JobFilter{State: schedule.Active}, "backup report"},
		{schedule.JobFilter{Health: schedule.Failing}, "report"},
		{schedule.JobFilter{Health: schedule.Healthy}, "backup report"},
		{schedule.JobFilter{Reminds: true}, "report"},
		{schedule.JobFilter{Reminds: true, Health: schedule.Healthy}, ""},
		{schedule.JobFilter{Before: seconds(2)}, "backup report"},
		{schedule.JobFilter{Before: seconds(1)}, "backup"},
		{schedule.JobFilter{Before: now}, ""},
		{schedule.JobFilter{Tag: "daily"}, "report"},
		{schedule.JobFilter{Tag: "a%b"}, "report"},
		{schedule.JobFilter{Tag: "dail"}, ""},
		{schedule.JobFilter{Tag: "Daily"}, ""},
		{schedule.JobFilter{Tag: "%"}, ""},
		{schedule.JobFilter{Owner: &ann}, "report"},
		{schedule.JobFilter{Owner: &nobody}, ""},
		{schedule.JobFilter{Owner: &none}, "backup"},
		{schedule.JobFilter{Owner: &ann, Name: "report"}, "report"},
		{schedule.JobFilter{Owner: &ann, Name: "backup"}, ""},
		{schedule.JobFilter{Name: "report"}, "report report"},
		{schedule.JobFilter{Server: "files"}, "report report"},
		{schedule.JobFilter{Server: "disks", State: schedule.Paused}, ""},
	} {
		if got := w.jobs(tt.filter); got != tt.want {
			w.Errorf("%+v chooses %q, want %q", tt.filter, got, tt.want)
		}
	}
}

func jobPages(w *world) {
	const n = 60
	var want []string
	for i := range n {
		want = append(want, w.create(fmt.Sprint("job", i), func(j *schedule.Job) { j.ID, j.Next = jobspec.NewID(seconds(i)), seconds(n-i) }).ID)
	}
	var got []string
	for f := (schedule.JobFilter{Limit: 7}); ; f.After = got[len(got)-1] {
		list, err := w.Jobs(w.Context(), f)
		w.must(err)
		if len(list) == 0 || len(list) > f.Limit || len(got) > n {
			break
		}
		for _, j := range list {
			got = append(got, j.ID)
		}
	}
	w.same("all pages", got, want)
	if list, err := w.Jobs(w.Context(), schedule.JobFilter{}); err != nil || len(list) != 50 {
		w.Errorf("a page has %d jobs by default, %v", len(list), err)
	}
	if got := w.jobs(schedule.JobFilter{Before: seconds(4), Limit: 2}); got != "job59 job58" {
		w.Errorf("the first that run are %q", got)
	}
}

func search(w *world) {
	w.create("100% Backup", func(j *schedule.Job) { j.ID = jobspec.NewID(seconds(0)) })
	w.create("other", func(j *schedule.Job) {
		j.ID, j.Description, j.Tags = jobspec.NewID(seconds(1)), `a "quoted" back\slash`, []string{"nightly_run"}
	})
	for needle, want := range map[string]string{
		"BACK": "100% Backup other", "backup": "100% Backup", "0%": "100% Backup", "%": "100% Backup", "_": "other",
		`"quoted"`: "other", `k\s`: "other", "NIGHTLY_R": "other", "files:read": "100% Backup other", "nowhere": "", "b*p": "", "back OR": "",
	} {
		if got := w.jobs(schedule.JobFilter{Search: needle}); got != want {
			w.Errorf("searching for %q finds %q, want %q", needle, got, want)
		}
	}
}

func briefJobs(w *world) {
	w.create("plain", func(j *schedule.Job) { j.ID = jobspec.NewID(seconds(0)) })
	w.create("full", full)
	want, err := w.Jobs(w.Context(), schedule.JobFilter{})
	w.must(err)
	for _, j := range want {
		j.Arguments, j.Description, j.Tags, j.Owner = nil, "", nil, schedule.Owner{}
	}
	got, err := w.Jobs(w.Context(), schedule.JobFilter{Brief: true})
	w.must(err)
	w.same("brief jobs", got, want)
}

func largeJobs(w *world) {
	for name, arguments := range map[string]string{
		"small": `{"x":"\u0000"}`, "large": `{"x":"` + strings.Repeat("x", 3000) + `"}`, "strange": `{"x":"\u0000` + strings.Repeat("x", 3000) + `"}`,
	} {
		w.create(name, func(j *schedule.Job) { j.Arguments, j.Description = []byte(arguments), "does it" })
	}
	list, err := w.Jobs(w.Context(), schedule.JobFilter{Large: 2000})
	if err != nil || len(list) != 3 {
		w.Errorf("%d jobs are there, %v", len(list), err)
	}
	for _, j := range list {
		if (j.Arguments == nil) != (j.Name != "small") || j.Description != "does it" {
			w.Errorf("%s is %+v", j.Name, j)
		}
	}
}

func counts(w *world) {
	for i, status := range []schedule.Status{schedule.Healthy, "", schedule.Warned, schedule.Failing, schedule.Warned} {
		w.create(fmt.Sprint(i), func(j *schedule.Job) {
			if j.Health.Status = status; i%2 == 0 {
				j.Owner.Subject = "ann"
			}
			if i == 4 {
				j.State = schedule.Paused
			}
		})
	}
	ann, nobody := "ann", "nobody"
	for _, tt := range []struct {
		owner *string
		want  []schedule.Count
	}{
		{nil, []schedule.Count{
			{State: schedule.Active, Health: schedule.Failing, Jobs: 1}, {State: schedule.Active, Health: schedule.Healthy, Jobs: 2},
			{State: schedule.Active, Health: schedule.Warned, Jobs: 1}, {State: schedule.Paused, Health: schedule.Warned, Jobs: 1},
		}},
		{&ann, []schedule.Count{
			{State: schedule.Active, Health: schedule.Healthy, Jobs: 1}, {State: schedule.Active, Health: schedule.Warned, Jobs: 1},
			{State: schedule.Paused, Health: schedule.Warned, Jobs: 1},
		}},
		{&nobody, nil},
	} {
		got, err := w.Counts(w.Context(), tt.owner)
		if err != nil || !slices.Equal(got, tt.want) {
			w.Errorf("the counts are %v, %v, want %v", got, err, tt.want)
		}
	}
}

func strangeTexts(w *world) {
	w.add(w.create("job"), now)
	for _, text := range []string{"\x00", "job\x00", "\xff"} {
		for _, f := range []schedule.JobFilter{{Search: text}, {Tag: text}, {Server: text}, {Name: text}, {After: "z" + text}, {Owner: &text}, {State: schedule.State(text)}, {Health: schedule.Status(text)}} {
			if got := w.jobs(f); got != "" {
				w.Errorf("%+v chooses %q", f, got)
			}
		}
		for _, f := range []schedule.RunFilter{{Job: text}, {Before: text}, {Owner: &text}, {State: schedule.RunState(text)}} {
			if list, err := w.Runs(w.Context(), f); err != nil || f.Before == "" && len(list) > 0 {
				w.Errorf("%+v chooses %d runs, %v", f, len(list), err)
			}
		}
		if list, err := w.Counts(w.Context(), &text); len(list) > 0 || err != nil {
			w.Errorf("the owner %q has %v, %v", text, list, err)
		}
		for what, do := range byID(w, text) {
			w.want(fmt.Sprintf("%s %q", what, text), do(), schedule.ErrNotFound)
		}
		_, err := w.Run(w.Context(), text)
		w.want(fmt.Sprintf("the run %q", text), err, schedule.ErrNotFound)
		_, err = w.CheckSoon(w.Context(), text, now, schedule.Place{Next: now, ID: text})
		w.must(err)
	}
}

func doneContext(w *world) {
	j := w.create("job")
	ctx, cancel := context.WithCancel(w.Context())
	cancel()
	_, err := w.UpdateJob(ctx, j.ID, func(j *schedule.Job) error { j.Description = "changed"; return nil })
	for what, err := range map[string]error{"changing": err, "creating": w.CreateJob(ctx, newJob("other", now)), "deleting": w.DeleteJob(ctx, j.ID)} {
		if err == nil {
			w.Errorf("%s a job succeeds", what)
		}
	}
	w.same("the job", w.job(j), j)
	if got := w.jobs(schedule.JobFilter{}); got != "job" {
		w.Errorf("the jobs are %q", got)
	}
}

// quotas: however many ask at once, an owner gets no more jobs than the quota, by new ones and by those that begin anew.
func quotas(w *world) {
	const most, asking = 3, 8
	owner := func(j *schedule.Job, name string) { j.Owner.Subject, j.Quota = name, most }
	others := w.create("another's", func(j *schedule.Job) { j.Owner.Subject = "bob" })
	var old []*schedule.Job
	for i := range asking {
		old = append(old, w.create(fmt.Sprint("ended ", i), func(j *schedule.Job) { owner(j, "ann"); j.State = schedule.Completed }))
	}
	var all sync.WaitGroup
	errs := make([]error, 2*asking)
	for i := range asking {
		all.Go(func() {
			j := newJob(fmt.Sprint("new ", i), now)
			owner(j, "ann")
			errs[i] = w.CreateJob(w.Context(), j)
		})
		all.Go(func() {
			_, errs[asking+i] = w.UpdateJob(w.Context(), old[i].ID, func(j *schedule.Job) error {
				j.State, j.Quota = schedule.Paused, most
				return nil
			})
		})
	}
	all.Wait()
	taken := 0
	for _, err := range errs {
		if err == nil {
			taken++
			continue
		}
		w.want("one job more", err, schedule.ErrQuota)
	}
	ann, live := "ann", 0
	counts, err := w.Counts(w.Context(), &ann)
	w.must(err)
	for _, c := range counts {
		if c.State != schedule.Completed {
			live += c.Jobs
		}
	}
	w.same("the jobs that were taken, and are there", []int{taken, live}, []int{most, most})
	_, err = w.UpdateJob(w.Context(), others.ID, func(j *schedule.Job) error { j.Quota = 1; return nil }) // it counts itself once
	w.must(err)
	_, err = w.UpdateJob(w.Context(), old[0].ID, func(j *schedule.Job) error { j.State, j.Quota = schedule.Failed, 1; return nil })
	w.must(err)
}
