// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package moment

import (
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/check/checktest"
)

var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, New(func() time.Time { return now }), "testdata")
}

func TestLong(t *testing.T) {
	t.Parallel()
	const want = "must be a date and time with its zone (RFC 3339), such as 2026-01-31T09:30:00Z"
	if got := new(Options).judge(strings.Repeat("2", 1<<20), now); len(got) != 1 || got[0].Message != want {
		t.Errorf("got %v, want %q", got, want)
	}
}

// TestUnreadableBound holds that a bound that no policy could give lets nothing through.
func TestUnreadableBound(t *testing.T) {
	t.Parallel()
	if got := (&Options{Before: "soon"}).judge("2020-01-01T00:00:00Z", now); len(got) != 1 {
		t.Errorf("got %v, want one finding", got)
	}
}

// FuzzJudge holds that the check lets only times in the future through, and never fails.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"2026-11-21T09:30:00Z", "2027-11-21T09:30:00-23:59", "tomorrow", "", "9999-12-31T23:59:59Z", "2026-02-30T00:00:00Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := (&Options{Future: true}).judge(text, now)
		read, err := time.Parse(time.RFC3339, strings.ToUpper(text))
		if len(got) == 0 && (err != nil || !read.After(now)) {
			t.Errorf("%q passes as a time in the future", text)
		}
	})
}
