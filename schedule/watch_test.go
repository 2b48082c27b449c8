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

// aMonthOn is far beyond the time in which validations ahead begin.
const aMonthOn = "2000-02-01T00:00:00Z"

// timed makes Config.Alert record when an alert came.
func timed(alerts *[]string) func(*schedule.Config) {
	return func(c *schedule.Config) {
		c.Poll = time.Second
		start := time.Now()
		c.Alert = func(_ context.Context, a *schedule.Notice) error {
			*alerts = append(*alerts, fmt.Sprintf("%s %s %s", time.Since(start).Round(time.Second), a.Name, a.Status))
			return nil
		}
	}
}

// TestToolChange: a changed tool is noticed within seconds, although nobody else uses its server and the run is far away.
func TestToolChange(t *testing.T) {
	t.Parallel()
	var alerts []string
	inWorld(t, timed(&alerts), func(w *world) {
		w.create(schedule.Spec{Schedule: aMonthOn})
		time.AfterFunc(61*time.Second, func() { w.set(func() { w.tools, w.fault = "changed", "unknown argument" }) })
		w.serve(70 * time.Second)
		w.want("alerts", strings.Join(alerts, ", "), "1m5s job warned")
	})
}

// TestStartValidates: what changed while no scheduler was running is noticed at the start.
func TestStartValidates(t *testing.T) {
	t.Parallel()
	var alerts []string
	inWorld(t, timed(&alerts), func(w *world) {
		w.create(schedule.Spec{Schedule: aMonthOn})
		w.serve(time.Minute)
		w.set(func() { w.tools, w.fault = "changed", "unknown argument" })
		time.Sleep(time.Minute)
		w.serve(5 * time.Second)
		w.want("alerts", strings.Join(alerts, ", "), "2m0s job warned")
	})
}

// TestHungServer: a server that does not list its tools delays no alert of another server.
func TestHungServer(t *testing.T) {
	t.Parallel()
	var alerts []string
	inWorld(t, timed(&alerts), func(w *world) {
		for i := range 40 {
			w.create(schedule.Spec{Name: fmt.Sprint("hung", i), Tool: "hung:read", Schedule: aMonthOn})
		}
		w.create(schedule.Spec{Schedule: aMonthOn})
		w.hung = "hung"
		time.AfterFunc(90*time.Second, func() {
			w.set(func() { w.fault = "gone" })
			if err := schedule.Inside(w.Scheduler).Recheck(w.t.Context(), "files"); err != nil {
				t.Error(err)
			}
		})
		w.serve(2 * time.Minute)
		w.want("alerts", strings.Join(alerts, ", "), "1m30s job warned")
	})
}

// A fullStore is a store that cannot change anything for validations ahead.
type fullStore struct{ schedule.Store }

func (s fullStore) Checks(ctx context.Context, server string, now, again time.Time, limit int) ([]*schedule.Job, error) {
	list, err := s.Store.Checks(ctx, server, now, now, limit)
	return list, errors.Join(err, errors.New("the disk is full"))
}

// TestFullStore: a full store does not cause endless validations.
func TestFullStore(t *testing.T) {
	t.Parallel()
	judged := 0
	inWorld(t, func(c *schedule.Config) { c.Store = fullStore{c.Store} }, func(w *world) {
		w.create(schedule.Spec{Schedule: "every day at noon"})
		w.judged = func() {
			if judged++; judged > 100 {
				panic("a storm") // else it would never end: no time goes by
			}
		}
		w.serve(8 * time.Hour)
	})
	if judged > 0 {
		t.Errorf("%d validations of what is due still", judged)
	}
}
