// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import "testing"

// TestZero: a Limiter without limits that anybody set lets nothing through, and a zero store counts.
func TestZero(t *testing.T) {
	t.Parallel()
	for _, l := range []*Limiter{nil, {}} {
		if ticket, err := l.Take(t.Context(), Key{Tool: "x"}); ticket != nil || err == nil {
			t.Errorf("Take returns %v, %v", ticket, err)
		}
		if _, err := l.Peek(t.Context(), Key{Tool: "x"}); err == nil {
			t.Error("Peek returns no error")
		}
	}
	l, err := New([]Limit{{Name: "one", Quota: Quota{Calls: 1, Period: Day}}}, new(Memory))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		if _, err := l.Take(t.Context(), Key{Tool: "x"}); (err == nil) != want {
			t.Errorf("call %d: %v", i, err)
		}
	}
}
