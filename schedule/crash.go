// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"time"

	"github.com/toolvet/toolvet/upstream"
)

// When a server ends while several runs are under way there, one of their calls may be the cause, and nobody knows which. All of
// them go back into the queue, and then this worker runs them one at a time. The one that is alone when the server
// ends again is the cause, and fails. So a call that kills its server fails no other run for good.

const (
	// maxCrashes is the number of times that a run goes back into the queue, in case that other workers, which do not know
	// the suspects of this one, run them together.
	maxCrashes = 3
	// afterCrash is when a run is ready again. The server starts meanwhile.
	afterCrash = time.Second
	// suspicion is how long suspects are waited for. Another worker may have taken them.
	suspicion = 10 * time.Minute
)

// flights are the runs of a server on this worker.
type flights struct {
	inAir    map[string]*flight   // by run
	suspects map[string]time.Time // runs to begin alone, and until when
}

// A flight is a run under way.
type flight struct {
	company bool // another run was under way at the same time
	cancel  context.CancelCauseFunc
}

// departs notes that a run begins.
func (e *engine) departs(server, run string, cancel context.CancelCauseFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.flights[server]
	if f == nil {
		f = &flights{inAir: map[string]*flight{}, suspects: map[string]time.Time{}}
		e.flights[server] = f
	}
	for _, other := range f.inAir {
		other.company = true
	}
	f.inAir[run] = &flight{len(f.inAir) > 0, cancel}
}

// lands notes that a run has ended, or is in the queue again.
func (e *engine) lands(server, run string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.flights[server]
	if delete(f.inAir, run); len(f.inAir)+len(f.suspects) == 0 {
		delete(e.flights, server)
	}
}

// free returns how many more runs of a server may be under way. E must be locked.
func (e *engine) free(server string) int {
	f := e.flights[server]
	if f == nil {
		return e.cfg.Workers
	}
	for run, until := range f.suspects {
		if time.Now().After(until) {
			delete(f.suspects, run)
		}
	}
	if len(f.suspects) > 0 {
		return 1 - len(f.inAir)
	}
	return e.cfg.Workers - len(f.inAir)
}

// crashed changes the outcome of a run whose server ended meanwhile, if it is not known to be the cause.
func (e *engine) crashed(server string, c Claim, outcome *Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.flights[server]
	delete(f.suspects, c.Run.ID)
	if outcome.Crashes = c.Run.Crashes; !outcome.gone || !f.inAir[c.Run.ID].company || c.Run.Crashes >= maxCrashes {
		return
	}
	outcome.State, outcome.Crashes = Queued, c.Run.Crashes+1
	outcome.Ready = e.now().Add(afterCrash)
	outcome.Reason = clip(outcome.Reason, 1024) + "; other runs were under way there, so it is tried again, alone"
	f.suspects[c.Run.ID] = time.Now().Add(suspicion)
}

// isGone reports whether an error means that a server ended during a call that may be made again.
func isGone(err error, atMostOnce bool) bool {
	gone, ok := errors.AsType[*upstream.GoneError](err)
	return ok && !(atMostOnce && gone.Sent) && !errors.Is(err, upstream.ErrClosed)
}
