// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Cancel ends a run before its time. A queued run ends at once as [Cancelled]. The worker of a running one cancels its call
// within [Config.Poll], and the run ends as Cancelled unless it succeeds meanwhile; until then Cancel returns it as [Running]. The error
// is [ErrNotFound] if there is no such run.
func (s *Scheduler) Cancel(ctx context.Context, run string) (*Run, error) {
	if err := s.sync(ctx); err != nil {
		return nil, err
	}
	var j *Job
	r, err := s.store.Cancel(ctx, run, "it was cancelled before it began", s.now(), func(of *Job, open int) {
		j = of
		j.settle(open)
	})
	switch {
	case err != nil:
		return nil, err
	case j == nil && !r.State.Open():
		return nil, fmt.Errorf("the run has ended already: it is %s", r.State)
	}
	kick(s.wake)
	return r, nil
}

// Replay queues another run like one that has ended, for now, with the present arguments of its job. The error is [ErrNotFound] if
// there is no such run.
func (s *Scheduler) Replay(ctx context.Context, run string) (*Run, error) {
	r, err := s.store.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	if r.State.Open() {
		return nil, fmt.Errorf("the run has not ended: it is %s", r.State)
	}
	return s.enqueue(ctx, r.Job, r.ID)
}

// enqueue queues a run of a job for now, which may repeat an earlier one.
func (s *Scheduler) enqueue(ctx context.Context, id, replays string) (*Run, error) {
	if err := s.sync(ctx); err != nil {
		return nil, err
	}
	j, err := s.store.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	r := s.newRun(j, s.now(), "trigger")
	r.Replays = replays
	for {
		err := s.store.AddRun(ctx, r, maxOpen)
		if errors.Is(err, ErrRunExists) { // somebody else triggered the job in the same millisecond
			r.Fire = r.Fire.Add(time.Millisecond)
			continue
		}
		if err != nil {
			return nil, err
		}
		kick(s.wake)
		return r, nil
	}
}

// cancelRuns cancels the calls of runs of this worker that somebody has cancelled.
func (e *engine) cancelRuns(ctx context.Context, worker string) error {
	e.mu.Lock()
	idle := len(e.flights) == 0
	e.mu.Unlock()
	if idle {
		return nil
	}
	ids, err := e.store.ToCancel(ctx, worker)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		for _, f := range e.flights {
			if run := f.inAir[id]; run != nil {
				run.cancel(errCancel)
			}
		}
	}
	return nil
}
