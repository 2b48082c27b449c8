// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"fmt"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/test/redistest"
)

// TestTwoProcesses: under load, two proxies together let through as many calls as one may, and no more if one is
// killed. At most the calls in the killed proxy's goroutines are lost.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	const calls = 600
	for name, j := range map[string]job{
		"quota": {Quota: calls},
		"rate":  {Step: 12 * time.Hour, Burst: calls}, // none comes back meanwhile
	} {
		for _, kill := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/kill=%v", name, kill), func(t *testing.T) {
				t.Parallel()
				j := j
				j.URL, j.Prefix = redistest.Start(t).URL(), prefix()
				slow := j
				slow.Most = calls / 2 // so that the other has to make some, however busy the machine
				a := startProcess(t, slow)
				eventually(t, "the first lets calls through", func() bool { return a.passed.Load() > 20 })
				b := startProcess(t, j)
				eventually(t, "the second lets calls through", func() bool { return b.passed.Load() > 20 })
				lost := int64(0)
				if kill {
					a.kill()
					lost = workers
				}
				eventually(t, "the limit is reached", func() bool { return b.refused.Load() > 100 })
				b.stop(t)
				if !kill {
					a.stop(t)
				}
				if n := a.passed.Load() + b.passed.Load(); n > calls || n < calls-lost {
					t.Errorf("%d and %d passed, want %d together", a.passed.Load(), b.passed.Load(), calls)
				}
			})
		}
	}
}

// TestTwoProcessesRate is about a rate, with calls that come back while one proxy is killed.
func TestTwoProcessesRate(t *testing.T) {
	t.Parallel()
	const step, burst = time.Millisecond, 100
	server := redistest.Start(t)
	j := job{URL: server.URL(), Prefix: prefix(), Step: step, Burst: burst}
	client := Look(t, server, 1)
	begin := client.Time(t.Context()).Val()
	a, b := startProcess(t, j), startProcess(t, j)
	eventually(t, "both let calls through", func() bool { return a.passed.Load() > 100 && b.passed.Load() > 100 })
	a.kill()
	before := b.passed.Load()
	eventually(t, "the other goes on", func() bool { return b.passed.Load() > before+300 })
	b.stop(t)
	took := client.Time(t.Context()).Val().Sub(begin)
	if n, most := a.passed.Load()+b.passed.Load(), burst+int64(took/step); n > most {
		t.Errorf("%d passed in %v, at most %d may", n, took, most)
	}
}

// TestTwoProcessesAtOnce counts the running calls, in Redis and independently.
func TestTwoProcessesAtOnce(t *testing.T) {
	t.Parallel()
	j := job{URL: redistest.Start(t).URL(), Prefix: prefix(), Concurrency: 3, Gauges: []string{"one", "two"}}
	a := startProcess(t, j)
	j.Gauges = []string{"two", "one"}
	b := startProcess(t, j)
	eventually(t, "both let calls through", func() bool { return a.passed.Load() > 300 && b.passed.Load() > 300 })
	a.stop(t)
	b.stop(t)
	if a.refused.Load()+b.refused.Load() == 0 {
		t.Error("no call was refused, so nothing was tested")
	}
}

// TestKilledSlotsReturn: the slots of a killed proxy become free.
func TestKilledSlotsReturn(t *testing.T) {
	t.Parallel()
	const slots = 5
	j := job{URL: redistest.Start(t).URL(), Prefix: prefix(), Concurrency: slots, Lease: time.Second, Hold: true}
	p := startProcess(t, j)
	eventually(t, "it holds the slots", func() bool { return p.held.Load() > 0 })
	p.kill()
	store, _ := newStore(t, limit.Shared{URL: j.URL, Prefix: j.Prefix}, unhurried)
	l := newLimiter(t, store, j.limit())
	for range slots {
		eventually(t, "a slot is free", func() bool {
			_, err := l.Take(t.Context(), alice)
			return err == nil
		})
	}
	refused(t, l, alice)
}
