// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/blackout"
)

// TestExcept compares times of schedules without those that are closed, or with these moved.
func TestExcept(t *testing.T) {
	t.Parallel()
	vienna, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Skip(err)
	}
	now := time.Date(2026, 12, 22, 12, 0, 0, 0, vienna) // a Tuesday
	for _, test := range []struct{ schedule, closed, shift, want string }{
		{"every day at 9am", "", "", "12-23 09:00, 12-24 09:00, 12-25 09:00"},
		{"every day at 9am", "2026-12-24", "", "12-23 09:00, 12-25 09:00, 12-26 09:00"},
		{"every day at 9am", "12-24..01-02", "", "12-23 09:00, 01-03 09:00, 01-04 09:00"},
		{"every day at 9am", "weekend; 12-25", "", "12-23 09:00, 12-24 09:00, 12-28 09:00"},
		{"every day at 9am", "Sunday; sat", "none", "12-23 09:00, 12-24 09:00, 12-25 09:00"},
		{"every day at 9am", "2026-12-23T09:00..2026-12-24T09:00", "", "12-24 09:00, 12-25 09:00, 12-26 09:00"},
		{"2099-05-25T17:00:00+02:00", "05-25", "before", "05-24 17:00"},
		{"2099-05-25T17:00:00+02:00", "05-24", "", "05-25 17:00"},
		{"every minute", "22:00..06:00; 2026-12-22T12:01..2026-12-22T21:59", "", "12-22 21:59, 12-23 06:00, 12-23 06:01"},
		{"every 12 hours", "sat 22:00..mon 04:00", "", "12-23 00:00, 12-23 12:00, 12-24 00:00"},
		{"0 23 * * 6,0", "sat 22:00..sun 04:00", "", "12-27 23:00, 01-03 23:00, 01-10 23:00"},
		{"last weekday of the month at 5pm", "2026-12-28..2027-01-06", "before", "12-27 17:00, 01-29 17:00, 02-26 17:00"},
		{"last weekday of the month at 5pm", "2026-12-28..2027-01-06; weekend; 12-25", "before", "12-24 17:00, 01-29 17:00, 02-26 17:00"},
		{"0 9 25 * *", "weekend; 12-25..12-26", "after", "12-28 09:00, 01-25 09:00, 02-25 09:00"},
		{"0 9 25,28 12 *", "weekend; 12-25..12-26", "after", "12-28 09:00, 12-27 09:00, 12-28 09:00"}, // two become one
		{"0 9 22 12 *", "2026-12-22", "after", "12-23 09:00, 12-22 09:00, 12-22 09:00"},               // one before now moves to after it
		{"30 2 27 3 *", "2027-03-27", "after", "03-28 03:00, 03-27 02:30, 03-27 02:30"},               // where the clock goes from 2 to 3
	} {
		s, err := Parse(test.schedule, vienna, now)
		if err != nil {
			t.Fatal(err)
		}
		shut, err := blackout.Parse(strings.FieldsFunc(test.closed, func(r rune) bool { return r == ';' }))
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.Except(shut, test.shift, now); err != nil {
			t.Errorf("%s except %s: %v", test.schedule, test.closed, err)
			continue
		}
		var got []string
		for _, at := range s.Times(now, 3) {
			got = append(got, at.Format("01-02 15:04"))
		}
		if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s except %s %s (-want +got):\n%s", test.schedule, test.closed, test.shift, diff)
		}
	}
}

func TestExceptRefused(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 22, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct{ schedule, closed, shift, want string }{
		{"every monday at 9am", "monday", "", "never fires: all its times within 12 years are at times that are left out"},
		{"every minute", "weekend; mon; tue; wed; thu; fri", "", "never fires"},
		{"every day at 9am", "weekend; mon; tue; wed; thu; fri", "after", "never fires"},
		{"every minute", "weekend", "after", "fires more than once a day"},
		{"every hour", "weekend", "after", "fires more than once a day"},
		{"2026-12-24T18:00:00Z", "12-24", "none", "never fires"},
	} {
		s, err := Parse(test.schedule, nil, now)
		if err != nil {
			t.Fatal(err)
		}
		shut, err := blackout.Parse(strings.Split(test.closed, "; "))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := s.Except(shut, test.shift, now); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s except %s %s: %v, want %s", test.schedule, test.closed, test.shift, err, test.want)
		}
		t.Log(test.schedule, time.Since(began))
	}
}

// TestExceptRandom compares with all times of the schedule, looked at one by one.
func TestExceptRandom(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Skip(err)
	}
	schedules := []string{"17 * * * *", "*/20 * * * *", "30 2 * * *", "every day at 9am", "0 9 1,15 * *", "last weekday of the month at 5pm", "every 36h"}
	entries := []string{"weekend", "tue", "12-24..01-02", "2027-03-20..2027-03-29", "22:00..06:00", "sat 22:00..sun 04:00", "2026-10-20T02:15..2026-10-25T02:45", "10-31", "02:00..03:00"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		now := time.Date(2026, 10, 1, 0, 0, 0, 0, zone).Add(time.Duration(rnd.IntN(200*24*60)) * time.Minute)
		text := schedules[rnd.IntN(len(schedules))]
		shift := []string{ShiftNone, ShiftBefore, ShiftAfter}[rnd.IntN(3)]
		var list []string
		for range rnd.IntN(4) {
			list = append(list, entries[rnd.IntN(len(entries))])
		}
		s, err := Parse(text, zone, now)
		if err != nil {
			t.Fatal(err)
		}
		shut, err := blackout.Parse(list)
		if err != nil {
			t.Fatal(err)
		}
		if s.Next(s.Next(now)).Sub(s.Next(now)) < closest {
			shift = ShiftNone
		}
		var want []time.Time
		until := now.AddDate(0, 0, 60)
		for at := s.Next(now.AddDate(0, 0, -40)); !at.IsZero() && at.Before(until.AddDate(0, 0, 40)); at = s.Next(at) {
			_, is := shut.At(naive(at))
			switch {
			case !is:
				want = append(want, at)
			case shift != ShiftNone:
				want = append(want, s.move(shut, shift, at))
			}
		}
		seen := map[int64]bool{}
		for _, at := range want {
			if at.After(now) && at.Before(until) {
				seen[at.Unix()] = true
			}
		}
		without, got := s.Without(shut, shift), map[int64]bool{}
		for at := without.Next(now); !at.IsZero() && at.Before(until); at = without.Next(at) {
			got[at.Unix()] = true
		}
		if diff := cmp.Diff(seen, got); diff != "" {
			t.Errorf("%s except %q, %s, from %s (-want +got):\n%s", text, list, shift, now, diff)
		}
	}
}
