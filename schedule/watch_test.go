// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"encoding/json"
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

// slow is a store that fails to make all validations due, for a while.
type slow struct {
	schedule.Store
	until time.Time
}

func (s *slow) CheckSoon(ctx context.Context, server string, now time.Time, after schedule.Place) (schedule.Place, error) {
	if time.Now().Before(s.until) {
		return schedule.Place{}, errors.New("the store does not answer")
	}
	return s.Store.CheckSoon(ctx, server, now, after)
}

// TestStartOfMany: a scheduler begins its runs although the store needs long to make the validation of many jobs due.
func TestStartOfMany(t *testing.T) {
	t.Parallel()
	inWorld(t, func(c *schedule.Config) { c.Store = &slow{c.Store, time.Now().Add(90 * time.Second)} }, func(w *world) {
		j := w.create(schedule.Spec{Schedule: "in 1 minute"})
		later := w.create(schedule.Spec{Name: "later", Schedule: "in 400 hours"})
		w.fault = "gone"
		w.serve(5 * time.Minute)
		if got := w.runs(); !strings.Contains(got, "1m0s:refused") {
			t.Errorf("the runs of %s are %s", j.Name, got)
		}
		if later, err := w.Get(w.t.Context(), later.ID); err != nil || later.Health.Status != schedule.Warned {
			t.Errorf("a job of later was not validated: %v, %v", later.Health, err)
		}
	})
}

// TestNoSecretOfServers: a reason with words of a server, and its verdict, are stored without secrets.
func TestNoSecretOfServers(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "Z7QPLM3KX9TWVB2R" // put together here, so that nobody takes this file for a leak
	for name, set := range map[string]func(*world){
		"a no-go": func(w *world) { w.fault = "the key " + key + " is not valid" },
		"away":    func(w *world) { w.down = errors.New("the key " + key + " is not valid") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(w *world) {
				w.create(schedule.Spec{Schedule: "every 10 minutes"})
				set(w)
				w.serve(2 * time.Hour)
				jobs, err := w.List(w.t.Context(), schedule.JobFilter{})
				if err != nil {
					t.Fatal(err)
				}
				runs, err := w.Runs(w.t.Context(), schedule.RunFilter{})
				if err != nil || len(runs) == 0 {
					t.Fatal(runs, err)
				}
				text, err := json.Marshal([]any{jobs, runs, w.alerts})
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(text), key) || !strings.Contains(string(text), "[redacted:") {
					t.Errorf("stored is %.2000s", text)
				}
			})
		})
	}
}
