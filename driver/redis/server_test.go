// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/test/redistest"
)

// A record holds the log.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *record) logger() *slog.Logger { return slog.New(slog.NewTextHandler(r, nil)) }

// unhurried is standard with a patience that suffices on a busy machine.
var unhurried = tuning{patience: 20 * time.Second, lease: standard.lease}

// newStore opens a store, and closes it with the test.
func newStore(t testing.TB, settings limit.Shared, tuning tuning) (*store, *record) {
	t.Helper()
	log := new(record)
	s, err := open(settings, log.logger(), tuning)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, log
}

func newLimiter(t testing.TB, store limit.Store, limits ...limit.Limit) *limit.Limiter {
	t.Helper()
	l, err := limit.New(limits, store)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// eventually waits for an event for as long as the test may take.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !ok() {
		if ctx.Err() != nil {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// prefix returns a prefix that no other test has.
func prefix() string { return "test-" + strconv.FormatInt(time.Now().UnixNano(), 36) }

// Look returns a client for a look at a database of a server. It is closed with the test.
func Look(t testing.TB, server *redistest.Server, database int) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + server.Port, DB: database, DialerRetries: 1})
	t.Cleanup(func() { _ = c.Close() })
	return c
}
