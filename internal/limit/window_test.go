// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"testing"
	"time"
)

func TestWindow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		period           Period
		zone, now        string
		start, end, what string
	}{
		{Day, "UTC", "2026-11-21T06:33:00Z", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", "a day"},
		{Month, "UTC", "2026-12-31T23:59:59Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z", "a month"},
		{Hour, "UTC", "2026-12-31T23:59:59Z", "2026-12-31T23:00:00Z", "2027-01-01T00:00:00Z", "an hour"},
		{Day, "Europe/Vienna", "2026-11-21T23:00:00Z", "2026-11-21T23:00:00Z", "2026-11-22T23:00:00Z", "a day elsewhere"},
		{Hour, "Asia/Kathmandu", "2026-11-21T06:33:00Z", "2026-11-21T06:15:00Z", "2026-11-21T07:15:00Z", "an hour that begins at a quarter past"},
		{Day, "Europe/Vienna", "2026-03-29T10:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "a day of 23 hours"},
		{Day, "Europe/Vienna", "2026-10-25T10:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "a day of 25 hours"},
		{Hour, "Europe/Vienna", "2026-10-25T01:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "the second of two hours of one name"},
		{Day, "Pacific/Apia", "2011-12-31T12:00:00Z", "2011-12-31T10:00:00Z", "2012-01-01T10:00:00Z", "behind a day that was left out"},
	} {
		zone, err := location(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		w := (&calendar{period: tt.period, zone: zone}).window(now)
		if start, end := w.start.UTC().Format(time.RFC3339), w.end.UTC().Format(time.RFC3339); start != tt.start || end != tt.end {
			t.Errorf("%s: %s to %s, want %s to %s", tt.what, start, end, tt.start, tt.end)
		}
	}
}

// FuzzWindow: a window contains its time, and windows are adjacent.
func FuzzWindow(f *testing.F) {
	zones := []string{"", "Europe/Vienna", "America/Sao_Paulo", "Africa/Cairo", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "America/Havana", "Asia/Beirut"}
	for z := range zones {
		for p := Hour; p <= Month; p++ {
			f.Add(uint8(z), uint8(p), int64(1541300400)) // 2018-11-04 00:00 in São Paulo did not exist
			f.Add(uint8(z), uint8(p), int64(1793000000))
		}
	}
	f.Fuzz(func(t *testing.T, z, p uint8, seconds int64) {
		zone, err := location(zones[int(z)%len(zones)])
		if err != nil {
			t.Skip("no time zones on this machine")
		}
		c := calendar{period: 1 + Period(p)%Month, zone: zone}
		now := time.Unix(seconds%(1<<33), 0)
		w := c.window(now)
		if !w.holds(now) {
			t.Fatalf("%v %v: %v does not lie in %v", zone, c.period, now.In(zone), w)
		}
		if c.period == Hour {
			return // where the offset changes by half an hour, an hour is cut short
		}
		if next := c.window(w.end); !next.start.Equal(w.end) {
			t.Errorf("%v %v: behind %v comes %v", zone, c.period, w, next)
		}
		if last := c.window(w.start.Add(-time.Nanosecond)); !last.end.Equal(w.start) {
			t.Errorf("%v %v: before %v comes %v", zone, c.period, w, last)
		}
	})
}
