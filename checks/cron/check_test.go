// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check/checktest"
)

var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, New(func() time.Time { return now }), "testdata")
}

// TestBeyondPolicies holds options that no policy can give, and an expression that is too long.
func TestBeyondPolicies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		zone, text, want string
	}{
		{"Mars/Olympus", "30 2 * * *", "cannot be judged: the policy's time zone is unknown here"},
		{"Local", "30 2 * * *", "cannot be judged: the policy's time zone is unknown here"},
		{"", strings.Repeat("0,", 1<<19) + "0 * * * *", "is longer than the allowed 512 bytes"},
	} {
		got := (&Options{Timezone: tt.zone}).judge(tt.text, now)
		if len(got) != 1 || got[0].Message != tt.want {
			t.Errorf("%s %.20s: got %v, want %q", tt.zone, tt.text, got, tt.want)
		}
	}
	if got := (&Options{MinInterval: -1, MaxHorizon: -1}).problems(); len(got) != 2 {
		t.Errorf("negative durations: got %v, want two problems", got)
	}
}

// TestRuledZone holds that the shifts of a zone file with only a rule are found over the turn of
// a leap year.
func TestRuledZone(t *testing.T) {
	t.Parallel()
	block := "TZif2" + strings.Repeat("\x00", 15+19) + "\x01\x00\x00\x00\x04" + strings.Repeat("\x00", 6) + "LMT\x00"
	zone, err := time.LoadLocationFromTZData("Ruled", []byte(block+block+"\nEST5EDT,M3.2.0,M11.1.0\n"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := parse("30 2 * * *")
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2028, 12, 1, 0, 0, 0, 0, time.UTC).In(zone)
	if got := e.shifts(from); len(got) != 1 || !strings.Contains(got[0].Message, "does not exist") {
		t.Errorf("got %v, want the shift of March 2029", got)
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		expr string
		zone *time.Location
		from time.Time
		want []string
	}{
		"UTC":            {"0 9 * * *", nil, now, []string{"2026-11-22T09:00:00Z", "2026-11-23T09:00:00Z"}},
		"strictly after": {"30 9 * * *", nil, now, []string{"2026-11-22T09:30:00Z", "2026-11-23T09:30:00Z"}},
		"seconds":        {"*/20 * * * * *", nil, now, []string{"2026-11-21T09:30:20Z", "2026-11-21T09:30:40Z"}},
		"macro":          {"@weekly", nil, now, []string{"2026-11-22T00:00:00Z", "2026-11-29T00:00:00Z"}},
		"zone":           {"0 9 * * *", newYork, now, []string{"2026-11-21T09:00:00-05:00", "2026-11-22T09:00:00-05:00"}},
		"gap":            {"30 2 * * *", newYork, time.Date(2027, 3, 13, 12, 0, 0, 0, time.UTC), []string{"2027-03-14T03:30:00-04:00", "2027-03-15T02:30:00-04:00"}},
		"overlap once":   {"30 1 * * *", newYork, time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC), []string{"2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"}},
		"within overlap": {"30 1 * * *", newYork, time.Date(2026, 11, 1, 5, 45, 0, 0, time.UTC), []string{"2026-11-02T01:30:00-05:00", "2026-11-03T01:30:00-05:00"}},
		"every hour":     {"0 * * * *", newYork, time.Date(2026, 11, 1, 4, 50, 0, 0, time.UTC), []string{"2026-11-01T01:00:00-04:00", "2026-11-01T01:00:00-05:00"}},
		"either day":     {"0 9 1,15 * 1", nil, now, []string{"2026-11-23T09:00:00Z", "2026-11-30T09:00:00Z"}},
		"both days":      {"0 9 */2 * 1", nil, now, []string{"2026-11-23T09:00:00Z", "2026-12-07T09:00:00Z"}},
		"long step":      {"0 18-21/4 * * *", nil, now, []string{"2026-11-21T18:00:00Z", "2026-11-22T18:00:00Z"}},
		"whole step":     {"*/60 */24 */31 */12 *", nil, now, []string{"2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"}},
		"last friday":    {"0 17 * * FRIL", nil, now, []string{"2026-11-27T17:00:00Z", "2026-12-25T17:00:00Z"}},
		"star steps":     {"0 */1 * * *", newYork, time.Date(2026, 11, 1, 4, 50, 0, 0, time.UTC), []string{"2026-11-01T01:00:00-04:00", "2026-11-01T01:00:00-05:00"}},
		"leap":           {"0 0 29 2 *", nil, time.Date(2096, 3, 1, 0, 0, 0, 0, time.UTC), []string{"2104-02-29T00:00:00Z", "2108-02-29T00:00:00Z"}},
		"never":          {"0 0 30 2 *", nil, now, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			times, err := Next(tt.expr, tt.zone, tt.from, 2)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, next := range times {
				got = append(got, next.Format(time.RFC3339))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("times (-want +got):\n%s", diff)
			}
		})
	}
	for _, expr := range []string{"", "0 9 * *", "0 9 * * * * *", "61 * * * *", "@reboot", "TZ=UTC 0 9 * * *", strings.Repeat("1", 1000)} {
		if times, err := Next(expr, nil, now, 1); err == nil {
			t.Errorf("Next(%.20q) = %v, want an error", expr, times)
		}
	}
	if times, err := Next("* * * * *", nil, now, -1); err != nil || len(times) != 0 {
		t.Errorf("-1 times: got %v, %v", times, err)
	}
}

// FuzzNext holds that times rise, and that the times of a readable expression have its minutes.
func FuzzNext(f *testing.F) {
	for _, seed := range []string{"0 9 * * 1-5", "*/7 22-2 L 2 *", "0 0 30 2 *", "5/15 1,2,3 15W jan-mar 5#3", "@every 1s", "@daily", "TZ=UTC * * * * *", "* * * * 1,"} {
		f.Add(seed)
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		(&Options{Timezone: "America/New_York", Seconds: len(expr)%2 == 0, Allow: []string{"macros", "every"}}).judge(expr, now)
		times, err := Next(expr, zone, now, 5)
		if err != nil && len(times) > 0 {
			t.Errorf("%q: times beside the error %v", expr, err)
		}
		last := now
		for _, next := range times {
			if !next.After(last) {
				t.Errorf("%q: %v is not after %v", expr, next, last)
			}
			last = next
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	for name, o := range map[string]*Options{"UTC": {}, "zone": {Timezone: "Europe/Vienna"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if f := o.judge("30 9 * * 1-5", now); len(f) > 0 {
					b.Fatal(f)
				}
			}
		})
	}
}
