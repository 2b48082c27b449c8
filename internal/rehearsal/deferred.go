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
// out at once, and this happens again for the timers set then. A process that had timers before the calls repeats them;
// they run out once, or as often as those of others if it has more of them now.
const (
	skips = 3
	own   = 1
	each  = time.Hour
)

// Looks at a server that works begin after firstLook. The interval doubles up to lastLook.
const (
	firstLook = 200 * time.Microsecond
	lastLook  = 10 * time.Millisecond
)

// quiet waits until nothing inside works, and returns the processes with timers. After the time-out of a call it
// returns those that work, too. If timers run out next anyway, it does not wait for a process that only turns over short
// waits: a Go program does for 10 ms after each request, and all its waits end when the clocks go forward.
func (s *Session) quiet(ctx context.Context, skips bool) []sandbox.Pending {
	end := time.Now().Add(s.cfg.Timeout)
	for interval := firstLook; ; interval = min(2*interval, lastLook) {
		list, err := s.box.Pending()
		if err != nil { // the sandbox has ended
			return nil
		}
		if answering := s.outside.server.Working(); answering {
			list = append(list, sandbox.Pending{Working: true})
		}
		if !slices.ContainsFunc(list, func(p sandbox.Pending) bool { return p.Working || p.Turned && !skips }) || time.Now().After(end) || ctx.Err() != nil {
			return list
		}
		select {
		case <-ctx.Done():
		case <-time.After(interval):
		}
	}
}

// rest notes the processes that have timers before the first call. If nobody waits for the session, timers run out
// first, so that fewer are left to run out while somebody waits.
func (s *Session) rest(ctx context.Context) {
	list := s.quiet(ctx, false)
	for skipped := 0; s.cfg.ahead && skipped < skips && len(list) > 0; skipped++ {
		if s.box.Skip(each) != nil { // the sandbox has ended
			return
		}
		list = s.quiet(ctx, false)
	}
	s.resting = map[int]int{}
	for _, p := range list {
		s.resting[p.PID] = p.Timers
	}
}

// await waits for the work that calls have deferred. It returns what goes on then: processes that still work, and new
// ones with timers. Those that had timers before the first call repeat theirs.
func (s *Session) await(ctx context.Context) []sandbox.Pending {
	for skipped, hung := 0, false; ; {
		list := s.quiet(ctx, skipped < own)
		added := slices.DeleteFunc(slices.Clone(list), func(p sandbox.Pending) bool { return s.resting[p.PID] > 0 })
		more := slices.ContainsFunc(list, func(p sandbox.Pending) bool { return p.Timers > s.resting[p.PID] })
		switch {
		case slices.ContainsFunc(list, func(p sandbox.Pending) bool { return p.Working || p.Turned && skipped >= own }):
			return list
		case len(list) == 0 && !hung && s.box.HangUp(): // the server may wait for the end of a connection
			hung = true
			continue
		case len(list) == 0:
			return nil
		case skipped == skips, skipped >= own && len(added) == 0 && !more:
			return added
		}
		if s.box.Skip(each) != nil { // the sandbox has ended
			return nil
		}
		skipped++
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
