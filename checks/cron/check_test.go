// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// found runs the check over one value, and returns its findings, each with its suggestion.
func found(t testing.TB, o *Options, value any) []string {
	t.Helper()
	c := New(func() time.Time { return now })
	pass := check.NewPass(c, &call.Call{}, nil)
	pass.Targets = []check.Target{{Pointer: "/schedule", Value: value, Options: o}}
	if err := c.Run(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range pass.Findings() {
		got = append(got, f.Severity.String()+" "+f.String()+"\n→ "+f.Suggestion)
	}
	return got
}

func TestJudge(t *testing.T) {
	t.Parallel()
	seconds := func() *Options { return &Options{Seconds: true} }
	for name, tt := range map[string]struct {
		options *Options
		value   any
		want    []string // parts of the findings
	}{
		"plain":               {nil, "30 9 * * 1-5", nil},
		"names":               {nil, "30 9 1 jan,JUL mon-fri", nil},
		"blanks":              {nil, " 30  9\t* * * ", nil},
		"Sunday is 7":         {nil, "0 9 * * 7", nil},
		"leap day":            {nil, "0 0 29 2 *", nil},
		"last day":            {nil, "0 0 L * *", nil},
		"third Friday":        {nil, "0 0 * * 5#3", nil},
		"never: February":     {nil, "0 0 30 2 *", []string{"never fires"}},
		"never: 31st":         {nil, "0 0 31 4,6,9,11 *", []string{"never fires"}},
		"day of week helps":   {nil, "0 0 30 2 1", nil},
		"number":              {nil, 5, []string{"must be a string"}},
		"empty":               {nil, "", []string{"has 0 fields; must have 5: minutes, hours"}},
		"four fields":         {nil, "0 0 * *", []string{"has 4 fields"}},
		"six fields":          {nil, "0 0 0 * * *", []string{"has 6 fields; must have 5"}},
		"minutes":             {nil, "60 * * * *", []string{"field of minutes"}},
		"hours":               {nil, "0 24 * * *", []string{"field of hours"}},
		"days":                {nil, "0 0 32 * *", []string{"field of days of the month"}},
		"months":              {nil, "0 0 1 13 *", []string{"field of months"}},
		"days of week":        {nil, "0 0 * * 8", []string{"field of days of the week"}},
		"step of nothing":     {nil, "*/0 * * * *", []string{"field of minutes"}},
		"step too large":      {nil, "*/90 * * * *", []string{"field of minutes"}},
		"empty member":        {nil, "0 0 * * 1,", []string{"field of days of the week"}},
		"negative":            {nil, "-1 * * * *", []string{"field of minutes"}},
		"text":                {nil, "every day at noon please", []string{"field of minutes"}},
		"long":                {nil, strings.Repeat("0,", 1<<19) + "0 * * * *", []string{"is longer than the 512 bytes"}},
		"zone in the text":    {nil, "TZ=Asia/Tokyo 0 9 * * *", []string{"names a time zone"}},
		"macro":               {nil, "@daily", []string{"uses a name instead of fields"}},
		"macro, allowed":      {&Options{Allow: []string{"macros"}}, "@daily", nil},
		"macro, unknown":      {&Options{Allow: []string{"macros"}}, "@reboot", []string{"not a name that cron knows"}},
		"every":               {nil, "@every 1h", []string{"uses @every"}},
		"every, allowed":      {&Options{Allow: []string{"every"}}, "@every 1h", nil},
		"every, fast":         {&Options{Allow: []string{"every"}}, "@every 10s", []string{"warning /schedule: fires faster than a minute"}},
		"every, nothing":      {&Options{Allow: []string{"every"}}, "@every 0s", []string{"not a name that cron knows"}},
		"seconds":             {seconds(), "30 0 9 * * *", nil},
		"seconds, five":       {seconds(), "0 9 * * *", []string{"has 5 fields; must have 6: seconds"}},
		"seconds, wrong":      {seconds(), "61 0 9 * * *", []string{"field of seconds"}},
		"seconds, fast":       {seconds(), "*/10 * * * * *", []string{"warning /schedule: fires faster than a minute"}},
		"seconds, two":        {seconds(), "0,30 0 9 * * *", []string{"fires faster than a minute"}},
		"interval":            {&Options{MinInterval: time.Hour}, "0,30 9 * * *", []string{"fires faster than every 1h0m0s"}},
		"interval, kept":      {&Options{MinInterval: time.Hour}, "0 * * * *", nil},
		"horizon":             {&Options{MaxHorizon: 24 * time.Hour}, "0 0 1 1 *", []string{"does not fire within 24h0m0s"}},
		"horizon, kept":       {&Options{MaxHorizon: 24 * time.Hour}, "0 0 * * *", nil},
		"gap":                 {&Options{Timezone: "America/New_York"}, "30 2 * * *", []string{"does not exist in America/New_York on 2027-03-14"}},
		"overlap":             {&Options{Timezone: "America/New_York"}, "30 1 * * *", []string{"comes twice in America/New_York on 2027-11-07"}},
		"gap and overlap":     {&Options{Timezone: "America/New_York"}, "30 1,2 * * *", []string{"does not exist", "comes twice"}},
		"beside them":         {&Options{Timezone: "America/New_York"}, "30 3 * * *", nil},
		"every hour":          {&Options{Timezone: "America/New_York"}, "30 * * * *", nil},
		"another day":         {&Options{Timezone: "America/New_York"}, "30 2 * * 1", nil},
		"half an hour":        {&Options{Timezone: "Australia/Lord_Howe"}, "15 2 * * *", []string{"does not exist in Australia/Lord_Howe on 2027-10-03"}},
		"no midnight":         {&Options{Timezone: "Africa/Cairo"}, "0 0 * * *", []string{"does not exist in Africa/Cairo on 2027-04-30"}},
		"no shift":            {&Options{Timezone: "Asia/Tokyo"}, "30 2 * * *", nil},
		"an unknown zone":     {&Options{Timezone: "Mars/Olympus"}, "30 2 * * *", []string{"the policy's time zone is unknown"}},
		"zone of the machine": {&Options{Timezone: "Local"}, "30 2 * * *", []string{"the policy's time zone is unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.options == nil {
				tt.options = new(Options)
			}
			got := found(t, tt.options, tt.value)
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
}

// TestExamples holds that the README shows what the check says.
func TestExamples(t *testing.T) {
	t.Parallel()
	if err := check.Validate([]*check.Check{Check}); err != nil {
		t.Error(err)
	}
	got := append(found(t, new(Options), "0 0 30 2 *"), found(t, new(Options), "0 25 * * *")...)
	for _, f := range append(got, found(t, &Options{Timezone: "America/New_York"}, "30 2 * * *")...) {
		for line := range strings.Lines(f + "\n") {
			if !strings.Contains(doc, "    "+line) {
				t.Errorf("the README does not show %q", line)
			}
		}
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

func TestProblems(t *testing.T) {
	t.Parallel()
	bad := &Options{Timezone: "Mars/Olympus", MinInterval: -1, MaxHorizon: -1, Allow: []string{"reboot"}}
	var got []string
	for _, p := range bad.Problems() {
		got = append(got, p.Field)
	}
	if diff := cmp.Diff([]string{"timezone", "min_interval", "max_horizon", "allow"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	good := &Options{Timezone: "Europe/Vienna", Allow: []string{"macros", "every"}}
	if p := good.Problems(); len(p) > 0 {
		t.Errorf("good options: %v", p)
	}
}

// FuzzNext holds that times rise, and that those of a readable expression are what its
// minutes say.
func FuzzNext(f *testing.F) {
	for _, seed := range []string{"0 9 * * 1-5", "*/7 22-2 L 2 *", "0 0 30 2 *", "5/15 1,2,3 15W jan-mar 5#3", "@every 1s", "@daily", "TZ=UTC * * * * *", "* * * * 1,"} {
		f.Add(seed)
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		found(t, &Options{Timezone: "America/New_York", Seconds: len(expr)%2 == 0, Allow: []string{"macros", "every"}}, expr)
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
