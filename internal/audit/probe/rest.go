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
// refused because of them, nor be blamed for their files. So each call rests until they have ended.

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
	c, end := clock{session: s, now: s.running()}, time.Now().Add(stretch*a.cfg.CallTimeout)
	for took, idle := time.Duration(0), time.Duration(0); idle < lingering && took < a.cfg.CallTimeout && time.Now().Before(end) && ctx.Err() == nil; {
		if !slices.ContainsFunc(c.now.PIDs, func(pid int) bool { return !s.known[pid] }) {
			if !c.at.IsZero() {
				a.answers(ctx) // so that the server has noticed their end
			}
			return
		}
		time.Sleep(look)
		more, still := c.look(look)
		took, idle, a.took = took+more, idle+still, a.took+more
	}
	a.leaves[t.Name]++
	s.know()
}
