// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// TestTurnsLast: runs that wait for their turn go on waiting when a scheduler starts, or the clock is set back. A claim would look
// at each of them otherwise.
func TestTurnsLast(t *testing.T) {
	stores(t, func(t *testing.T, s *store) {
		jobs := []*schedule.Job{newJob("late", now), newJob("early", now)}
		create(t, s, jobs...)
		for i := range 20 {
			for n, j := range jobs {
				at := now.Add(time.Duration(i+n*1000) * time.Second)
				if err := s.AddRun(t.Context(), &schedule.Run{ID: jobspec.NewID(at), Job: j.ID, Fire: at, Kind: "schedule", State: schedule.Queued, Ready: at, Exclusive: true}, 100); err != nil {
					t.Fatal(err)
				}
			}
		}
		shown := func() (n int) {
			if err := s.read.QueryRowContext(context.Background(), "SELECT count(*) FROM schedule_runs WHERE waits = 0").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for _, back := range []time.Duration{time.Hour, 500 * time.Second} {
			if err := s.SetBack(t.Context(), now.Add(back), time.Minute); err != nil {
				t.Fatal(err)
			}
			if n := shown(); n > 2*len(jobs) {
				t.Errorf("set back to %s later, %d of 40 runs do not wait", fmt.Sprint(back), n)
			}
		}
	})
}
