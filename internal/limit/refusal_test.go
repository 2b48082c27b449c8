// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestRefusalText(t *testing.T) {
	t.Parallel()
	second := Rate{10, time.Second}
	for _, tt := range []struct {
		limit Limit
		want  string
	}{
		{Limit{Rate: Rate{1, 3 * time.Second}}, "too many calls of this tool: at most 1 in 3s for each identity; retry in 3 s"},
		{Limit{Rate: second}, "too many calls of this tool: at most 10 per second for each identity; retry in 1 s"},
		{Limit{Rate: second, Burst: 2, Per: []Dimension{Session, ClientAddress, Server}}, "too many calls of this server's tools: at most 10 per second for each session and client address, in bursts of at most 2; retry in 1 s"},
		{Limit{Rate: Rate{1, time.Hour}, Per: []Dimension{}}, "too many calls: at most 1 per hour for all callers together; retry in 60 min"},
		{Limit{Rate: Rate{1, time.Minute}, Per: []Dimension{Tool}}, "too many calls of this tool: at most 1 per minute for all callers together; retry in 60 s"},
		{Limit{Concurrency: 3}, "too many calls of this tool at once: at most 3 for each identity; retry when one has ended"},
		{Limit{Quota: Quota{1, Day}}, "too many calls of this tool: at most 1 per day for each identity; retry in 24 h"},
		{Limit{Quota: Quota{2, Month}}, "too many calls of this tool: at most 2 per month for each identity; retry in 31 days"},
		{Limit{Rate: second, Quota: Quota{2, Hour}}, "too many calls of this tool: at most 2 per hour for each identity; retry in 60 min"},
	} {
		synctest.Test(t, func(t *testing.T) { // begins at midnight, on the first of a month
			tt.limit.Name = "calls"
			l := limiter(t, nil, tt.limit)
			var err error
			for range 12 {
				_, err = l.Take(t.Context(), Key{Identity: "secret-name", Session: "secret-session", Tool: "secret-tool"})
			}
			var r *Refusal
			if !errors.As(err, &r) || r.Error() != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestRoundUp(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "1 s", 1: "1 s", time.Second: "1 s", time.Second + 1: "2 s", 2 * time.Minute: "120 s",
		2*time.Minute + 1: "3 min", 2 * time.Hour: "120 min", 2*time.Hour + 1: "3 h", 48 * time.Hour: "48 h", 48*time.Hour + 1: "3 days",
	} {
		if got := roundUp(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
