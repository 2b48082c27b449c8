// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package blackout

import (
	"testing"
	"time"
)

// TestRefused holds that an entry that is no time is not taken for one.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{
		"", "..", "25.12.", "2026-02-30", "02-30", "2026-12-24..2026-12-23", "2026-12-24..12-25", "12-24..2026-12-25", "22:00", "22:00..22:00", "24:00..01:00",
		"sat 22:00..04:00", "weekend 22:00..mon 04:00", "2026-12-24T18:00", "2026-12-24T18:00..2026-12-24T18:00", "holidays", "monday..friday", "sa",
	} {
		if _, err := Parse([]string{entry}); err == nil {
			t.Errorf("%q was read", entry)
		}
	}
	if _, err := Parse(make([]string, most+1)); err == nil {
		t.Errorf("more than %d entries were read", most)
	}
}

// FuzzParse reads entries, which must neither panic nor end before they begin.
func FuzzParse(f *testing.F) {
	for _, entry := range []string{"weekend", "12-24..01-02", "2026-12-24T18:00..2026-12-27T06:00", "sat 22:00..sun 04:00", "22:00..06:00"} {
		f.Add(entry, int64(1798100000))
	}
	f.Fuzz(func(t *testing.T, entry string, second int64) {
		c, err := Parse([]string{entry})
		if err != nil {
			return
		}
		at := time.Unix(second%(1<<35), 0).UTC()
		if until, is := c.At(at); is && !until.After(at) {
			t.Errorf("%q: closed at %s until %s", entry, at, until)
		}
	})
}
