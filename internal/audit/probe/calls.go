// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
)

// call makes a call, and restarts the server if it has ended or hangs. A tool that left too many
// calls unanswered gets no more.
func (a *auditor) call(ctx context.Context, t *tool, arguments map[string]any) reply {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return reply{failed: "the arguments cannot be written"}
	}
	switch {
	case a.limit > 0 && a.calls >= a.limit:
		return reply{failed: "too many calls would have been made"}
	case a.silent(t):
		return reply{late: true, failed: "the tool did not answer before"}
	case a.over(ctx):
		return reply{failed: "the time for the audit ran out"}
	case !a.ready(ctx):
		return reply{failed: "the server could not be started any more"}
	}
	a.calls++
	a.last = t.Name
	d := a.session.within(ctx, a.cfg.CallTimeout)
	r := a.session.call(d, t.Name, raw)
	a.took += d.stop()
	if r.late || r.gone {
		a.late[t.Name]++
		a.stop()
		return r
	}
	if d.idle >= slowCall {
		a.slow[t.Name] = true
	}
	a.rest(ctx, t)
	return r
}

// slowCall is the waiting time that makes a tool slow: calls that only wait can wait together. Time spent working
// does not count, so a busy machine changes nothing.
const slowCall = time.Second

// atOnce bounds the simultaneous calls of a slow tool.
const atOnce = 24

// each makes a number of calls, and passes replies to seen until seen has enough. Once the tool has
// proved slow, it gets several calls at once; if the server ends, unfinished calls are made again, one
// by one.
func (a *auditor) each(ctx context.Context, t *tool, calls []map[string]any, seen func(i int, r reply) (enough bool)) {
	var again []int
	for i := 0; i < len(calls); {
		if !a.waits(ctx, t) {
			if seen(i, a.call(ctx, t, calls[i])) {
				return
			}
			i++
			continue
		}
		for _, r := range a.together(ctx, t, calls[i:min(i+atOnce, len(calls))]) {
			if r.gone {
				again = append(again, i)
			} else if seen(i, r) {
				return
			}
			i++
		}
	}
	for _, i := range again {
		if seen(i, a.call(ctx, t, calls[i])) {
			return
		}
	}
}

// waits reports whether calls of a tool should be made at the same time.
func (a *auditor) waits(ctx context.Context, t *tool) bool {
	return a.slow[t.Name] && a.late[t.Name] == 0 && !a.over(ctx) && a.ready(ctx) && a.session.box != nil
}

// together makes calls at the same time. The time limit begins anew with each answer, for servers that take one call at a
// time.
func (a *auditor) together(ctx context.Context, t *tool, calls []map[string]any) []reply {
	replies := make([]reply, len(calls))
	a.last = t.Name
	d := a.session.within(ctx, a.cfg.CallTimeout)
	var all sync.WaitGroup
	for i, arguments := range calls {
		raw, err := json.Marshal(arguments)
		if err != nil {
			replies[i] = reply{failed: "the arguments cannot be written"}
			continue
		}
		all.Go(func() {
			replies[i] = a.session.call(d, t.Name, raw)
			d.progress.Store(true)
		})
	}
	all.Wait()
	a.took += d.stop()
	a.calls += len(calls)
	if !d.late() && ctx.Err() == nil {
		a.rest(ctx, t)
	}
	for _, r := range replies {
		if r.late {
			a.late[t.Name]++
			a.stop()
		}
	}
	return replies
}

// over reports whether there is no time for further calls.
func (a *auditor) over(ctx context.Context) bool {
	return ctx.Err() != nil || a.cfg.Budget > 0 && a.took >= a.cfg.Budget
}

// stop ends the session. Its effects can still be seen until the next one begins.
func (a *auditor) stop() { a.session.broken = true }

// spend ends the session because its world has changed.
func (a *auditor) spend() { a.session.broken, a.session.spent = true, true }

// changed reports whether a file used by probes has changed.
func (a *auditor) changed() bool {
	return slices.ContainsFunc(append(a.world.outsiders(), a.world.controls()...), a.session.touched)
}

// ready makes sure that a server runs.
func (a *auditor) ready(ctx context.Context) bool {
	if a.session != nil && !a.session.broken && !a.session.gone() {
		return true
	}
	if a.dead != nil {
		return false
	}
	if a.session != nil {
		if !a.session.spent {
			a.restarts++
			a.ends[a.last]++
		}
		a.leave()
	}
	if a.restarts > maxRestarts {
		a.dead = errors.New("it ended too often")
		return false
	}
	s, err := a.start(ctx, &a.services)
	if err != nil {
		a.dead = err
		return false
	}
	a.session = s
	a.resettle(ctx)
	return true
}

// written are arguments in the form of a report. Encoding cannot fail, since it succeeded for the
// call.
func written(arguments map[string]any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(arguments)
	return bytes.TrimSpace(b.Bytes())
}
