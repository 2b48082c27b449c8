// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clockshift

import (
	"testing"
	"time"
	_ "time/tzdata"
)

// TestNext goes through years for which a rule alone tells the offset, a leap year among them.
func TestNext(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Europe/Berlin": "2029-03-25T03:00:00+02:00", "UTC": "0001-01-01T00:00:00Z"} {
		place, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(2028, 12, 1, 0, 0, 0, 0, time.UTC).In(place)
		at := Next(from)
		for !at.IsZero() && at.Year() < 2029 { // nothing happens then
			at = Next(at)
		}
		for !at.IsZero() && at.YearDay() == 1 {
			at = Next(at)
		}
		if got := at.Format(time.RFC3339); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		for at := from; !Next(at).IsZero() && at.Year() < 2030; at = at.Add(time.Hour) {
			if next := Next(at); !next.After(at) {
				t.Fatalf("after %s comes %s", at, next)
			}
		}
	}
}
