// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkMemory takes and ends a call, for so many callers in turn.
func BenchmarkMemory(b *testing.B) {
	for _, bb := range []struct{ limits, callers int }{{1, 1}, {1, 100_000}, {10, 1}, {10, 1000}} {
		b.Run(fmt.Sprintf("limits=%d/callers=%d", bb.limits, bb.callers), func(b *testing.B) {
			var limits []Limit
			for i := range bb.limits {
				limits = append(limits, Limit{Name: fmt.Sprintf("limit-%d", i), Rate: Rate{10_000, time.Second}, Burst: 1_000_000, Concurrency: 5, Quota: Quota{maxCalls, Month}})
			}
			l := limiter(b, nil, limits...)
			keys := make([]Key, bb.callers)
			for i := range keys {
				keys[i] = Key{Identity: fmt.Sprintf("user-%d@example.com", i), Server: "github", Tool: "search_issues"}
				take(b, l, keys[i]).Release()
			}
			b.ReportAllocs()
			ctx := b.Context()
			i := 0
			for b.Loop() {
				ticket, err := l.Take(ctx, keys[i%len(keys)])
				if err != nil {
					b.Fatal(err)
				}
				ticket.Release()
				i++
			}
		})
	}
}

// BenchmarkRefused measures a refused call.
func BenchmarkRefused(b *testing.B) {
	l := limiter(b, nil, Limit{Name: "calls", Quota: Quota{1, Month}})
	take(b, l, alice)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Take(b.Context(), alice); err == nil {
			b.Fatal("not refused")
		}
	}
}
