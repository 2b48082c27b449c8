// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

// A call may have started programs that go on when it is answered. What they do is of that call: the next one must
// not be refused because of them, nor be held for what they write. So each call rests until they have ended. How long that takes on
// a busy machine must not matter: only time counts in which nothing inside has anything to do.

const (
	look      = 10 * time.Millisecond  // how often it is looked what runs
	lingering = 400 * time.Millisecond // that a program may do nothing, and still be about to end
)

// maxLeaves is after how many calls that left a program running for long a tool's are not waited for any more.
const maxLeaves = 3

// know has what runs now not be waited for.
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
	r, _ := s.box.Running() // where the sandbox has ended, nothing runs
	return r
}

// rest waits until what a call has started has ended. What lasts is not waited for again.
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
				a.answers(ctx) // so that the server has seen that they ended
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

// waiting begins to measure how long nothing inside has had anything to do, and returns what ends it. The first
// moments count as such: most calls are over before it is looked.
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
