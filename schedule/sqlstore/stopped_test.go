// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package sqlstore

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// TestStopped stops a worker for longer than its lease, like a machine that sleeps, while a job fires each second.
// The worker goes on afterwards. No run is lost, none is enqueued twice, and only the run under way may be executed
// twice.
func TestStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	t.Parallel()
	places(t, func(t *testing.T, place string) {
		const runs = 8
		c := &crash{t: t, log: filepath.Join(t.TempDir(), "calls")}
		store := open(t, place)
		due := time.Now().Add(time.Second).Truncate(time.Second)
		j := newJob("each second", due)
		j.Schedule, j.Canonical, j.MaxRuns = "* * * * * *", "* * * * * *", runs
		create(t, store, j)
		worker := c.start(place)
		c.await(store, 2)
		c.signal(worker, syscall.SIGSTOP)
		time.Sleep(crashLease + time.Second)
		c.signal(worker, syscall.SIGCONT)
		c.await(store, runs)
		c.signal(worker, syscall.SIGTERM)
		_ = worker.Wait() // it may not have got as far as to hear the signal
		c.judgeOne(store, runs)
	})
}

// judgeOne checks that one job has so many runs, each of another time.
func (c *crash) judgeOne(store *store, want int) {
	c.t.Helper()
	var runs, times, attempts int
	if err := store.read.QueryRow("SELECT count(*), count(DISTINCT fire_at), sum(attempt) FROM schedule_runs WHERE state = '"+string(schedule.Succeeded)+"'").Scan(&runs, &times, &attempts); err != nil {
		c.t.Fatal(err)
	}
	if runs != want || times != want || attempts > want+1 {
		c.t.Errorf("%d runs of %d times in %d attempts, want %d", runs, times, attempts, want)
	}
}

// TestGone: a worker hears that the store's file was removed or replaced.
func TestGone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(file string) error{
		"removed": os.Remove,
		"replaced": func(file string) error {
			return errors.Join(os.Rename(file, file+".old"), os.WriteFile(file, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "schedule.db")
			s := open(t, file)
			enlist(t, s, "w", time.Minute)
			if err := s.Heartbeat(t.Context(), &schedule.Worker{ID: "w"}, time.Minute, false); err != nil {
				t.Fatal(err)
			}
			if err := change(file); err != nil {
				t.Fatal(err)
			}
			if err := s.Heartbeat(t.Context(), &schedule.Worker{ID: "w"}, time.Minute, false); !errors.Is(err, schedule.ErrGone) {
				t.Errorf("it hears %v", err)
			}
		})
	}
}
