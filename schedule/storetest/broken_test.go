// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/memstore"
)

// Each broken store breaks some promises of the store that it wraps.

// An unfenced store lets whoever had a run end it.
type unfenced struct{ schedule.Store }

func (s unfenced) Finish(ctx context.Context, r *schedule.Run, change func(*schedule.Job, int)) error {
	stored, err := s.Run(ctx, r.ID)
	if err != nil {
		return schedule.ErrLost
	}
	mine := *r
	mine.Worker, mine.Attempt = stored.Worker, stored.Attempt
	return s.Store.Finish(ctx, &mine, change)
}

// A sameWorker store fences by worker alone.
type sameWorker struct{ schedule.Store }

func (s sameWorker) Finish(ctx context.Context, r *schedule.Run, change func(*schedule.Job, int)) error {
	if stored, err := s.Run(ctx, r.ID); err == nil && stored.Worker == r.Worker {
		return unfenced(s).Finish(ctx, r, change)
	}
	return s.Store.Finish(ctx, r, change)
}

// A hasty store stores alerts before it knows whether their job is stored.
type hasty struct{ schedule.Store }

func (s hasty) UpdateJob(ctx context.Context, id string, change func(*schedule.Job) error) (*schedule.Job, error) {
	var alerts []*schedule.Alert
	j, err := s.Store.UpdateJob(ctx, id, func(j *schedule.Job) error {
		err := change(j)
		alerts = j.Alerts
		return err
	})
	if err != nil && len(alerts) > 0 {
		_, _ = s.Store.UpdateJob(ctx, id, func(j *schedule.Job) error { j.Alerts = alerts; return nil })
	}
	return j, err
}

// A lavish store does not mind quotas.
type lavish struct{ schedule.Store }

func (s lavish) CreateJob(ctx context.Context, j *schedule.Job) error {
	free := *j
	free.Quota = 0
	return s.Store.CreateJob(ctx, &free)
}

// A forgetful store forgets the alerts of runs that end.
type forgetful struct{ schedule.Store }

func (s forgetful) Finish(ctx context.Context, r *schedule.Run, change func(*schedule.Job, int)) error {
	return s.Store.Finish(ctx, r, func(j *schedule.Job, open int) { change(j, open); j.Alerts = nil })
}

// A generous store gives the same alerts to all who ask.
type generous struct{ schedule.Store }

func (s generous) Alerts(ctx context.Context, now, until time.Time, limit int) ([]*schedule.Notice, error) {
	return s.Store.Alerts(ctx, now, now, limit)
}

// A nosy store shows the jobs of all owners to each.
type nosy struct{ schedule.Store }

func (s nosy) Jobs(ctx context.Context, f schedule.JobFilter) ([]*schedule.Job, error) {
	f.Owner = nil
	return s.Store.Jobs(ctx, f)
}

// A lossy store changes a copy of a job and writes it over what others have stored meanwhile.
type lossy struct{ schedule.Store }

func (s lossy) UpdateJob(ctx context.Context, id string, change func(*schedule.Job) error) (*schedule.Job, error) {
	old, err := s.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := change(old); err != nil {
		return nil, err
	}
	runtime.Gosched()
	return s.Store.UpdateJob(ctx, id, func(j *schedule.Job) error { *j = *old; return nil })
}

// A repeating store takes a second run of a time.
type repeating struct{ schedule.Store }

func (s repeating) AddRun(ctx context.Context, r *schedule.Run, most int) error {
	again := *r
	for {
		err := s.Store.AddRun(ctx, &again, most)
		if !errors.Is(err, schedule.ErrRunExists) {
			return err
		}
		again.Fire = again.Fire.Add(time.Millisecond)
	}
}

// A crowded store runs exclusive runs side by side.
type crowded struct{ schedule.Store }

func (s crowded) AddRun(ctx context.Context, r *schedule.Run, most int) error {
	beside := *r
	beside.Exclusive = false
	return s.Store.AddRun(ctx, &beside, most)
}

// A trusting store takes any worker at its word.
type trusting struct{ schedule.Store }

func (s trusting) Claim(ctx context.Context, worker string, now time.Time, c schedule.Capacity) ([]schedule.Claim, error) {
	if err := s.Heartbeat(ctx, &schedule.Worker{ID: worker}, time.Hour, true); err != nil {
		return nil, err
	}
	return s.Store.Claim(ctx, worker, now, c)
}

// A boundless store knows the room of servers alone.
type boundless struct{ schedule.Store }

func (s boundless) Claim(ctx context.Context, worker string, now time.Time, c schedule.Capacity) ([]schedule.Claim, error) {
	return s.Store.Claim(ctx, worker, now, schedule.Capacity{Room: c.Room})
}

// A crammed store has one room for all servers.
type crammed struct{ schedule.Store }

func (s crammed) Claim(ctx context.Context, worker string, now time.Time, c schedule.Capacity) ([]schedule.Claim, error) {
	most := -1
	room := c.Room
	c.Room = func(server string, fleet []*schedule.Worker) int {
		if most < 0 {
			most = room(server, nil)
		}
		return most
	}
	return s.Store.Claim(ctx, worker, now, c)
}

// A reversed store lists the oldest runs first.
type reversed struct{ schedule.Store }

func (s reversed) Runs(ctx context.Context, f schedule.RunFilter) ([]*schedule.Run, error) {
	list, err := s.Store.Runs(ctx, f)
	slices.Reverse(list)
	return list, err
}

// A greedy store keeps one run less than it is asked to.
type greedy struct{ schedule.Store }

func (s greedy) Prune(ctx context.Context, before time.Time, keep int) (int, error) {
	return s.Store.Prune(ctx, before, keep-1)
}

// A sharing store gives each caller the same job.
type sharing struct {
	schedule.Store
	mu   sync.Mutex
	jobs map[string]*schedule.Job
}

func (s *sharing) Job(ctx context.Context, id string) (*schedule.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil {
		return j, nil
	}
	j, err := s.Store.Job(ctx, id)
	if err == nil {
		s.jobs[id] = j
	}
	return j, err
}

// TestSuiteCanFail: each broken store fails the tests of the promises that it breaks.
func TestSuiteCanFail(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		broken func(schedule.Store) schedule.Store
		breaks []string // at least these
	}{
		"unfenced":   {func(s schedule.Store) schedule.Store { return unfenced{s} }, []string{"runs are fenced by worker", "runs are fenced by attempt"}},
		"sameWorker": {func(s schedule.Store) schedule.Store { return sameWorker{s} }, []string{"runs are fenced by attempt"}},
		"hasty":      {func(s schedule.Store) schedule.Store { return hasty{s} }, []string{"alerts are not stored without their job"}},
		"lavish":     {func(s schedule.Store) schedule.Store { return lavish{s} }, []string{"an owner has so many jobs"}},
		"forgetful":  {func(s schedule.Store) schedule.Store { return forgetful{s} }, []string{"alerts are stored with their job"}},
		"generous":   {func(s schedule.Store) schedule.Store { return generous{s} }, []string{"alerts are told until that is stored", "alerts are given out once"}},
		"nosy":       {func(s schedule.Store) schedule.Store { return nosy{s} }, []string{"owners are kept apart", "filters choose jobs"}},
		"lossy":      {func(s schedule.Store) schedule.Store { return lossy{s} }, []string{"no update is lost"}},
		"repeating":  {func(s schedule.Store) schedule.Store { return repeating{s} }, []string{"a time fires once"}},
		"crowded":    {func(s schedule.Store) schedule.Store { return crowded{s} }, []string{"exclusive runs wait for each other", "exclusive runs of many workers"}},
		"trusting":   {func(s schedule.Store) schedule.Store { return trusting{s} }, []string{"work takes a lease"}},
		"boundless":  {func(s schedule.Store) schedule.Store { return boundless{s} }, []string{"an owner has so many runs at once", "a tag has so many runs at once"}},
		"crammed":    {func(s schedule.Store) schedule.Store { return crammed{s} }, []string{"a claim knows the workers"}},
		"reversed":   {func(s schedule.Store) schedule.Store { return reversed{s} }, []string{"filters choose runs", "pages of runs"}},
		"greedy":     {func(s schedule.Store) schedule.Store { return greedy{s} }, []string{"the newest runs are kept"}},
		"sharing":    {func(s schedule.Store) schedule.Store { return &sharing{Store: s, jobs: map[string]*schedule.Job{}} }, []string{"copies share no memory"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, promise := range tt.breaks {
				if said := broken(t, promise, func() schedule.Store { return tt.broken(memstore.New()) }); said == "" {
					t.Errorf("the suite does not see that it breaks %q", promise)
				}
			}
		})
	}
}

// broken runs the test of one promise, and returns what the test says against the store.
func broken(t *testing.T, name string, store func() schedule.Store) string {
	i := slices.IndexFunc(promises, func(p promise) bool { return p.name == name })
	if i < 0 {
		t.Fatalf("there is no promise %q", name)
	}
	r := &recorder{TB: t}
	var done sync.WaitGroup
	done.Go(func() {
		s := store()
		promises[i].hold(newWorld(r, func() schedule.Store { return s }))
	})
	done.Wait()
	return r.said
}

// A recorder is a test that may fail.
type recorder struct {
	testing.TB
	mu   sync.Mutex
	said string
}

func (r *recorder) Helper() {}

func (r *recorder) Error(args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said += fmt.Sprintln(args...)
}

func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

// TestPromises: each promise has a name of its own.
func TestPromises(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, p := range promises {
		names[p.name] = true
	}
	if len(names) != len(promises) {
		t.Errorf("%d promises have %d names: %q", len(promises), len(names), slices.Sorted(maps.Keys(names)))
	}
}
