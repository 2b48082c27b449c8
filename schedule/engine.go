// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// batch is how many jobs are fired in one transaction.
const batch = 100

// An engine is one [Scheduler.Serve].
type engine struct {
	*Scheduler
	runs  sync.WaitGroup
	quit  context.CancelCauseFunc
	began time.Time

	mu      sync.Mutex
	flights map[string]*flights // by server
	worker  string
	self    *Worker   // as the others know it
	fleet   []*Worker // at looked
	looked  time.Time
	leased  bool
	ctx     context.Context // of runs; over when the lease is
	end     context.CancelCauseFunc
	hold    time.Time // before it nobody's runs are taken over
}

var (
	errLease   = errors.New("the lease of its worker was over")
	errStopped = errors.New("its worker was stopped")
	errCancel  = errors.New("it was cancelled while it ran: its tool may have done a part of its work")
)

// Serve runs jobs until ctx is done. Then it begins no more runs and waits for those under way, for at most 30 s;
// after that it puts them back into the queue. It ends in the same way, with [ErrGone], if the store disappears. Any number of
// processes may serve a store.
func (s *Scheduler) Serve(ctx context.Context) error {
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	e := &engine{Scheduler: s, flights: map[string]*flights{}, quit: quit}
	if err := e.enlist(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("starting the scheduler: %w", err)
	}
	rest, err := e.realignAtStart(ctx)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("starting the scheduler: %w", err)
	}
	doubtful, err := e.doubtful(ctx)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("starting the scheduler: %w", err)
	}
	alive, stop := context.WithCancel(context.WithoutCancel(ctx)) // the lease outlives ctx
	var loops sync.WaitGroup
	loops.Go(func() { e.keepLease(alive) })
	if rest != nil {
		loops.Go(rest)
	}
	loops.Go(func() { // tools, policy and files may have changed meanwhile
		e.untilDone(ctx, "jobs could not be validated at the start", func() error { return e.recheckAll(ctx, "") })
	})
	loops.Go(func() { e.watch(ctx) })
	loops.Go(func() { e.prune(ctx, doubtful) })
	loops.Go(func() { e.files(ctx) })
	loops.Go(func() { e.zones(ctx) })
	loops.Go(func() { e.tellAll(ctx) })
	loops.Go(func() { e.overdue(ctx) })
	loops.Go(func() { e.follow(ctx) })
	e.loop(ctx)
	e.drain()
	e.lastWords(alive)
	stop()
	loops.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, ErrGone) {
		return cause
	}
	worker, _, _ := e.holds()
	return s.store.Leave(context.WithoutCancel(ctx), worker)
}

// enlist takes a lease as a new worker.
func (e *engine) enlist(ctx context.Context) error {
	host, _ := os.Hostname() // only for people
	worker := fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:8])
	if err := e.clock.sync(ctx, 0); err != nil {
		return err
	}
	if e.began.IsZero() {
		e.began = e.now()
	}
	fleet, err := e.store.Workers(ctx)
	if err != nil {
		return err
	}
	if err := e.store.Heartbeat(ctx, e.describe(worker, fleet), e.tuning.Lease, true); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.worker, e.leased, e.fleet = worker, true, fleet
	e.ctx, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
	return nil
}

// keepLease renews the lease of this worker. If it cannot for most of the lease's time, it cancels all runs, because another
// worker may begin them soon, and enlists as a new worker.
func (e *engine) keepLease(ctx context.Context) {
	last, told := time.Now(), false
	for pause(ctx, e.tuning.Lease/5, e.pulse) {
		began := time.Now()
		within, cancel := context.WithTimeout(ctx, e.tuning.Lease/5)
		var err error
		if worker, _, ok := e.holds(); ok {
			err = e.beat(within, worker)
		} else {
			err = e.enlist(ctx)
		}
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrGone): // jobs made in the new store would not run, and nobody would see this one
			e.quit(err)
		case err == nil:
			last = began
			if mixed := e.mixed(); mixed && !told { // others may have validated by an older policy until they heard of this one
				if err := e.recheckAll(ctx, ""); err != nil && ctx.Err() == nil {
					e.log.Error("jobs could not be validated", "err", err)
				}
			}
			told = true
		case errors.Is(err, ErrLost) || time.Since(last) > e.tuning.Lease*3/5:
			e.log.Error("this worker's lease is over: its runs are cancelled", "err", err)
			e.mu.Lock()
			e.leased = false
			e.end(errLease)
			e.mu.Unlock()
		default:
			e.log.Warn("the store does not answer", "err", err)
		}
	}
}

// beat renews the lease of a worker, and reads the store's clock.
func (e *engine) beat(ctx context.Context, worker string) error {
	fleet, err := e.store.Workers(ctx)
	if err != nil {
		return err
	}
	if err := e.store.Heartbeat(ctx, e.describe(worker, fleet), e.tuning.Lease, false); err != nil {
		return err
	}
	e.mu.Lock()
	e.fleet, e.looked = fleet, time.Now()
	e.mu.Unlock()
	if err := e.clock.sync(ctx, 0); err != nil { // the lease is renewed all the same
		e.log.Warn("the store's clock could not be read", "err", err)
	}
	return nil
}

// holds returns the name of this worker, the context of its runs, and whether it has a lease.
func (e *engine) holds() (worker string, runs context.Context, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.worker, e.ctx, e.leased
}

// pause waits for d, or until early. It returns false if ctx is done.
func pause(ctx context.Context, d time.Duration, early <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-early:
	case <-ctx.Done():
		return false
	}
	return ctx.Err() == nil
}

// loop fires jobs and begins runs until ctx is done.
func (e *engine) loop(ctx context.Context) {
	clock := newJumps(e.clock.now)
	var took time.Time // the last call of takeOver
	for ctx.Err() == nil {
		e.jumped(ctx, clock.look())
		if time.Since(took) > e.tuning.Lease/3 {
			took = time.Now()
			e.takeOver(ctx)
		}
		now := e.now()
		did, err := e.pass(ctx, now)
		if err != nil && ctx.Err() == nil {
			e.log.Error("the store failed", "err", err)
			clock.pause(ctx, time.Second, nil)
			continue
		}
		if did {
			continue
		}
		clock.pause(ctx, e.idle(ctx, now), e.wake)
	}
}

// idle returns how long to sleep after a pass at a time. It looks only for later work. Work that was due before
// and still waits, such as a run in need of a slot, waits for an event, and each such event kicks e.wake.
func (e *engine) idle(ctx context.Context, done time.Time) time.Duration {
	at, err := e.store.NextAt(ctx, done)
	if err != nil || at.IsZero() {
		return e.cfg.Poll
	}
	return min(max(at.Sub(e.clock.now()), 0), e.cfg.Poll)
}

// pass fires the jobs due now, begins the runs that are ready, and reports whether there were any.
func (e *engine) pass(ctx context.Context, now time.Time) (did bool, err error) {
	fired, err := e.store.Fire(ctx, now, batch, func(j *Job, open int, fired []time.Time) []*Run { return e.fire(j, open, fired, now) })
	if err != nil {
		return false, err
	}
	if fired > 0 {
		kick(e.alert)
	}
	worker, runs, ok := e.holds()
	if !ok {
		return fired > 0, nil
	}
	if err := e.cancelRuns(ctx, worker); err != nil {
		return fired > 0, err
	}
	claims, err := e.store.Claim(ctx, worker, now, Capacity{Room: e.room, PerOwner: e.cfg.PerOwner, PerTag: e.cfg.PerTag})
	if errors.Is(err, ErrLost) {
		return fired > 0, nil // after the next heartbeat this is a new worker
	}
	if err != nil {
		return fired > 0, err
	}
	for _, c := range claims {
		e.begin(runs, c)
	}
	return fired > 0 || len(claims) > 0, nil
}

// begin does a run in a goroutine of its own. Ctx ends with the lease of the worker that claimed the run.
func (e *engine) begin(ctx context.Context, c Claim) {
	server, _, _ := strings.Cut(c.Job.Tool, ":")
	within, cancel := context.WithCancelCause(ctx)
	e.departs(server, c.Run.ID, cancel)
	e.runs.Go(func() {
		defer cancel(nil)
		defer func() {
			e.lands(server, c.Run.ID)
			kick(e.wake)
		}()
		defer e.whileLong(within, c)()
		outcome := e.safely(within, c)
		e.crashed(server, c, outcome)
		e.finish(ctx, c, outcome, context.Cause(within))
	})
}

// safely calls attempt, and turns a panic into a failed run.
func (e *engine) safely(ctx context.Context, c Claim) (outcome *Run) {
	defer func() {
		if v := recover(); v != nil {
			e.log.Error("a run panicked", "job", c.Job.Name, "panic", v)
			outcome = &Run{State: RunFailed, RunInfo: RunInfo{Reason: "toolvet failed inside; the log says how"}}
		}
	}()
	return e.attempt(ctx, c)
}

// finish stores the end of a run. It tries again while the store does not answer and the lease lasts.
func (e *engine) finish(ctx context.Context, c Claim, outcome *Run, cutOff error) {
	r := e.conclude(c, outcome, cutOff)
	for {
		err := e.store.Finish(context.WithoutCancel(ctx), r, func(j *Job, open int) { j.concluded(r, open, e.now()) })
		switch {
		case err == nil:
			kick(e.alert)
			if !r.State.Open() {
				e.tuning.Ran(string(r.State), r.Started.Sub(r.Fire))
			}
			e.log.Info("a run ended", "job", c.Job.Name, "run", r.ID, "state", r.State, "attempt", r.Attempt)
			return
		case errors.Is(err, ErrLost):
			e.log.Warn("the end of a run is dropped: another worker has it, or its job is gone", "job", c.Job.Name, "run", r.ID)
			return
		}
		e.log.Error("the end of a run could not be stored", "job", c.Job.Name, "run", r.ID, "err", err)
		if ctx.Err() != nil || !pause(ctx, e.tuning.Lease/10, nil) {
			return
		}
	}
}

// drain waits for the runs under way, and cancels them after 30 s.
func (e *engine) drain() {
	done := make(chan struct{})
	go func() {
		e.runs.Wait()
		close(done)
	}()
	timer := time.NewTimer(e.tuning.Drain)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		e.mu.Lock()
		e.end(errStopped)
		e.mu.Unlock()
		<-done
	}
}

// takeOver hands on the runs of dead workers.
func (e *engine) takeOver(ctx context.Context) {
	e.mu.Lock()
	held := time.Now().Before(e.hold)
	e.mu.Unlock()
	if held {
		return
	}
	now := e.now()
	err := e.store.TakeOver(ctx, now, e.tuning.Lease, maxAttempts, func(j *Job, r *Run, open int) {
		switch {
		case r.State == Cancelled:
			r.Reason = errCancel.Error()
		case j.AtMostOnce:
			r.Reason = "its worker died, and it must not run twice"
		default:
			r.Reason = fmt.Sprintf("its worker died, for the %dth time", r.Attempt)
		}
		j.concluded(r, open, now)
		kick(e.alert)
	})
	if err != nil && ctx.Err() == nil {
		e.log.Error("the runs of dead workers could not be taken over", "err", err)
	}
}

// maxAttempts is the number of times that a run is begun although its workers die. The run may be what kills them.
const maxAttempts = 10
