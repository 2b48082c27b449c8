// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

const day = 24 * time.Hour

// TestClockLeapsAhead: a clock that is wrong for hours deletes no history, whether it leaps while the scheduler runs
// or is wrong from the start. A clock that stays ahead is believed in the end.
func TestClockLeapsAhead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		wrong  time.Duration // how long the clock is a year ahead
		before bool          // the scheduler begins
		there  bool
	}{
		"while it runs":     {5 * time.Hour, false, true},
		"when it begins":    {5 * time.Hour, true, true},
		"and is right then": {3 * day, false, false},
		"and was right":     {3 * day, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(c *schedule.Config) { c.Poll = time.Hour }, func(w *world) {
				w.create(schedule.Spec{Schedule: "in 1 hour"})
				w.serve(2*time.Hour + time.Second)
				leap := func() { w.ahead.Store(int64(365 * day)) }
				if tt.before {
					leap()
				} else {
					time.AfterFunc(time.Second, leap)
				}
				w.serve(tt.wrong)
				if got := strings.Contains(w.runs(), "1h0m0s:succeeded"); got != tt.there {
					t.Errorf("the run is there: %v, want %v", got, tt.there)
				}
			})
		})
	}
}

// deaf is a store that refuses heartbeats for a while.
type deaf struct {
	schedule.Store
	from, to time.Time
}

func (d *deaf) Heartbeat(ctx context.Context, worker *schedule.Worker, lease time.Duration, first bool) error {
	if now := time.Now(); now.After(d.from) && now.Before(d.to) {
		return errors.New("deaf")
	}
	return d.Store.Heartbeat(ctx, worker, lease, first)
}

// TestCutOff: a worker cancels a run because it cannot renew its lease, and nobody takes the run over. The run is
// tried again.
func TestCutOff(t *testing.T) {
	t.Parallel()
	for once, want := range map[bool]string{false: "1m0s:succeeded:2", true: "1m0s:lost:1"} {
		t.Run(fmt.Sprint(once), func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(c *schedule.Config) {
				c.Store = &deaf{c.Store, time.Now().Add(time.Minute), time.Now().Add(2 * time.Hour)}
			}, func(w *world) {
				first := true
				w.tool = func(ctx context.Context) string {
					var long bool
					w.set(func() { long, first = first, false })
					if long {
						<-ctx.Done()
					}
					return ""
				}
				w.create(schedule.Spec{Schedule: "in 1 minute", Timeout: schedule.Duration(10 * time.Hour), AtMostOnce: once})
				w.serve(3 * time.Hour)
				w.want("runs", w.runs(), want)
			})
		})
	}
}

// many is a store with many idle jobs. It counts the jobs that are read.
type many struct {
	schedule.Store
	jobs, read int
}

func (m *many) Jobs(_ context.Context, f schedule.JobFilter) (list []*schedule.Job, _ error) {
	if f.Reminds {
		return nil, nil
	}
	for i := range m.jobs {
		if id := fmt.Sprintf("%06d", i); id > f.After && len(list) < f.Limit {
			list = append(list, &schedule.Job{ID: id, State: schedule.Active, Spec: schedule.Spec{Tool: "files:read", Arguments: []byte(`{"n":1}`)}})
		}
	}
	m.read += len(list)
	return list, nil
}

// TestManyJobsAreReadOnce: the watch for files does not read all of many jobs each time.
func TestManyJobsAreReadOnce(t *testing.T) {
	t.Parallel()
	var store *many
	inWorld(t, func(c *schedule.Config) {
		store = &many{Store: c.Store, jobs: 5000}
		c.Store = store
	}, func(w *world) {
		w.serve(time.Hour + time.Second) // five or six looks
		if store.read > 4*store.jobs {   // at the start, for the first look, and a page for each of the others
			t.Errorf("%d jobs are read for %d", store.read, store.jobs)
		}
	})
}
