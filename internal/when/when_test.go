// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// now is a Saturday.
var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestUnderstood(t *testing.T) {
	t.Parallel()
	vienna := zone(t, "Europe/Vienna")
	for text, want := range map[string]string{
		"every weekday at 9am":                       "every weekday at 09:00 | 11-23 09:00, 11-24 09:00",
		"every monday and thursday at 9:30":          "every Monday and Thursday at 09:30 | 11-23 09:30, 11-26 09:30",
		"every day except sunday at 8am":             "every day except Sunday at 08:00 | 11-23 08:00, 11-24 08:00",
		"every day at 9am except sunday":             "every day except Sunday at 09:00 | 11-23 09:00, 11-24 09:00",
		"in 5 minutes":                               "once, on Saturday 21 November 2026 at 10:35:00 CET | 11-21 10:35",
		"tomorrow at noon":                           "once, on Sunday 22 November 2026 at 12:00:00 CET | 11-22 12:00",
		"on 2026-12-24 at 18:00":                     "once, on Thursday 24 December 2026 at 18:00:00 CET | 12-24 18:00",
		"in 400 days":                                "once, on Sunday 26 December 2027 at 10:30:00 CET | 12-26 10:30",
		"first day of the month at 10am":             "on the 1st day of every month at 10:00 | 12-01 10:00, 01-01 10:00",
		"on the 31st day of every month at 9am":      "on the 31st day of every month at 09:00 | 12-31 09:00, 01-31 09:00",
		"every last day of the month at 9am":         "on the last day of every month at 09:00 | 11-30 09:00, 12-31 09:00",
		"last friday of the month at 5pm":            "on the last Friday of every month at 17:00 | 11-27 17:00, 12-25 17:00",
		"fifth monday of the month at 5pm":           "on the 5th Monday of every month at 17:00 | 11-30 17:00, 03-29 17:00",
		"last weekday of the month at 5pm":           "on the last weekday of every month at 17:00 | 11-30 17:00, 12-31 17:00",
		"on the 1st and 15th of every month at noon": "on the 1st and 15th day of every month at 12:00 | 12-01 12:00, 12-15 12:00",
		"every 2 hours":                              "every 2 hours, counted from 2026-11-21 10:30:00 CET | 11-21 12:30, 11-21 14:30",
		"every 45 minutes":                           "every 45 minutes, counted from 2026-11-21 10:30:00 CET | 11-21 11:15, 11-21 12:00",
		"every 90m":                                  "every 90 minutes, counted from 2026-11-21 10:30:00 CET | 11-21 12:00, 11-21 13:30",
		"@every 1h30m":                               "every 90 minutes, counted from 2026-11-21 10:30:00 CET | 11-21 12:00, 11-21 13:30",
		"every day at 6:30 and 18:30":                "every day at 06:30 and 18:30 | 11-21 18:30, 11-22 06:30",
		"Every  Mon-Fri at 9 am, 5 pm":               "every weekday at 09:00 and 17:00 | 11-23 09:00, 11-23 17:00",
		"every friday to monday at 12am":             "every Monday, Friday, Saturday and Sunday at 00:00 | 11-22 00:00, 11-23 00:00",
		"at 9am on weekdays":                         "every weekday at 09:00 | 11-23 09:00, 11-24 09:00",
		"every 3 days at 9am":                        "every 3 days from 2026-11-21 at 09:00 | 11-24 09:00, 11-27 09:00",
		"every other day at 9pm":                     "every 2 days from 2026-11-21 at 21:00 | 11-21 21:00, 11-23 21:00",
		"every year on february 29 at noon":          "every year on February 29 at 12:00 | 02-29 12:00, 02-29 12:00",
		"2026-12-24T18:00:00Z":                       "once, on Thursday 24 December 2026 at 19:00:00 CET | 12-24 19:00",
		"0 9 * * 1-5":                                "whenever the clock shows minute 0, hour 9, day of the week 1-5 | 11-23 09:00, 11-24 09:00",
		"* * * * * *":                                "every second | 11-21 10:30, 11-21 10:30",
		"* * * * *":                                  "every minute | 11-21 10:31, 11-21 10:32",
		"30 0 9 * * MON":                             "whenever the clock shows second 30, minute 0, hour 9, day of the week mon | 11-23 09:00, 11-30 09:00",
		"0 9 13 * 5":                                 "whenever the clock shows minute 0, hour 9, day of the month 13, day of the week 5 (either of the days, as crontab(5) says) | 11-27 09:00, 12-04 09:00",
		"@daily":                                     "every day at 00:00 | 11-22 00:00, 11-23 00:00",
	} {
		s, err := Parse(text, vienna, now)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var times []string
		for _, at := range s.Times(now, 2) {
			times = append(times, at.Format("01-02 15:04"))
		}
		if diff := cmp.Diff(want, s.Words()+" | "+strings.Join(times, ", ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		again, err := Restore(s.Canonical(), vienna)
		if err != nil || again.Canonical() != s.Canonical() || again.Words() != s.Words() {
			t.Errorf("%q: its canonical text %q reads as another: %v %v", text, s.Canonical(), again, err)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       "is empty",
		"every day":                              "does not say at what time",
		"every day at 17":                        "without minutes",
		"every day at 9":                         "in the morning or in the evening",
		"every day at 25:00":                     "no clock shows",
		"every day at 13pm":                      "no clock shows",
		"every wekday at 9am":                    `did you mean "weekday"`,
		"on monday at 9am":                       "one day or every week",
		"weekly at 9am":                          "on which day of the week",
		"monthly":                                "on which day of the month",
		"first monday at 9am":                    `"of the month" may stand`,
		"not every minute":                       "not understood from word 1",
		"every minute between 9am and 5pm":       "not understood from word 3",
		"every sunday except sunday at 8am":      "all its days are left out",
		"1st and 3rd friday of the month at 9am": "more than one of the month's weekdays",
		"tomorrow at 9am and 5pm":                "make a job for each",
		"every 2 months at 9am":                  "counts months",
		"every 400 days":                         "at what time",
		"every 0 minutes":                        "not between a second and a year",
		"in 0 minutes":                           "for now",
		"in 20 years":                            "a number with seconds",
		"in 5000 days":                           "more than ten years",
		"today at 9am":                           "in the past",
		"2020-01-01T00:00:00Z":                   "in the past",
		"2026-02-30T00:00:00Z":                   "no moment",
		"2026-12-24T18:00:00":                    "without its distance from UTC",
		"30-10 * * * *":                          "runs backward, 30-10",
		"0 9 * 12-2 *":                           "runs backward, 12-2",
		"@every 1ns":                             "between a second and a year",
		"every february 30 at 9am":               "no such date",
		"0 0 30 2 *":                             "no such date",
		"0 25 * * *":                             "hours is wrong",
		"CRON_TZ=UTC 0 9 * * *":                  "names a time zone",
		"@reboot":                                "no cron expression",
		"every day at 9am!":                      "signs",
		"every día at 9am":                       "ASCII",
		strings.Repeat("9", 600):                 "longer",
	} {
		_, err := Parse(text, time.UTC, now)
		var wrong *Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
			continue
		}
		for _, form := range wrong.Near {
			form = strings.Trim(form, `"`)
			if strings.HasPrefix(form, "at ") { // a part
				form = "every day " + form
			}
			if _, err := Parse(form, time.UTC, now); err != nil {
				t.Errorf("%q: its near form %q is refused: %v", text, form, err)
			}
		}
	}
}

// TestClockChanges checks the statements of the package comment in zones that move their clocks by an hour at night,
// by half an hour, and at midnight.
func TestClockChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ zone, text, from, want string }{
		{"America/New_York", "every day at 2:30", "2027-03-13T12:00:00-05:00", "2027-03-14T03:00:00-04:00 2027-03-15T02:30:00-04:00"},
		{"America/New_York", "30 2 * * *", "2027-03-13T12:00:00-05:00", "2027-03-14T03:00:00-04:00 2027-03-15T02:30:00-04:00"},
		{"America/New_York", "every day at 2:30 and 3:00", "2027-03-13T12:00:00-05:00", "2027-03-14T03:00:00-04:00 2027-03-15T02:30:00-04:00"},
		{"America/New_York", "every day at 1:30", "2027-11-06T12:00:00-04:00", "2027-11-07T01:30:00-04:00 2027-11-08T01:30:00-05:00"},
		{"America/New_York", "30 1 * * *", "2027-11-07T01:31:00-05:00", "2027-11-08T01:30:00-05:00 2027-11-09T01:30:00-05:00"},
		{"America/New_York", "30 * * * *", "2027-11-07T00:31:00-04:00", "2027-11-07T01:30:00-04:00 2027-11-07T01:30:00-05:00"},
		{"America/New_York", "30 * * * *", "2027-03-14T01:00:00-05:00", "2027-03-14T01:30:00-05:00 2027-03-14T03:30:00-04:00"},
		{"America/New_York", "every 90m", "2027-03-14T01:00:00-05:00", "2027-03-14T03:30:00-04:00 2027-03-14T05:00:00-04:00"},
		{"Australia/Lord_Howe", "every day at 2:15", "2027-10-02T12:00:00+10:30", "2027-10-03T02:30:00+11:00 2027-10-04T02:15:00+11:00"},
		{"Australia/Lord_Howe", "every day at 1:45", "2027-04-03T12:00:00+11:00", "2027-04-04T01:45:00+11:00 2027-04-05T01:45:00+10:30"},
		{"Africa/Cairo", "@daily", "2027-04-29T12:00:00+02:00", "2027-04-30T01:00:00+03:00 2027-05-01T00:00:00+03:00"},
		{"Africa/Cairo", "every day at 23:30", "2027-10-28T12:00:00+03:00", "2027-10-28T23:30:00+03:00 2027-10-29T23:30:00+02:00"},
		{"Pacific/Apia", "every friday at noon", "2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00 2012-01-06T12:00:00+14:00"},
		{"UTC", "0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z 2108-02-29T00:00:00Z"},
	} {
		from, err := time.Parse(time.RFC3339, tt.from)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(tt.text, zone(t, tt.zone), from)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		var got []string
		for _, at := range s.Times(from, 2) {
			got = append(got, at.Format(time.RFC3339))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", tt.zone, tt.text, diff)
		}
	}
}

// ruled loads a zone from a file without a list of shifts, as small installations have them: see RFC 9636, footer.
func ruled(t testing.TB, rule string) *time.Location {
	t.Helper()
	block := "TZif2" + strings.Repeat("\x00", 15+19) + "\x01\x00\x00\x00\x04" + strings.Repeat("\x00", 6) + "LMT\x00"
	z, err := time.LoadLocationFromTZData("Ruled", []byte(block+block+"\n"+rule+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestRuledZone compares such a zone with a zone that lists its shifts, around the turn of a leap year and the next
// shift.
func TestRuledZone(t *testing.T) {
	t.Parallel()
	listed, ruled := zone(t, "America/New_York"), ruled(t, "EST5EDT,M3.2.0,M11.1.0")
	from := time.Date(2028, 12, 30, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{"every day at 6pm", "every day at 23:59", "30 * * * *", "0 0 31 12 *", "every year on december 31 at noon", "every day at 2:30am"} {
		var times [2][]string
		for i, z := range []*time.Location{listed, ruled} {
			s, err := Parse(text, z, from)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range s.Times(from, 100) {
				times[i] = append(times[i], at.Format(time.RFC3339))
			}
		}
		if diff := cmp.Diff(times[0], times[1]); diff != "" {
			t.Errorf("%s (-listed +ruled):\n%s", text, diff)
		}
	}
}

func TestOffsets(t *testing.T) {
	t.Parallel()
	east, west := ruled(t, "EST5EDT,M3.2.0,M11.1.0"), ruled(t, "EST5EDT,M3.2.0,M11.2.0")
	if Offsets(east, now) == Offsets(west, now) {
		t.Error("different offsets look alike")
	}
	if diff := cmp.Diff(Offsets(zone(t, "America/New_York"), now), Offsets(east, now)); diff != "" {
		t.Errorf("the same rules, written in two ways (-listed +ruled):\n%s", diff)
	}
}

// TestMinuteScan compares Next with a look at every minute of the days around a change of the clock.
func TestMinuteScan(t *testing.T) {
	t.Parallel()
	for _, z := range []string{"America/New_York", "Australia/Lord_Howe", "Africa/Cairo"} {
		zone := zone(t, z)
		for _, change := range changes(zone, 2027) {
			from, to := change.Add(-30*time.Hour), change.Add(30*time.Hour)
			for minute := 0; minute < 24*60; minute += 15 {
				text := fmt.Sprintf("every day at %02d:%02d", minute/60, minute%60)
				s, err := Parse(text, zone, from)
				if err != nil {
					t.Fatal(err)
				}
				cron, err := Parse(fmt.Sprintf("%d %d * * *", minute%60, minute/60), zone, from)
				if err != nil {
					t.Fatal(err)
				}
				want := scan(from, to, zone, minute)
				for _, s := range []*Schedule{s, cron} {
					if diff := cmp.Diff(want, until(s, from, to)); diff != "" {
						t.Fatalf("%s: %s (-scan +Next):\n%s", z, s.Words(), diff)
					}
				}
			}
		}
	}
}

func changes(zone *time.Location, year int) (list []time.Time) {
	for t := time.Date(year, 1, 1, 0, 0, 0, 0, zone); ; {
		_, end := t.ZoneBounds()
		if end.IsZero() || end.Year() > year {
			return list
		}
		list = append(list, end)
		t = end
	}
}

func until(s *Schedule, from, to time.Time) (list []string) {
	for t := s.Next(from); !t.IsZero() && t.Before(to); t = s.Next(t) {
		list = append(list, t.Format(time.RFC3339))
	}
	return list
}

// scan finds the minutes at which a daily time fires. Shown holds the times that a clock has already shown.
func scan(from, to time.Time, zone *time.Location, minute int) (list []string) {
	shown := map[string]bool{}
	for t := from.Add(-24 * time.Hour); t.Before(to); t = t.Add(time.Minute) {
		local := t.In(zone)
		day := local.Format(time.DateOnly)
		_, before := local.Add(-time.Minute).Zone()
		_, after := local.Zone()
		of := local.Hour()*60 + local.Minute()
		gap := (after - before) / 60
		fires := of == minute || gap > 0 && minute >= (of-gap+1440)%1440 && minute < (of-gap+1440)%1440+gap
		if fires && !shown[day] {
			shown[day] = true
			if t.After(from) {
				list = append(list, local.Format(time.RFC3339))
			}
		}
	}
	return list
}

func FuzzParse(f *testing.F) {
	for _, form := range forms {
		f.Add(form, int64(0))
	}
	for _, text := range []string{"0 9 * * 1-5", "*/7 */5 * * *", "@hourly", "every 90m", "2030-01-01T00:00:00Z", "0 0 29 2 *", "0 2 L * *", "at at at", "every , and 9am"} {
		f.Add(text, int64(1e8))
	}
	f.Fuzz(func(t *testing.T, text string, offset int64) {
		at := now.Add(time.Duration(offset%(20*365*86400)) * time.Second)
		for _, name := range []string{"Europe/Vienna", "Australia/Lord_Howe", "Africa/Cairo"} {
			z := zone(t, name)
			s, err := Parse(text, z, at)
			if err != nil {
				continue
			}
			again, err := Restore(s.Canonical(), z)
			if err != nil {
				t.Fatalf("%q: its canonical text %q is refused: %v", text, s.Canonical(), err)
			}
			last := at
			for range 5 {
				next := s.Next(last)
				if !next.Equal(again.Next(last)) {
					t.Fatalf("%q and its canonical text %q differ", text, s.Canonical())
				}
				if next.IsZero() {
					break
				}
				if !next.After(last) {
					t.Fatalf("%q: %v comes after %v", text, next, last)
				}
				last = next
			}
		}
	})
}
