// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"errors"
	"fmt"
	"os"
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
		"every weekday at 9am":                          "at 09:00, every Monday to Friday | 11-23 09:00, 11-24 09:00",
		"every monday and thursday at 9:30":             "at 09:30, every Monday and Thursday | 11-23 09:30, 11-26 09:30",
		"every day except sunday at 8am":                "at 08:00, every day except Sunday | 11-23 08:00, 11-24 08:00",
		"every day at 9am except sunday":                "at 09:00, every day except Sunday | 11-23 09:00, 11-24 09:00",
		"in 5 minutes":                                  "once, on Saturday 21 November 2026 at 10:35:00 CET | 11-21 10:35",
		"tomorrow at noon":                              "once, on Sunday 22 November 2026 at 12:00:00 CET | 11-22 12:00",
		"on 2026-12-24 at 18:00":                        "once, on Thursday 24 December 2026 at 18:00:00 CET | 12-24 18:00",
		"in 400 days":                                   "once, on Sunday 26 December 2027 at 10:30:00 CET | 12-26 10:30",
		"first day of the month at 10am":                "at 10:00, on the 1st day of every month | 12-01 10:00, 01-01 10:00",
		"on the 31st day of every month at 9am":         "at 09:00, on the 31st day of every month | 12-31 09:00, 01-31 09:00",
		"every last day of the month at 9am":            "at 09:00, on the last day of every month | 11-30 09:00, 12-31 09:00",
		"last friday of the month at 5pm":               "at 17:00, on the last Friday of every month | 11-27 17:00, 12-25 17:00",
		"fifth monday of the month at 5pm":              "at 17:00, on the 5th Monday of every month | 11-30 17:00, 03-29 17:00",
		"last weekday of the month at 5pm":              "at 17:00, on the last weekday of every month | 11-30 17:00, 12-31 17:00",
		"on the 1st and 15th of every month at noon":    "at 12:00, on the 1st and 15th day of every month | 12-01 12:00, 12-15 12:00",
		"every 2 hours":                                 "every 2 hours, counted from 2026-11-21 10:30:00 CET | 11-21 12:30, 11-21 14:30",
		"every 45 minutes":                              "every 45 minutes, counted from 2026-11-21 10:30:00 CET | 11-21 11:15, 11-21 12:00",
		"every 90m":                                     "every 90 minutes, counted from 2026-11-21 10:30:00 CET | 11-21 12:00, 11-21 13:30",
		"@every 1h30m":                                  "every 90 minutes, counted from 2026-11-21 10:30:00 CET | 11-21 12:00, 11-21 13:30",
		"every day at 6:30 and 18:30":                   "at 06:30 and 18:30, every day | 11-21 18:30, 11-22 06:30",
		"Every  Mon-Fri at 9 am, 5 pm":                  "at 09:00 and 17:00, every Monday to Friday | 11-23 09:00, 11-23 17:00",
		"every friday to monday at 12am":                "at 00:00, every Monday, Friday, Saturday and Sunday | 11-22 00:00, 11-23 00:00",
		"at 9am on weekdays":                            "at 09:00, every Monday to Friday | 11-23 09:00, 11-24 09:00",
		"every year on the second sunday of may at 9am": "at 09:00, on the 2nd Sunday of every May | 05-09 09:00, 05-14 09:00",
		"every friday night at 11":                      "at 23:00, every Friday | 11-27 23:00, 12-04 23:00",
		"twice a week on monday and thursday at 4pm":    "at 16:00, every Monday and Thursday | 11-23 16:00, 11-26 16:00",
		"every alternate monday at 9am":                 "at 09:00, every 2 weeks on Monday from 2026-11-23 | 11-23 09:00, 12-07 09:00",
		"every night at 2":                              "at 02:00, every day | 11-22 02:00, 11-23 02:00",
		"every 3 days at 9am":                           "at 09:00, every 3 days from 2026-11-21 | 11-24 09:00, 11-27 09:00",
		"every other day at 9pm":                        "at 21:00, every 2 days from 2026-11-21 | 11-21 21:00, 11-23 21:00",
		"every year on february 29 at noon":             "at 12:00, every year on February 29 | 02-29 12:00, 02-29 12:00",
		"2026-12-24T18:00:00Z":                          "once, on Thursday 24 December 2026 at 19:00:00 CET | 12-24 19:00",
		"0 9 * * 1-5":                                   "whenever the clock shows minute 0, hour 9, Monday to Friday | 11-23 09:00, 11-24 09:00",
		"* * * * * *":                                   "every second | 11-21 10:30, 11-21 10:30",
		"* * * * *":                                     "every minute | 11-21 10:31, 11-21 10:32",
		"30 0 9 * * MON":                                "whenever the clock shows second 30, minute 0, hour 9, Monday | 11-23 09:00, 11-30 09:00",
		"0 9 13 * 5":                                    "whenever the clock shows minute 0, hour 9, day of the month 13 or Friday (either of the days, as crontab(5) says) | 11-27 09:00, 12-04 09:00",
		"0 9 */2 * 1":                                   "whenever the clock shows minute 0, hour 9, day of the month */2 and Monday (both, as crontab(5) says of a field that begins with *) | 11-23 09:00, 12-07 09:00",
		"0 18-21/4 * * sat#3,friL":                      "whenever the clock shows minute 0, hour 18-21/4, the 3rd Saturday of the month and the last Friday of the month | 11-21 18:00, 11-27 18:00",
		"0 9 * * 5-7":                                   "whenever the clock shows minute 0, hour 9, Friday, Saturday and Sunday | 11-22 09:00, 11-27 09:00",
		"0 0 9 ? * mon-fri":                             "whenever the clock shows minute 0, hour 9, Monday to Friday | 11-23 09:00, 11-24 09:00",
		"every 15 minutes from 9am to 5pm on weekdays":  "every 15 minutes from 09:00 to 17:00, every Monday to Friday | 11-23 09:00, 11-23 09:15",
		"every other monday at 9am":                     "at 09:00, every 2 weeks on Monday from 2026-11-23 | 11-23 09:00, 12-07 09:00",
		"every second friday at 5pm":                    "at 17:00, every 2 weeks on Friday from 2026-11-27 | 11-27 17:00, 12-11 17:00",
		"every day at 9am from monday":                  "at 09:00, every day from 2026-11-23 | 11-23 09:00, 11-24 09:00",
		"first monday and friday of the month at 9am":   "at 09:00, on the 1st Monday and the 1st Friday of every month | 12-04 09:00, 12-07 09:00",
		"@daily": "every day at 00:00 | 11-22 00:00, 11-23 00:00",
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
		"every day at 9":                         "in the morning or in the evening",
		"every day at 25:00":                     "no clock shows",
		"every day at 13pm":                      "no clock shows",
		"every wekday at 9am":                    `did you mean "weekday"`,
		"on monday at 9am":                       "one day or every week",
		"weekly at 9am":                          "on which day of the week",
		"monthly":                                "on which day of the month",
		"first monday at 9am":                    `"of the month" may stand`,
		"not every minute":                       "not understood from word 2",
		"every sunday except sunday at 8am":      "all its days are left out",
		"tomorrow at 9am and 5pm":                "make a job for each",
		"every 2 months at 9am":                  "on which day of the month",
		"every 400 days":                         "at what time",
		"every 0 minutes":                        "not between a second and a year",
		"in 0 minutes":                           "for now",
		"in 20 years":                            "not understood from word 3",
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
		"10 to 11am every day":                   "in the morning or in the evening",
		"every other weekend at noon":            "name the days",
		"every sunday, tomorrow at 9am":          "one date and repeated days",
		"every second monday in december at 9am": "interval and a time",
		"next sunday at 9am":                     "the one of the next week",
		"every day at 9am until friday":          "end_date",
		"every day at 9am utc":                   "names a time zone",
		"biweekly on monday at 9am":              "twice in one or once in two",
		"every hour from 9 to 5":                 "in the morning or in the evening",
		"first weekend of the month at 9am":      "whose two days may lie in two months",
		"0 9 * * 3L":                             "there Sunday is 1",
		"0 9 * * 2#1":                            "there Sunday is 1",
		"0 0 9 ? * 2":                            "there Sunday is 1",
		"*/90 * * * *":                           "minutes is wrong",
		"@reboot":                                "no cron expression",
		"every friday night at 1am":              "that day or the next",
		"weekdays at 1 at night":                 "that day or the next",
		"every day except sunday at 2 at night":  "that day or the next",
		"twice a week on monday and thursday at 4pm tomorrow": "one date and repeated days",
		"once a week on monday and tuesday at 9am":            "another number of times",
		"once a week at 9am":                                  "on which day of the week",
		"twice a day every hour":                              "another number of times",
		"once a day at 9am and 5pm":                           "another number of times",
		"three times a week on monday at 9am":                 "another number of times",
		"twice a week at 9am":                                 "another number of times",
		"tomorrow at 3 at night":                              "that day or the next",
		"every day at 9am from saturday":                      "today or in a week",
		"every 2 weeks from saturday at 9am":                  "today or in a week",
		"every day at 9am!":                                   "signs",
		"every día at 9am":                                    "ASCII",
		strings.Repeat("9", 600):                              "longer",
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
		{"America/New_York", "0 */1 * * *", "2027-11-07T00:31:00-04:00", "2027-11-07T01:00:00-04:00 2027-11-07T01:00:00-05:00"},
		{"America/New_York", "*/30 0-23 * * *", "2027-11-07T01:01:00-04:00", "2027-11-07T01:30:00-04:00 2027-11-07T01:00:00-05:00"},
		{"America/New_York", "every 30 minutes on sundays", "2027-11-07T01:01:00-04:00", "2027-11-07T01:30:00-04:00 2027-11-07T01:00:00-05:00"},
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
	data, err := os.ReadFile("testdata/phrases.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		text, _, _ := strings.Cut(line, " => ")
		f.Add(text, int64(len(line)*1e6))
	}
	for _, form := range forms {
		f.Add(form, int64(0))
	}
	for _, text := range []string{"0 9 * * 1-5", " 0 0 00 0 0", "*/7 */5 * * *", "@hourly", "every 90m", "2030-01-01T00:00:00Z", "0 0 29 2 *", "0 2 L * *", "at at at", "every , and 9am"} {
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
			if again.Canonical() != s.Canonical() || again.Words() != s.Words() {
				t.Fatalf("%q: its canonical text %q reads as %q, %q", text, s.Canonical(), again.Canonical(), again.Words())
			}
			if strings.HasPrefix(s.Words(), "at ") || strings.Contains(s.Words(), "00, ") { // the read-back of a calendar is English itself
				if spoken, err := Restore(s.Words(), z); err != nil || spoken.Canonical() != s.Canonical() {
					t.Fatalf("%q: its words %q read as another schedule: %v %v", text, s.Words(), spoken, err)
				}
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
