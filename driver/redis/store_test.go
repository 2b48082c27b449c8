// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/test/redistest"
)

func TestNewTellsNoPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "hunter2", "http://u:hunter2@a", "redis://u:hunter2@a/x", "redis://u:hunter2@a/1/2", "redis://u:hunter2@a?nonsense=1",
		"redis://u:hunter2@a:port", "redis://u:hunter2%zz@a", "unix://u:hunter2@", "redis://u:hunter2@a?addr=b&nonsense=1",
	} {
		s, err := New().Open(limit.Shared{URL: url}, nil)
		if err == nil {
			_ = s.Close()
			t.Errorf("%q: no error", url)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("tells the password: %v", err)
		}
	}
	if _, err := New().Open(limit.Shared{URL: "redis://a", Prefix: "}"}, nil); err == nil {
		t.Error("a brace in the prefix is not refused")
	}
}

// TestKeys: keys contain no names, lie in one slot of a cluster, and expire.
func TestKeys(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	store, _ := newStore(t, limit.Shared{URL: server.URL(), Prefix: "team:1"}, unhurried)
	hostile := limit.Key{Identity: "a:{b}\x00*" + strings.Repeat("x", 1<<20), Server: "}", Tool: "\n"}
	l := newLimiter(t, store,
		limit.Limit{Name: "a", Rate: limit.Rate{Calls: 1, Per: time.Minute}, Concurrency: 1},
		limit.Limit{Name: "b", Quota: limit.Quota{Calls: 1, Period: limit.Hour}},
	)
	take(t, l, hostile)
	refused(t, l, hostile)
	take(t, l, limit.Key{Identity: hostile.Identity + "x", Server: "}", Tool: "\n"})

	client := Look(t, server, 1)
	keys := client.Keys(t.Context(), "*").Val()
	if len(keys) != 6 {
		t.Errorf("%d keys: %q", len(keys), keys)
	}
	form := regexp.MustCompile(`^\{team:1\}:[ab]:[A-Za-z0-9_-]{43}(:slots)?$`)
	for _, key := range keys {
		ttl := client.TTL(t.Context(), key).Val()
		if !form.MatchString(key) || ttl <= 0 || ttl > time.Hour+2*time.Second {
			t.Errorf("key %q lives for %v", key, ttl)
		}
	}
}

// TestLeases: a slot is held as long as it is renewed.
func TestLeases(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	w := redisWorld(t, server)
	l := newLimiter(t, w.store, limit.Limit{Name: "calls", Concurrency: 600})
	for range 600 { // more than one batch
		take(t, l, alice)
	}
	for range 10 {
		w.sleep(standard.lease - time.Microsecond)
		refused(t, l, alice)
	}
	store := w.store.(*store)
	for id := range store.leases.held {
		store.leases.drop(id) // as if its proxy were killed
		break
	}
	w.sleep(standard.lease - time.Microsecond)
	refused(t, l, alice)
	w.sleep(time.Microsecond)
	if got := left(t, l, alice); got != "[1]" {
		t.Errorf("%s are free", got)
	}
}

// TestLeasesAreRenewed: a store renews its leases.
func TestLeasesAreRenewed(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	store, err := open(limit.Shared{URL: server.URL()}, nil, tuning{patience: unhurried.patience, lease: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	take(t, newLimiter(t, store, limit.Limit{Name: "calls", Concurrency: 1}), alice)
	client := Look(t, server, 1)
	keys := client.Keys(t.Context(), "*:slots").Val()
	if len(keys) != 1 {
		t.Fatalf("the keys of slots are %q", keys)
	}
	end := func() (at float64) {
		for _, slot := range client.ZRangeWithScores(t.Context(), keys[0], 0, -1).Val() {
			at = slot.Score
		}
		return at
	}
	first := end()
	eventually(t, "the lease's end moves on", func() bool { return end() > first })
}

// TestCloseFreesSlots: a proxy that ends in order leaves nothing behind.
func TestCloseFreesSlots(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	settings := limit.Shared{URL: server.URL()}
	calls := limit.Limit{Name: "calls", Concurrency: 2}
	first, log := newStore(t, settings, unhurried)
	l := newLimiter(t, first, calls)
	ticket := take(t, l, alice)
	take(t, l, alice)
	second, _ := newStore(t, settings, unhurried)
	other := newLimiter(t, second, calls)
	refused(t, other, alice)
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	take(t, other, alice)
	take(t, other, alice)
	ticket.Release()
	refused(t, other, alice)
	if log.String() != "" {
		t.Errorf("logged:\n%s", log)
	}
}

// TestCluster runs the scripts on a server that refuses keys of several hash slots.
func TestCluster(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--cluster-enabled", "yes")
	client := Look(t, server, 0)
	if err := client.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cluster is ready", func() bool {
		return strings.Contains(client.ClusterInfo(t.Context()).Val(), "cluster_state:ok")
	})
	address := "127.0.0.1:" + server.Port
	store, log := newStore(t, limit.Shared{URL: fmt.Sprintf("redis://%s?addr=%s", address, address)}, unhurried)
	l := newLimiter(t, store,
		limit.Limit{Name: "a", Rate: limit.Rate{Calls: 2, Per: 24 * time.Hour}, Concurrency: 2},
		limit.Limit{Name: "b", Per: []limit.Dimension{}, Quota: limit.Quota{Calls: 2, Period: limit.Month}},
	)
	take(t, l, alice).Rollback()
	take(t, l, alice).Release()
	take(t, l, alice)
	store.renewAll()
	refused(t, l, alice)
	if got := left(t, l, alice); got != "[0 1 0]" || log.String() != "" {
		t.Errorf("%s are left; logged: %s", got, log)
	}
}

// TestOurClockIsWrong: the clock of Redis decides about windows.
func TestOurClockIsWrong(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	store, _ := newStore(t, limit.Shared{URL: server.URL()}, unhurried)
	l := newLimiter(t, store, limit.Limit{Name: "calls", Quota: limit.Quota{Calls: 3, Period: limit.Month}})
	for _, ahead := range []time.Duration{0, -1000 * 24 * time.Hour, 1000 * 24 * time.Hour} {
		store.ahead.Store(int64(ahead))
		take(t, l, alice)
	}
	store.ahead.Store(int64(-400 * 24 * time.Hour))
	if r := refused(t, l, alice); r.RetryAfter > 31*24*time.Hour {
		t.Errorf("retry after %v", r.RetryAfter)
	}
}

func BenchmarkRedis(b *testing.B) {
	store, _ := newStore(b, limit.Shared{URL: redistest.Start(b).URL()}, unhurried)
	for _, n := range []int{1, 10} {
		var limits []limit.Limit
		for i := range n {
			limits = append(limits, limit.Limit{Name: fmt.Sprintf("limit-%d", i), Rate: limit.Rate{Calls: 10_000, Per: time.Second}, Burst: 1_000_000})
		}
		l := newLimiter(b, store, limits...)
		b.Run(fmt.Sprintf("limits=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				take(b, l, alice).Release()
			}
		})
		b.Run(fmt.Sprintf("limits=%d/parallel", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					ticket, err := l.Take(b.Context(), alice)
					if err != nil {
						b.Error(err)
						return
					}
					ticket.Release()
				}
			})
		})
	}
}
