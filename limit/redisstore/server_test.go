// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redisstore

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/toolvet/toolvet/limit"
)

// A server is a redis-server of the test's own, that may be killed and started again.
type server struct {
	binary, port, password string
	options                []string
	cmd                    *exec.Cmd
}

// startServer skips where there is no redis-server; in CI that is a failure.
func startServer(t testing.TB, options ...string) *server {
	t.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI has no redis-server")
		}
		t.Skip("no redis-server on PATH")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	_ = listener.Close()
	s := &server{binary: binary, port: port, options: append([]string{
		"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning", "--dir", t.TempDir(),
	}, options...)}
	s.start(t)
	t.Cleanup(func() { s.kill() })
	return s
}

func (s *server) start(t testing.TB) {
	t.Helper()
	var out bytes.Buffer
	s.cmd = exec.Command(s.binary, s.options...)
	s.cmd.Stdout, s.cmd.Stderr = &out, &out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	client := s.client(t, 0)
	for client.Ping(t.Context()).Err() != nil {
		if s.cmd.ProcessState != nil || t.Context().Err() != nil {
			t.Fatalf("redis-server does not start:\n%s", out.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) url() string { return "redis://127.0.0.1:" + s.port + "/1" }

// client sees what the store writes.
func (s *server) client(t testing.TB, database int) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + s.port, DB: database, Password: s.password, DialerRetries: 1})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A record is what was logged.
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

// unhurried is the standard but for a patience that a busy machine does not use up.
var unhurried = tuning{patience: 20 * time.Second, lease: standard.lease}

// newStore opens a store that is closed with the test.
func newStore(t testing.TB, settings limit.Shared, tuning tuning) (*Store, *record) {
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

// eventually waits for what must come, as long as the test may take.
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

// prefix is one that no other test has.
func prefix() string { return "test-" + strconv.FormatInt(time.Now().UnixNano(), 36) }
