// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

// A call may start programs that go on after its answer. Their effects belong to that call: the next one must not be
// refused because of them, nor be blamed for their files. So each call rests until they have ended. A busy machine
// must not matter: only time without any work inside counts.

const (
	look      = 10 * time.Millisecond  // interval of looks at the running programs
	lingering = 400 * time.Millisecond // idle time of a program that may still be about to end
)

// maxLeaves is the number of calls with a lasting program after which a tool's programs are not waited for any
// more.
const maxLeaves = 3

// know exempts the programs running now from waiting.
func (s *session) know() {
	if s.known == nil {
		s.known = map[int]bool{}
	}
	for _, pid := range s.running().PIDs {
		s.known[pid] = true
	}
}

func (s *session) running() sandbox.Running {
	if s.box == nil {
		return sandbox.Running{}
	}
	r, _ := s.box.Running() // if the sandbox has ended, nothing runs
	return r
}

// rest waits until the programs started by a call have ended. A lasting one is not waited for
// again.
func (a *auditor) rest(ctx context.Context, t *tool) {
	s := a.session
	if s.box == nil || a.leaves[t.Name] >= maxLeaves {
		return
	}
	end, idle := time.Now().Add(a.cfg.CallTimeout), time.Duration(0)
	for waited := false; ; waited = true {
		now := s.running()
		if !slices.ContainsFunc(now.PIDs, func(pid int) bool { return !s.known[pid] }) {
			if waited {
				a.answers(ctx) // so that the server has noticed their end
			}
			return
		}
		if idle >= lingering || ctx.Err() != nil || !time.Now().Before(end) {
			break
		}
		time.Sleep(look)
		if !now.Busy {
			idle += look
		}
	}
	a.leaves[t.Name]++
	s.know()
}

// waiting begins to measure idle time inside, and returns a function to end the measurement. The first moments
// count as idle: most calls are over before the first look.
func (s *session) waiting() (stop func() time.Duration) {
	const first = 200 * time.Millisecond
	if s.box == nil {
		return func() time.Duration { return 0 }
	}
	done, result := make(chan struct{}), make(chan time.Duration)
	go func() {
		idle, wait := time.Duration(0), first
		for {
			select {
			case <-done:
				result <- idle
				return
			case <-time.After(wait):
			}
			if !s.running().Busy {
				idle += wait
			}
			wait = 2 * look
		}
	}()
	return func() time.Duration { close(done); return <-result }
}
