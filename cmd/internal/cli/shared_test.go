// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/redistest"
)

// A burst is a client that makes calls through a proxy, some at a time, until the limit refuses
// them or the proxy is gone.
type burst struct {
	proxy       *proxyRun
	begin       func() bool // of a second half; nil: at once
	made        atomic.Int64
	away, limit int // calls refused because Redis was late, and by the limit
}

const (
	limit    = 400 // calls that may be made
	atOnce   = 8   // that wait for their answers
	refusals = 50  // by the limit, that end a burst
)

func (b *burst) run() error {
	for range atOnce {
		if err := b.proxy.call(); err != nil {
			return errEnded
		}
	}
	for b.limit < refusals {
		for began := time.Now(); b.begin != nil && b.made.Load() == limit/2 && !b.begin(); time.Sleep(time.Millisecond) {
			if time.Since(began) > patience {
				return errors.New("the other makes no calls")
			}
		}
		line, err := b.proxy.answer()
		if err != nil {
			return err
		}
		switch {
		case strings.Contains(line, "the server ran it"):
			b.made.Add(1)
		case strings.Contains(line, "cannot be counted now"):
			b.away++
		case strings.Contains(line, `\"RATE_LIMIT\"`) || strings.Contains(line, `"RATE_LIMIT"`):
			b.limit++
		default:
			return fmt.Errorf("an answer that is none of those expected: %s", line)
		}
		if err := b.proxy.call(); err != nil {
			return errEnded
		}
	}
	return nil
}

// TestTwoProxies holds that two proxies which share Redis never let more than the limit through,
// under load and when one is killed: of what the killed one had counted, no more is lost than the
// calls that waited for their answers.
func TestTwoProxies(t *testing.T) {
	t.Parallel()
	for _, kill := range []bool{false, true} {
		for name, terms := range map[string]string{
			"quota": fmt.Sprintf("quota: %d/month", limit),
			"rate":  fmt.Sprintf("rate: 1/h, burst: %d", limit),
		} {
			t.Run(fmt.Sprintf("%s/kill=%v", name, kill), func(t *testing.T) {
				t.Parallel()
				policy := fmt.Sprintf("limits: [{name: calls, %s}]\nshared: {url: %q}\n", terms, redistest.Start(t).URL())
				dir := t.TempDir()
				calls := filepath.Join(dir, "calls")
				a, b := &burst{proxy: startProxy(t, dir, policy, calls)}, &burst{proxy: startProxy(t, dir, policy, calls)}
				a.begin = func() bool { return b.made.Load() >= 20 } // however busy the machine
				var running sync.WaitGroup
				var errA, errB error
				running.Go(func() { errA = a.run() })
				eventually(t, "the first makes calls", func() bool { return a.made.Load() >= 20 })
				running.Go(func() { errB = b.run() })
				lost := 0
				if kill {
					eventually(t, "the second makes calls", func() bool { return b.made.Load() >= 20 })
					_ = a.proxy.cmd.Process.Kill()
					lost = atOnce
				}
				running.Wait()
				if errB != nil || errA != nil && !kill {
					t.Fatalf("the bursts end with %v and %v", errA, errB)
				}
				n := ran(t, calls)
				t.Logf("%d calls reached the servers, %d and %d were answered, %d not counted", n, a.made.Load(), b.made.Load(), a.away+b.away)
				if n > limit || n < limit-lost-a.away-b.away {
					t.Errorf("%d calls reached the servers, want %d", n, limit)
				}
				if b.made.Load() == 0 || a.made.Load() == 0 {
					t.Error("one proxy made no calls, so nothing was tested")
				}
			})
		}
	}
}
