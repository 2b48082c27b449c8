// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/test/redistest"
)

var twoADay = limit.Limit{Name: "calls", Quota: limit.Quota{Calls: 2, Period: limit.Month}, Concurrency: 2}

// away expects ErrAway, without words about the server.
func away(t *testing.T, l *limit.Limiter) {
	t.Helper()
	_, err := l.Take(t.Context(), alice)
	if !errors.Is(err, limit.ErrAway) {
		t.Fatalf("Take: %v, want ErrAway", err)
	}
	for _, secret := range []string{"127.0.0.1", "hunter2", "alice"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error tells %s: %v", secret, err)
		}
	}
	if _, err := l.Peek(t.Context(), alice); !errors.Is(err, limit.ErrAway) {
		t.Errorf("Peek: %v, want ErrAway", err)
	}
}

// back takes a call after Redis has come back.
func back(t *testing.T, l *limit.Limiter) (ticket *limit.Ticket) {
	t.Helper()
	eventually(t, "Redis is back", func() bool {
		var err error
		ticket, err = l.Take(t.Context(), alice)
		return err == nil
	})
	return ticket
}

func TestAwayRefuses(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	store, log := newStore(t, limit.Shared{URL: server.URL()}, unhurried)
	l := newLimiter(t, store, twoADay)
	early := take(t, l, alice)
	server.Kill()
	for range 20 {
		away(t, l)
	}
	early.Release() // has nobody to tell, and does not hang
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "refused") {
		t.Errorf("logged:\n%s", log)
	}
	server.Start(t)
	back(t, l).Rollback()
	take(t, l, alice)
	if n := strings.Count(log.String(), "level=INFO"); n != 1 {
		t.Errorf("logged:\n%s", log)
	}
}

func TestAwayFromTheBeginning(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	server.Kill()
	store, _ := newStore(t, limit.Shared{URL: server.URL()}, unhurried)
	l := newLimiter(t, store, twoADay)
	away(t, l)
	server.Start(t)
	back(t, l)
}

func TestAwayLocal(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	store, log := newStore(t, limit.Shared{URL: server.URL(), WhenAway: limit.Local}, unhurried)
	l := newLimiter(t, store, twoADay)
	take(t, l, alice).Release()
	server.Kill()
	take(t, l, alice).Rollback()
	take(t, l, alice).Release()
	if got := left(t, l, alice); got != "[2 1]" {
		t.Errorf("%s are left", got)
	}
	local := take(t, l, alice)
	if r := refused(t, l, alice); r.Meter != limit.QuotaMeter {
		t.Errorf("refused by the %s", r.Meter)
	}
	if !strings.Contains(log.String(), "this proxy holds to the limits alone") {
		t.Errorf("logged:\n%s", log)
	}
	server.Start(t)
	back(t, l) // which the local quota would refuse
	local.Release()
	if got := left(t, newLimiter(t, store.local, twoADay), alice); got != "[2 0]" {
		t.Errorf("locally %s are left", got)
	}
	if n, err := Look(t, server, 1).DBSize(t.Context()).Result(); n == 0 || err != nil {
		t.Errorf("nothing is counted in Redis: %v", err)
	}
}

// TestSilence is about a server that accepts connections and never answers.
func TestSilence(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	store, log := newStore(t, limit.Shared{URL: "redis://" + listener.Addr().String()}, standard)
	l := newLimiter(t, store, twoADay)

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := l.Take(ctx, alice); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Take: %v, want that of the context", err)
	}
	if log.String() != "" {
		t.Errorf("a caller who does not wait makes Redis away:\n%s", log)
	}
	begin := time.Now()
	for range 200 {
		away(t, l)
	}
	// If all of the 200 calls waited, they would take 100 s.
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("200 calls took %v", took)
	}
}

func TestWrongPassword(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	if err := Look(t, server, 0).ConfigSet(t.Context(), "requirepass", "right").Err(); err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(server.URL(), "127", ":hunter2@127", 1)
	store, log := newStore(t, limit.Shared{URL: wrong}, unhurried)
	away(t, newLimiter(t, store, twoADay))
	if text := log.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, "WRONGPASS") {
		t.Errorf("logged:\n%s", text)
	}
	right := strings.Replace(server.URL(), "127", ":right@127", 1)
	store, _ = newStore(t, limit.Shared{URL: right}, unhurried)
	take(t, newLimiter(t, store, twoADay), alice)
}

// TestForeignKey: a value from elsewhere refuses the call.
func TestForeignKey(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	store, _ := newStore(t, limit.Shared{URL: server.URL()}, unhurried)
	l := newLimiter(t, store, twoADay)
	take(t, l, alice)
	client := Look(t, server, 1)
	for _, key := range client.Keys(t.Context(), "*").Val() {
		client.Set(t.Context(), key, "x", 0)
	}
	away(t, l)
}

func TestRestartKeepsSlots(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	store, _ := newStore(t, limit.Shared{URL: server.URL()}, unhurried)
	l := newLimiter(t, store, limit.Limit{Name: "calls", Concurrency: 2})
	running, ended := take(t, l, alice), take(t, l, alice)
	server.Kill()
	ended.Release()
	server.Start(t)
	eventually(t, "Redis is back", func() bool {
		store.renewAll()
		_, err := l.Peek(t.Context(), bob)
		return err == nil
	})
	if got := left(t, l, alice); got != "[1]" {
		t.Errorf("%s are free, want the one that has ended", got)
	}
	running.Release()
	if got := left(t, l, alice); got != "[2]" {
		t.Errorf("%s are free", got)
	}
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	b := &breaker{logger: slog.New(slog.DiscardHandler), patience: standard.patience}
	now := time.Unix(1_800_000_000, 0)
	broken := errors.New("broken")
	tries := func(at time.Time, want bool) {
		t.Helper()
		if got := b.try(at); got != want {
			t.Fatalf("at %v tries: %v, want %v", at, got, want)
		}
	}
	tries(now, true)
	tries(now, true)
	b.failed(now, broken)
	b.failed(now, broken) // began before
	for _, rest := range []time.Duration{100, 200, 400, 800, 1600, 3200, 5000, 5000} {
		rest *= time.Millisecond
		tries(now.Add(rest-1), false)
		now = now.Add(rest)
		tries(now, true)
		tries(now, false) // one is enough
		b.failed(now, broken)
		b.failed(now, broken)
	}
	now = now.Add(lastRest)
	tries(now, true)
	tries(now.Add(b.patience), true) // the one who tried does not come back
	b.succeeded()
	tries(now, true)
	tries(now, true)
}

// A late context has a deadline that its timer has not noticed yet.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now().Add(-1), true }

func TestPast(t *testing.T) {
	t.Parallel()
	if err := past(t.Context()); err != nil {
		t.Error(err)
	}
	if err := past(late{t.Context()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := past(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
