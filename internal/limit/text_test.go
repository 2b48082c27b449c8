// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"testing"
	"time"
)

func TestRateText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Rate{
		"10/s": {10, time.Second}, "100/min": {100, time.Minute}, "50/h": {50, time.Hour}, "200/day": {200, 24 * time.Hour},
		"1/second": {1, time.Second}, "1/minute": {1, time.Minute}, "1/hour": {1, time.Hour}, "5/1m30s": {5, 90 * time.Second},
		"": {}, "10": {}, "/s": {}, "10/": {}, "0/s": {}, "-1/s": {}, "+1/s": {}, "1_0/s": {}, "1.5/s": {}, "10/0s": {}, "10/-1s": {},
		"10/s/s": {}, "10 /s": {}, "1000000001/s": {}, "99999999999999999999/s": {}, "10/week": {}, "10/S": {},
	} {
		var r Rate
		if err := r.UnmarshalText([]byte(text)); r != want || (err == nil) != (want != Rate{}) {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
}

func TestQuotaText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Quota{
		"1000/day": {1000, Day}, "1/hour": {1, Hour}, "20/month": {20, Month},
		"": {}, "1000": {}, "1000/": {}, "/day": {}, "0/day": {}, "1/s": {}, "1/Day": {}, "-5/day": {},
	} {
		var q Quota
		if err := q.UnmarshalText([]byte(text)); q != want || (err == nil) != (want != Quota{}) {
			t.Errorf("%q: %v, %v", text, q, err)
		}
	}
}

func TestWordsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Dimension{
		"identity": Identity, "session": Session, "server": Server, "tool": Tool, "client_address": ClientAddress, "": 0, "user": 0, "Tool": 0,
	} {
		var d Dimension
		if err := d.UnmarshalText([]byte(text)); d != want || (err == nil) != (want != 0) {
			t.Errorf("dimension %q: %v, %v", text, d, err)
		}
	}
	for text, want := range map[string]Count{"1": 1, "20": 20, "0": 0, "-1": 0, "": 0, "x": 0} {
		var c Count
		if err := c.UnmarshalText([]byte(text)); c != want || (err == nil) != (want != 0) {
			t.Errorf("count %q: %v, %v", text, c, err)
		}
	}
	for text, want := range map[string]bool{"refuse": true, "local": true, "": false, "open": false} {
		w := Refuse
		if err := w.UnmarshalText([]byte(text)); (err == nil) != want || (w == Local) != (text == "local") {
			t.Errorf("when away %q: %v, %v", text, w, err)
		}
	}
}

// FuzzRate: an accepted rate is never faster than its name, and hardly slower.
func FuzzRate(f *testing.F) {
	for _, seed := range []string{"10/s", "7/s", "10000/s", "1/day", "333/1m1s", "1000000000/27h46m40s", "1/1ns", "0/s", "3/9000h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := Limit{Name: "x"}
		if l.Rate.UnmarshalText([]byte(text)) != nil || l.Problems() != nil {
			t.Skip()
		}
		step := l.Rate.interval()
		exact := float64(l.Rate.Per) / float64(l.Rate.Calls)
		if step%time.Microsecond != 0 || float64(step) < exact*(1-1e-12) || float64(step) > exact*1.01 {
			t.Errorf("%q: one call comes back in %v, exactly %v ns", text, step, exact)
		}
	})
}
