// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/schedule"
)

// fires returns the days of the runs of a job, from the first.
func (w *world) fires(job string) (list []string) {
	w.t.Helper()
	runs, err := w.Runs(w.t.Context(), schedule.RunFilter{Job: job, Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range slices.Backward(runs) {
		list = append(list, r.Fire.Format("0102-15:04"))
	}
	return list
}

// TestCalendars: jobs do not run at times that are left out, or on another day. 1 January 2000 is a Saturday.
func TestCalendars(t *testing.T) {
	race.Skip(t) // days of looks at the tools of servers
	t.Parallel()
	calendars := map[string][]string{"holidays": {"2000-01-03", "01-06"}, "freeze": {"2000-01-11T08:00..2000-01-12T20:00"}}
	inWorld(t, func(c *schedule.Config) { c.Calendars, c.Poll = calendars, time.Hour }, func(w *world) {
		w.create(schedule.Spec{Name: "left out", Schedule: "every day at 9am", Except: []string{"weekend", "holidays", "freeze"}})
		w.create(schedule.Spec{Name: "before", Schedule: "every monday at 9am", Except: []string{"weekend", "holidays"}, Shift: "before", CatchUp: "all"})
		w.create(schedule.Spec{Name: "after", Schedule: "every thursday at 9am", Except: []string{"holidays", "weekend"}, Shift: "after"})
		j := w.create(schedule.Spec{Name: "window", Schedule: "every 6 hours", Except: []string{"22:00..07:00"}})
		if want := "every 6 hours, except 22:00..07:00"; !strings.HasSuffix(j.Words, ", except 22:00..07:00") {
			t.Errorf("in words: %q, want %q", j.Words, want)
		}
		w.serve(14 * 24 * time.Hour)
		got := map[string][]string{"left out": w.fires("left out"), "before": w.fires("before"), "after": w.fires("after"), "window": w.fires("window")[:4]}
		want := map[string][]string{
			"left out": {"0104-09:00", "0105-09:00", "0107-09:00", "0110-09:00", "0113-09:00", "0114-09:00"},
			"before":   {"0110-09:00"}, // 31 December is over when the job is made
			"after":    {"0107-09:00", "0113-09:00"},
			"window":   {"0101-12:00", "0101-18:00", "0102-12:00", "0102-18:00"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
	})
}

// TestCalendarsRefused: each fault is one of the field where it is.
func TestCalendarsRefused(t *testing.T) {
	t.Parallel()
	inWorld(t, func(c *schedule.Config) { c.Calendars = map[string][]string{"holidays": {"01-06"}} }, func(w *world) {
		for want, s := range map[string]schedule.Spec{
			`/except: "holiday" is no calendar and no time: write one of holidays, or days as`: {Schedule: "@daily", Except: []string{"holiday"}},
			`/except: "2000-02-30" is no calendar`:                                             {Schedule: "@daily", Except: []string{"2000-02-30"}},
			"/schedule: never fires: all its times within 12 years":                            {Schedule: "every monday at 9am", Except: []string{"monday"}},
			"/schedule: fires more than once a day":                                            {Schedule: "@hourly", Except: []string{"weekend"}, Shift: "after"},
			"/shift: must be none, before or after":                                            {Schedule: "@daily", Except: []string{"weekend"}, Shift: "next"},
			"/except: must be at most 32":                                                      {Schedule: "@daily", Except: slices.Repeat([]string{"weekend"}, 33)},
		} {
			s.Name, s.Tool = "x", "files:read"
			_, p, err := w.Create(w.t.Context(), s, nil, schedule.How{})
			if refused := (*schedule.RefusedError)(nil); !errors.As(err, &refused) || !strings.Contains(fmt.Sprint(p.Errors), want) {
				t.Errorf("%v: %q, want %s", err, p.Errors, want)
			}
		}
	})
	for _, bad := range []map[string][]string{{"": nil}, {"weekend": nil}, {"x": {"someday"}}, {"12-25": {"12-25"}}} {
		if _, err := schedule.New(schedule.Config{Store: noStore{}, Caller: &world{}, Calendars: bad}); err == nil || !strings.Contains(err.Error(), "calendar") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

type noStore struct{ schedule.Store }

// TestCalendarsChange: Serve gives jobs the calendars as they are now; a calendar that is gone stays with its jobs, and so does
// one whose successor would leave no time to run.
func TestCalendarsChange(t *testing.T) {
	race.Skip(t) // days of looks at the tools of servers
	t.Parallel()
	calendars := map[string][]string{"holidays": {"2000-01-03"}, "gone": {"2000-01-04"}, "all": {"2000-01-03"}}
	inWorld(t, func(c *schedule.Config) { c.Calendars, c.Poll = calendars, time.Hour }, func(w *world) {
		day := func(d int) time.Time { return time.Date(2000, 1, d, 9, 0, 0, 0, time.UTC) }
		w.create(schedule.Spec{Name: "h", Schedule: "every day at 9am", Except: []string{"holidays"}})
		w.create(schedule.Spec{Name: "p", Schedule: "every day at 9am", Except: []string{"holidays"}})
		w.create(schedule.Spec{Name: "g", Schedule: "every day at 9am", Except: []string{"gone"}})
		w.create(schedule.Spec{Name: "a", Schedule: "every day at 9am", Except: []string{"all"}})
		if _, err := w.Pause(w.t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
		calendars["holidays"] = []string{"2000-01-01..2000-01-02"}
		calendars["all"] = []string{"2000-01-01..2020-01-01"}
		delete(calendars, "gone")
		w.serve(time.Minute)
		next := func(job string, want time.Time) {
			t.Helper()
			j, err := w.Get(w.t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			if !j.Next.Equal(want) {
				t.Errorf("the next run of %s is at %s, want %s", job, j.Next, want)
			}
		}
		next("h", day(3))
		next("g", day(1))
		next("a", day(1))
		if _, err := w.Resume(w.t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
		next("p", day(3))
		w.serve(5 * 24 * time.Hour)
		if diff := cmp.Diff([]string{"0101-09:00", "0102-09:00", "0103-09:00", "0105-09:00"}, w.fires("g")); diff != "" {
			t.Errorf("runs of a job whose calendar is gone (-want +got):\n%s", diff)
		}
		if _, _, err := w.Update(w.t.Context(), "h", []byte(`{"except":[]}`), schedule.How{}); err != nil {
			t.Fatal(err)
		}
		next("h", day(6))
	})
}
