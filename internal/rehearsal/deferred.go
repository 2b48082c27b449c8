// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A tool may answer first and act later: in a program that it leaves running, or after a timer. So the session stays
// open until nothing inside happens by itself: each thread waits for another one inside, or for somebody outside, and
// none has a deadline. Timers do not take their time. The clocks inside go forward an hour, which lets all of them run
// out at once, and this happens again for the timers set then. A process that had timers before the calls repeats them:
// they run out as often, because a runtime has one deadline for all its timers, and those of a call may be behind it. If
// it has more of them then, they run out again and again for the grace of a server: a runtime has waits of its own. That of
// Go returns memory a little at a time, after hours that have passed at once, and sleeps for seconds in between.
const (
	skips = 3
	each  = time.Hour
)

// Waits for a server that works begin with firstWait, and double up to lastWait. The sandbox looks at it much more often.
const (
	firstWait = 4 * time.Millisecond
	lastWait  = 32 * time.Millisecond
)

// quiet lets a time pass inside, and waits until nothing inside works. It returns the processes with timers; after the
// time-out of a call those that work, too. With turning, it does not wait for a process that only turns over short
// waits, because timers run out next anyway: a Go program does for 10 ms after each request, and all its waits end when
// the clocks go forward. The sandbox may have ended: then it is not alive.
func (s *Session) quiet(ctx context.Context, skip time.Duration, turning bool) (list []sandbox.Pending, alive bool) {
	end := time.Now().Add(s.cfg.Timeout)
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		list, err := s.box.Pending(sandbox.Look{Skip: skip, Wait: wait, Turning: turning})
		if err != nil { // the sandbox has ended
			return nil, false
		}
		skip = 0
		answering := s.outside.server.Working()
		if answering {
			list = append(list, sandbox.Pending{Working: true})
		}
		if !sandbox.Busy(list, turning) || time.Now().After(end) || ctx.Err() != nil {
			return list, true
		}
		if answering {
			select {
			case <-ctx.Done():
			case <-time.After(time.Millisecond):
			}
		}
	}
}

// rest notes the processes that have timers before the first call. If nobody waits for the session, timers run out
// first, so that fewer are left to run out while somebody waits.
func (s *Session) rest(ctx context.Context) {
	list, alive := s.quiet(ctx, 0, false)
	for skipped := 0; s.cfg.ahead && skipped < skips && len(list) > 0; skipped++ {
		list, alive = s.quiet(ctx, each, false)
	}
	if !alive {
		return
	}
	s.resting = map[int]int{}
	for _, p := range list {
		s.resting[p.PID] = p.Timers
	}
}

// await waits for the work that calls have deferred. It returns what goes on then: processes that still work, and those
// with more timers than before the first call. Others repeat theirs.
func (s *Session) await(ctx context.Context) []sandbox.Pending {
	var end time.Time // of the wait for a process with more timers
	list, alive := s.quiet(ctx, 0, true)
	for skipped, hung := 0, false; ; {
		added := slices.DeleteFunc(slices.Clone(list), func(p sandbox.Pending) bool { return p.Timers <= s.resting[p.PID] })
		skip := each
		switch {
		case !alive:
			return nil
		case sandbox.Busy(list, skipped < skips):
			return list
		case len(list) == 0 && !hung && s.box.HangUp(): // the server may wait for the end of a connection
			hung, skip = true, 0
		case len(list) == 0, skipped >= skips && len(added) == 0:
			return nil
		case skipped < skips:
			skipped++
			end = time.Now().Add(grace)
		case slices.ContainsFunc(added, func(p sandbox.Pending) bool { return s.resting[p.PID] == 0 }), time.Now().After(end):
			return added
		default:
			select {
			case <-ctx.Done():
				return added
			case <-time.After(firstWait):
			}
		}
		list, alive = s.quiet(ctx, skip, skipped < skips)
	}
}

// unfinished describes what goes on at the end of the session.
func (s *Session) unfinished(ctx context.Context) (gaps []Gap) {
	for _, p := range s.running {
		what := strictjson.Printable(s.redact.text(ctx, p.Program), maxAddress)
		switch {
		case p.PID == 0:
			what = "a connection"
		case what == "":
			what = "a program"
		}
		why := "it waits for a time later than a rehearsal can show, and what it does then is unknown"
		if p.Working || p.Turned {
			why = "the rehearsal ended before its work, and the rest of it is unknown"
		}
		gaps = append(gaps, Gap{Why: "still running: " + what + ": " + why})
	}
	return gaps
}
