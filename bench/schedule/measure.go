// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
	"github.com/toolvet/toolvet/upstream"
)

// A report has the measurements of one kind of store.
type report struct {
	store     string
	names     []string // of operations, in order
	few, many map[string]times
	lag       times // from the scheduled time of a run to its beginning
	ran       int
}

type times []time.Duration

// at returns the time that a share of the samples do not exceed.
func (t times) at(share float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(t))[min(int(share*float64(len(t))), len(t)-1)]
}

// measure measures one kind of store; open makes a place for one.
func measure(ctx context.Context, f flags, name string, open func(jobs int) (*place, error)) (r *report, err error) {
	r = &report{store: name}
	for _, size := range []int{f.few, f.many} {
		p, err := open(size)
		if err != nil {
			return nil, err
		}
		all, err := r.one(ctx, f, p, size)
		if closeErr := p.close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return nil, fmt.Errorf("%s, %d jobs: %w", name, size, err)
		}
		if size == f.few {
			r.few = all
		}
		r.many = all
	}
	return r, nil
}

// warmUp is the number of repetitions of each operation before its measurement.
const warmUp = 20

// one measures one store.
func (r *report) one(ctx context.Context, f flags, p *place, size int) (map[string]times, error) {
	now := time.Now()
	jobs := make([]*schedule.Job, size)
	for i := range jobs { // due in the days to come
		made := now.Add(-time.Duration(size-i) * time.Second)
		jobs[i] = newJob(made, fmt.Sprint("job ", i), fmt.Sprint("owner ", i%20), now.Add(time.Hour+time.Duration(i)*(30*24*time.Hour/time.Duration(size))))
		if i%10 == 0 {
			jobs[i].Health.Status = []schedule.Status{schedule.Warned, schedule.Failing}[i/10%2]
		}
	}
	if err := p.fill(ctx, jobs, f.runs); err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, p.at)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	s, err := schedule.New(schedule.Config{Store: store, Caller: idle{}})
	if err != nil {
		return nil, err
	}
	if err := store.Heartbeat(ctx, &schedule.Worker{ID: worker}, time.Hour, true); err != nil { // a claim takes a lease
		return nil, err
	}
	all := map[string]times{}
	r.names = nil
	for _, w := range work(s, store, jobs) {
		r.names = append(r.names, w.name)
		for i := range warmUp + f.samples {
			began := time.Now()
			if err := w.do(ctx, i); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if i >= warmUp {
				all[w.name] = append(all[w.name], time.Since(began))
			}
		}
	}
	if size != f.many {
		return all, store.Leave(ctx, worker)
	}
	if err := r.late(ctx, f, store); err != nil {
		return nil, err
	}
	return all, r.behind(ctx, f, store, all)
}

// behind measures claims while many runs wait: exclusive ones, each behind a running one of its job, and those of a server that
// has no room.
func (r *report) behind(ctx context.Context, f flags, store schedule.Store, all map[string]times) error {
	const each, worker = 1000, "bench behind" // a scheduler has shortened the lease of the other
	if err := store.Heartbeat(ctx, &schedule.Worker{ID: worker}, time.Hour, true); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	for i := range f.blocked / each {
		j := newJob(now, fmt.Sprint("long ", i), "", now)
		if err := store.CreateJob(ctx, j); err != nil {
			return err
		}
	}
	for n := 1; n > 0; {
		var err error
		n, err = store.Fire(ctx, now, 5, func(j *schedule.Job, _ int, _ []time.Time) (runs []*schedule.Run) {
			for i := range each {
				at := now.Add(-time.Duration(i) * time.Second)
				runs = append(runs, &schedule.Run{ID: jobspec.NewID(at), Job: j.ID, Fire: at, Kind: "schedule", State: schedule.Queued, Ready: at, Exclusive: true})
			}
			j.Next = time.Time{}
			return runs
		})
		if err != nil {
			return err
		}
	}
	open := func(string, []*schedule.Worker) int { return f.blocked }
	claims, err := store.Claim(ctx, worker, now, schedule.Capacity{Room: open})
	if err != nil || len(claims) != f.blocked/each {
		return fmt.Errorf("%d runs are claimed, %w", len(claims), err)
	}
	wait, turn := fmt.Sprintf("claim behind %d runs that wait for their turn: nothing", f.blocked), fmt.Sprintf("claim behind %d runs that wait for their turn: the one whose turn it is", f.blocked)
	full := fmt.Sprintf("claim behind %d runs of a full server: nothing", f.blocked)
	r.names = append(r.names, wait, turn, full)
	claim := func(name string, c schedule.Capacity, want int) (list []schedule.Claim, err error) {
		for i := range warmUp + f.samples {
			if want > 0 { // one ends, so that the next of its job may begin
				done := claims[i%len(claims)].Run
				done.State, done.Ended = schedule.Succeeded, now
				if err := store.Finish(ctx, done, func(*schedule.Job, int) {}); err != nil {
					return nil, err
				}
			}
			began := time.Now()
			list, err = store.Claim(ctx, worker, now, c)
			took := time.Since(began)
			if err != nil || len(list) != want {
				return nil, fmt.Errorf("%s: %d runs are claimed, %w", name, len(list), err)
			}
			if want > 0 {
				claims[i%len(claims)] = list[0]
			}
			if i >= warmUp {
				all[name] = append(all[name], took)
			}
		}
		return list, nil
	}
	if _, err := claim(wait, schedule.Capacity{Room: open}, 0); err != nil {
		return err
	}
	if _, err := claim(turn, schedule.Capacity{Room: open}, 1); err != nil {
		return err
	}
	_, err = claim(full, schedule.Capacity{Room: func(string, []*schedule.Worker) int { return 0 }}, 0)
	return err
}

// worker claims runs, and finds none.
const worker = "bench"

// room is that of a scheduler.
var room = schedule.Capacity{Room: func(string, []*schedule.Worker) int { return 8 }}

// A thing is an operation to repeat.
type thing struct {
	name string
	do   func(ctx context.Context, i int) error
}

// work returns the operations to measure.
func work(s *schedule.Scheduler, store schedule.Store, jobs []*schedule.Job) []thing {
	nobody := "nobody"
	runs := func(filter schedule.RunFilter) func(context.Context, int) error {
		filter.Brief = true
		return func(ctx context.Context, _ int) error { _, err := s.Runs(ctx, filter); return err }
	}
	middle, owner := jobs[len(jobs)/2], jobs[len(jobs)/2].Owner.Subject
	page := func(filter schedule.JobFilter, want int) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error {
			list, err := s.List(ctx, filter)
			if err == nil && len(list) < min(want, len(jobs)/200) {
				err = fmt.Errorf("%d jobs are listed", len(list))
			}
			return err
		}
	}
	return []thing{
		{"create, with its validation", func(ctx context.Context, i int) error {
			_, _, err := s.Create(ctx, schedule.Spec{Name: fmt.Sprint("new ", i), Tool: "files:read_text_file", Schedule: "every day at 3am"}, nil, schedule.How{})
			return err
		}},
		{"get by name", func(ctx context.Context, i int) error { _, err := s.Get(ctx, jobs[i%len(jobs)].Name); return err }},
		{"list: the first 50", page(schedule.JobFilter{}, 50)},
		{"list: 50 from the middle", page(schedule.JobFilter{After: middle.ID}, 50)},
		{"list: 50 of one state", page(schedule.JobFilter{State: schedule.Active, After: middle.ID}, 50)},
		{"list: 50 of one owner's", page(schedule.JobFilter{Owner: &owner}, 50)},
		{"list: search, 50 found", page(schedule.JobFilter{Search: "REPORT OF"}, 0)},
		{"list: search, nothing found", page(schedule.JobFilter{Search: "nothing has this"}, 0)},
		{"list: search for two letters, nothing found", page(schedule.JobFilter{Search: "qz"}, 0)},
		{"list: a tag that no job has", page(schedule.JobFilter{Tag: "nobody has this"}, 0)},
		{"list: a short tag that no job has", page(schedule.JobFilter{Tag: "no"}, 0)},
		{"calendar: the next 24 hours", page(schedule.JobFilter{Before: time.Now().Add(24 * time.Hour), Brief: true, Limit: 501}, 0)},
		{"calendar: an owner's", page(schedule.JobFilter{Owner: &owner, Before: time.Now().Add(24 * time.Hour), Brief: true, Limit: 501}, 0)},
		{"calendar: an owner's without jobs", page(schedule.JobFilter{Owner: &nobody, Before: time.Now().Add(24 * time.Hour), Brief: true, Limit: 501}, 0)},
		{"calendar: jobs in trouble", page(schedule.JobFilter{Health: schedule.Failing, Before: time.Now().Add(24 * time.Hour), Brief: true, Limit: 100}, 0)},
		{"jobs by state and health", func(ctx context.Context, _ int) error { _, err := store.Counts(ctx, nil); return err }},
		{"runs: the newest 50", runs(schedule.RunFilter{})},
		{"runs: 50 of one job", runs(schedule.RunFilter{Job: middle.ID})},
		{"runs: 50 of one owner's", runs(schedule.RunFilter{Owner: &owner})},
		{"runs: an owner without jobs", runs(schedule.RunFilter{Owner: &nobody})},
		{"runs: an owner's that failed, none", runs(schedule.RunFilter{Owner: &owner, State: schedule.RunFailed})},
		{"when the next is due", func(ctx context.Context, _ int) error { _, err := store.NextAt(ctx, time.Now()); return err }},
		{"fire what is due: nothing", func(ctx context.Context, _ int) error {
			n, err := store.Fire(ctx, time.Now(), 100, func(j *schedule.Job, open int, fired []time.Time) []*schedule.Run { return nil })
			if err == nil && n > 0 {
				err = fmt.Errorf("%d jobs are due", n)
			}
			return err
		}},
		{"claim what is ready: nothing", func(ctx context.Context, _ int) error {
			_, err := store.Claim(ctx, worker, time.Now(), room)
			return err
		}},
	}
}

// late makes jobs due at an even rate, and measures the delay of their runs.
func (r *report) late(ctx context.Context, f flags, store schedule.Store) error {
	n := int(f.length.Seconds() * float64(f.rate))
	caller := idle{calls: new(atomic.Int64)}
	s, err := schedule.New(schedule.Config{Store: store, Caller: caller})
	if err != nil {
		return err
	}
	first := time.Now().Add(time.Duration(n)*30*time.Millisecond + time.Second) // time enough to make them
	for i := range n {
		j := newJob(time.Now(), fmt.Sprint("due ", i), "", first.Add(time.Duration(i)*time.Second/time.Duration(f.rate)))
		if err := store.CreateJob(ctx, j); err != nil {
			return err
		}
	}
	if late := time.Since(first); late > 0 {
		return fmt.Errorf("making %d jobs took %s too long for the measurement", n, late)
	}
	serving, stop := context.WithDeadline(ctx, first.Add(f.length+time.Minute))
	defer stop()
	go func() {
		for serving.Err() == nil && caller.calls.Load() < int64(n) {
			time.Sleep(100 * time.Millisecond)
		}
		stop()
	}()
	if err := s.Serve(serving); err != nil {
		return err
	}
	var last string
	for {
		runs, err := store.Runs(ctx, schedule.RunFilter{Limit: 1000, Before: last})
		if err != nil || len(runs) == 0 {
			break
		}
		for _, run := range runs {
			if run.State == schedule.Succeeded && run.Worker != worker {
				r.ran++
				r.lag = append(r.lag, run.Started.Sub(run.Fire))
			}
		}
		if runs[len(runs)-1].Worker == worker {
			break // the others were there before
		}
		last = runs[len(runs)-1].ID
	}
	if r.ran != n {
		return fmt.Errorf("%d of %d runs succeeded", r.ran, n)
	}
	return nil
}

// idle is a caller with instant calls.
type idle struct{ calls *atomic.Int64 } // nil: they are not counted

func (idle) Validate(_ context.Context, tool string, _ json.RawMessage, _ ...upstream.CallOption) (toolvet.Validation, error) {
	return protocol.NewResult(tool, toolvet.Verdict{Go: true}).Validation, nil
}

func (i idle) Call(context.Context, string, json.RawMessage, ...upstream.CallOption) (*upstream.Outcome, error) {
	if i.calls != nil {
		i.calls.Add(1)
	}
	return &upstream.Outcome{Raw: json.RawMessage(`{"content":[]}`), Ran: true, Judged: toolvet.Verdict{Go: true}, Reviewed: toolvet.Verdict{Go: true}}, nil
}

func (idle) Tools(context.Context, string, ...upstream.CallOption) (*call.Catalog, error) {
	return call.NewCatalog(nil), nil
}
