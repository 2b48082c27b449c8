// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/schedule"
)

// zones is the directory of the tests' own time zones.
var zones string

func TestMain(m *testing.M) {
	var err error
	if zones, err = os.MkdirTemp("", "zones"); err == nil {
		err = os.Setenv("ZONEINFO", zones) // package time reads it once
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(zones) // the system does so else
	os.Exit(code)
}

// setZone gives a time zone the offsets of a text for TZ (POSIX), in a file of RFC 9636 without a list of shifts.
func setZone(t *testing.T, name, rule string) {
	t.Helper()
	block := "TZif2" + strings.Repeat("\x00", 15+19) + "\x01\x00\x00\x00\x04" + strings.Repeat("\x00", 6) + "LMT\x00"
	file := filepath.Join(zones, name)
	if err := os.WriteFile(file+".new", []byte(block+block+"\n"+rule+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// TestZoneChanges: a government moves its clocks while jobs wait. Their next runs move, with a record of the reason.
// A time that is in the past by the new offsets was missed.
func TestZoneChanges(t *testing.T) {
	t.Parallel()
	const east, west = "EAST-3", "WEST+2"
	for name, tt := range map[string]struct {
		schedule, from, to string
		running            bool // while the rules change
		want               string
		moved              bool
	}{
		"later":                {"every day at 9am", east, west, true, "11h0m0s:succeeded:1", true},
		"earlier":              {"every day at 3pm", west, east, true, "12h0m0s:succeeded:1", true},
		"so early that it was": {"every day at 6am", west, east, true, "3h0m0s:missed:0", true},
		"while nothing serves": {"every day at 9am", east, west, false, "11h0m0s:succeeded:1", true},
		"not for intervals":    {"every 9 hours", east, west, true, "9h0m0s:succeeded:1", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone := strings.ReplaceAll(name, " ", "_")
			inWorld(t, nil, func(w *world) {
				setZone(t, zone, tt.from)
				w.create(schedule.Spec{Schedule: tt.schedule, Zone: zone})
				change := func() { setZone(t, zone, tt.to) }
				if !tt.running {
					w.serve(time.Hour)
					change()
				}
				timer := time.AfterFunc(5*time.Hour, change)
				w.serve(16 * time.Hour)
				timer.Stop()
				w.want("runs", w.runs(), tt.want)
				j := w.job("job")
				if got := j.Moved != nil && strings.Contains(j.Moved.Why, "time zone") && !j.Moved.From.Equal(j.Moved.To); got != tt.moved {
					t.Errorf("why the run is at another time is recorded as %+v", j.Moved)
				}
			})
		})
	}
}

// TestSetBackByTheMissed: a wrong clock recorded times as missed. They run after all, and times that fired count
// once.
func TestSetBackByTheMissed(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "0 * * * *", MaxRuns: 4})
		time.AfterFunc(90*time.Minute-time.Second, func() { w.ahead.Store(int64(2*time.Hour + 30*time.Minute)) }) // 4:00: 2:00 and 3:00 are missed
		time.AfterFunc(100*time.Minute-time.Second, func() { w.ahead.Store(0) })
		w.serve(8 * time.Hour)
		got := strings.Fields(w.runs())
		sortRuns(got)
		w.want("runs", strings.Join(got, " "), "1h0m0s:succeeded:1 2h0m0s:succeeded:1 3h0m0s:succeeded:1 4h0m0s:succeeded:1")
		w.want("calls", strings.Join(w.calls, " "), "1h0m0s 1h30m0s 2h0m0s 3h0m0s")
	})
}

// TestSetBackWaits: after the clock was set back, no retry, validation, interval or alert waits for a time of the
// wrong clock.
func TestSetBackWaits(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.ahead.Store(int64(100 * 24 * time.Hour)) // wrong, from the start on
		fails := true
		w.tool = func(context.Context) string {
			if fails {
				fails = false
				return "not yet"
			}
			return ""
		}
		w.create(schedule.Spec{Name: "retried", Schedule: "in 1 minute", Retries: 1, Backoff: schedule.Duration(5 * time.Minute)})
		w.create(schedule.Spec{Name: "interval", Schedule: "every 20 minutes"})
		w.create(schedule.Spec{Name: "relative", Schedule: "in 30 minutes"})
		w.create(schedule.Spec{Name: "yearly", Schedule: "every year on january 1 at 3am"})
		time.AfterFunc(3*time.Minute-time.Second, func() { w.ahead.Store(0) })
		time.AfterFunc(time.Hour, func() { w.set(func() { w.fault = "gone" }) })
		w.serve(90 * time.Minute)
		w.want("calls", strings.Join(w.calls, " "), "1m0s 3m0s 23m0s 33m0s 43m0s")
		if got := strings.Join(w.alerts, "\n"); !strings.Contains(got, "yearly warned: the run at 2000-01-01 03:00:00 UTC will be refused") {
			t.Errorf("the alerts are\n%s", got)
		}
		if j := w.job("interval"); j.Moved == nil || !strings.Contains(j.Moved.Why, "set back") {
			t.Errorf("why the run is at another time is recorded as %+v", j.Moved)
		}
	})
}

// TestSeenWhenSetBack: clients hear of alerts although the clock was set back.
func TestSeenWhenSetBack(t *testing.T) {
	t.Parallel()
	var seen []string
	inWorld(t, func(c *schedule.Config) { c.Seen = func(a schedule.Alert) { seen = append(seen, string(a.Status)) } }, func(w *world) {
		w.ahead.Store(int64(5 * time.Hour))
		w.tool = func(context.Context) string { return "broken" }
		w.create(schedule.Spec{Schedule: "every 30 minutes"})
		time.AfterFunc(10*time.Minute, func() { w.ahead.Store(0) })
		w.serve(time.Hour)
		w.want("seen", strings.Join(seen, " "), "failing")
	})
}

// A stuck store fails to answer once, and notes the calls of TakeOver.
type stuck struct {
	schedule.Store
	start time.Time
	once  bool
	took  []time.Duration
}

func (s *stuck) NextAt(ctx context.Context, after time.Time) (time.Time, error) {
	if !s.once && time.Since(s.start) > time.Hour {
		s.once = true
		time.Sleep(5 * time.Hour)
	}
	return s.Store.NextAt(ctx, after)
}

func (s *stuck) TakeOver(ctx context.Context, now time.Time, lease time.Duration, attempts int, lost func(*schedule.Job, *schedule.Run, int)) error {
	s.took = append(s.took, time.Since(s.start).Round(time.Hour))
	return s.Store.TakeOver(ctx, now, lease, attempts, lost)
}

// TestNobodyIsDeadAfterAStop: a process was stopped for longer than a lease. Before it takes anything over, it gives
// others and itself time for a heartbeat.
func TestNobodyIsDeadAfterAStop(t *testing.T) {
	t.Parallel()
	var store *stuck
	inWorld(t, func(c *schedule.Config) {
		store = &stuck{Store: c.Store, start: time.Now()}
		c.Store = store
	}, func(w *world) {
		w.serve(9 * time.Hour)
		for _, at := range store.took {
			if at == 6*time.Hour {
				t.Errorf("dead workers are looked for at once: %v", store.took)
			}
		}
	})
}

// A locked is a store whose writer waits once, as for another process that holds the database.
type locked struct {
	schedule.Store
	once sync.Once
}

func (s *locked) NextAt(ctx context.Context, after time.Time) (time.Time, error) {
	s.once.Do(func() { time.Sleep(2 * lease) })
	return s.Store.NextAt(ctx, after)
}

// TestLockIsNoJump holds that a store that answers late is told of as what it is, and a clock that jumps as well.
func TestLockIsNoJump(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	const late, jump = "the store, or this process, took long to answer", "the clock has jumped forward"
	inWorld(t, func(c *schedule.Config) {
		c.Store, c.Logger = &locked{Store: c.Store}, slog.New(slog.NewTextHandler(&log, nil))
	}, func(w *world) {
		w.serve(5 * lease)
		if got := log.String(); !strings.Contains(got, late) || strings.Contains(got, jump) {
			t.Errorf("of a lock the log tells:\n%s", got)
		}
		log.Reset()
		go func() {
			time.Sleep(90 * time.Second)
			w.ahead.Store(int64(time.Hour))
		}()
		w.serve(5 * lease)
		if got := log.String(); strings.Contains(got, late) || !strings.Contains(got, jump) {
			t.Errorf("of a jump the log tells:\n%s", got)
		}
	})
}
