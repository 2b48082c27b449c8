// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Alerts that depend on the time: runs that are late or take long, and reminders. All workers look for them. The transaction
// that stores an alert also stores in the job that it was told, so that nobody tells it again.

// overdueEvery is the time between two looks, unless Config.Poll is longer. A look at a long queue may take a twentieth of the time.
const overdueEvery = leastAlert

// overdue looks for late runs, and for jobs of which to remind, until ctx is done.
func (e *engine) overdue(ctx context.Context) {
	told := map[string]bool{} // late runs that still wait
	every := max(overdueEvery, e.cfg.Poll)
	for wait := every; pause(ctx, wait, nil); {
		began := time.Now()
		err := errors.Join(e.late(ctx, told), e.remind(ctx))
		if err != nil && ctx.Err() == nil {
			e.log.Error("alerts about late runs, and reminders, could not be looked for", "err", err)
		}
		wait = max(every, 20*time.Since(began))
	}
}

// late tells of runs that have not begun in time.
func (e *engine) late(ctx context.Context, told map[string]bool) error {
	now := e.now()
	_, _, oldest, err := e.store.Backlog(ctx, now)
	if err != nil || oldest.IsZero() || now.Sub(oldest) < leastAlert {
		clear(told)
		return err
	}
	var runs []*Run
	seen := map[string]bool{}
	f := RunFilter{State: Queued, Limit: 1000, Brief: true}
	for {
		list, err := e.store.Runs(ctx, f)
		if err != nil {
			return err
		}
		for _, r := range list {
			if r.LateAfter <= 0 || r.Attempt > 0 || now.Sub(r.Fire) < time.Duration(r.LateAfter) {
				continue
			}
			if seen[r.ID] = true; !told[r.ID] {
				runs = append(runs, r)
			}
		}
		if len(list) < f.Limit {
			break
		}
		f.Before = list[len(list)-1].ID
	}
	for id := range told {
		if !seen[id] {
			delete(told, id)
		}
	}
	slices.SortFunc(runs, func(a, b *Run) int { return a.Fire.Compare(b.Fire) })
	for _, r := range runs {
		if err := e.update(ctx, r.Job, func(j *Job) {
			if j.State == Paused || !r.Fire.After(j.LateTold) {
				return
			}
			j.LateTold = r.Fire
			j.tell("run.late", j.Health.Status, fmt.Sprintf("the run has not begun %s after its time", now.Sub(r.Fire).Round(time.Second)), r.ID, now)
		}); err != nil {
			return err
		}
		told[r.ID] = true
	}
	return nil
}

// remind tells again of active jobs whose health is not [Healthy].
func (e *engine) remind(ctx context.Context) error {
	for _, status := range []Status{Failing, Warned, Unavailable} {
		f := JobFilter{State: Active, Health: status, Reminds: true, Limit: 1000, Brief: true}
		for {
			list, err := e.store.Jobs(ctx, f)
			if err != nil {
				return err
			}
			now := e.now()
			for _, j := range list {
				if !j.reminds(now) {
					continue
				}
				if err := e.update(ctx, j.ID, func(j *Job) {
					if j.reminds(now) {
						j.Reminded = now
						j.tell("job.reminder", j.Health.Status, j.Health.Reason, "", now)
					}
				}); err != nil {
					return err
				}
			}
			if len(list) < f.Limit {
				break
			}
			f.After = list[len(list)-1].ID
		}
	}
	return nil
}

// reminds reports whether a reminder of the job is due.
func (j *Job) reminds(now time.Time) bool {
	last := j.Health.Since
	if j.Reminded.After(last) {
		last = j.Reminded
	}
	return j.AlertReminder > 0 && j.State == Active && j.Health.Status != Healthy && now.Sub(last) >= time.Duration(j.AlertReminder)
}

// whileLong tells of a run if it takes long. The caller calls stop when the run has ended.
func (e *engine) whileLong(ctx context.Context, c Claim) (stop func()) {
	if c.Job.AlertLong <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	var teller sync.WaitGroup
	teller.Go(func() {
		if !pause(ctx, time.Duration(c.Job.AlertLong), done) {
			return
		}
		select {
		case <-done:
			return
		default:
		}
		err := e.update(ctx, c.Job.ID, func(j *Job) {
			j.tell("run.long", j.Health.Status, fmt.Sprintf("the run has been under way for %s", time.Duration(j.AlertLong)), c.Run.ID, e.now())
		})
		if err != nil && ctx.Err() == nil {
			e.log.Error("an alert about a run that takes long could not be stored", "job", c.Job.Name, "run", c.Run.ID, "err", err)
		}
	})
	return func() { close(done); teller.Wait() }
}

// update changes a job in the store, if it is still there, and has its alerts told.
func (e *engine) update(ctx context.Context, id string, change func(j *Job)) error {
	_, err := e.store.UpdateJob(ctx, id, func(j *Job) error { change(j); return nil })
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	kick(e.alert)
	return err
}
