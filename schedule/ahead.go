// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/when"
)

// checkers is the number of jobs of a server that are validated at once.
const checkers = 4

// breath bounds the pause after the validation of jobs that run much later. When a scheduler starts with many jobs, their
// validation must not delay runs.
const breath = 20 * time.Millisecond

// checks validates runs of the jobs of a server ahead of time until ctx is done.
func (e *engine) checks(ctx context.Context, server string, soon <-chan struct{}) {
	for {
		now, began := e.now(), time.Now()
		list, err := e.store.Checks(ctx, server, now, now.Add(e.tuning.Recheck), checkers)
		if err != nil {
			list = nil // they are due still: judging them would start a loop without a pause
			if ctx.Err() == nil {
				e.log.Error("the store cannot list the jobs to validate", "err", err)
			}
		}
		var all sync.WaitGroup
		for _, j := range list {
			all.Go(func() {
				if _, err := e.judgeNext(ctx, j); err != nil && ctx.Err() == nil {
					e.log.Error("a job could not be validated ahead of time", "job", j.Name, "err", err)
				}
			})
		}
		all.Wait()
		if far := now.Add(e.tuning.Ahead); len(list) > 0 && !slices.ContainsFunc(list, func(j *Job) bool { return j.Next.Before(far) }) {
			pause(ctx, min(2*time.Since(began), breath), nil)
		}
		if len(list) == 0 && !pause(ctx, max(e.cfg.Poll, time.Second), soon) || ctx.Err() != nil {
			return
		}
	}
}

// recheckAll makes the validation of all jobs of a server due at once, because its tools, the policy, or files have changed. ""
// means all servers.
func (s *Scheduler) recheckAll(ctx context.Context, server string) error {
	if server == "" {
		kick(s.pulse)
	}
	defer kick(s.check)
	now := s.now()
	for after := (Place{}); ; {
		var err error
		if after, err = s.store.CheckSoon(ctx, server, now, after); err != nil || after == (Place{}) {
			return err
		}
		kick(s.check)
	}
}

// judgeNext validates the next run of a job now, as a call of its owner, and stores the verdict. If the server is not available,
// the job's health stays as it is for the time of two rechecks, because the server may be back in time. Then it is Unavailable.
func (s *Scheduler) judgeNext(ctx context.Context, j *Job) (*Verdict, error) {
	within, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	v, judgeErr := s.verdict(within, "ahead", j)
	_, err := s.store.UpdateJob(ctx, j.ID, func(now *Job) error {
		if !now.Updated.Equal(j.Updated) {
			return nil // the verdict is of an older version
		}
		at := s.now()
		if judgeErr != nil {
			v.Unjudged = now.unjudgedSince(at, s.tuning.Away)
		}
		now.Verdict = v
		if !now.CheckAt.Before(j.CheckAt) { // else somebody asked for another validation meanwhile
			now.setNext(now.Next, at, s.tuning.Ahead, s.tuning.Recheck)
			if judgeErr != nil {
				now.checkAway(at, s.tuning)
			}
		}
		switch {
		case now.Health.Status == Failing:
		case judgeErr == nil:
			status, reason := now.fit(v)
			now.turn(status, reason, at)
		case at.Sub(v.Unjudged) >= s.tuning.Away:
			now.turn(Unavailable, now.away(v), at)
		}
		return nil
	})
	kick(s.alert)
	return v, err
}

// fit returns the health of a job whose last run did not fail, by the latest verdict on its call.
func (j *Job) fit(v *Verdict) (Status, string) {
	switch {
	case v == nil:
		return Healthy, ""
	case !v.Valid && !j.Unvalidated:
		return Warned, j.outlook("will be refused", v.Errors)
	case !v.Valid || len(v.Missing) > 0:
		return Warned, j.outlook("will probably fail", slices.Concat(v.Errors, v.Missing))
	}
	return Healthy, ""
}

// outlook describes the fate of the next run.
func (j *Job) outlook(fate string, why []string) string {
	at := "when it is triggered"
	if zone, err := when.LoadZone(j.Zone); err == nil && !j.Next.IsZero() {
		at = "at " + j.Next.In(zone).Format("2006-01-02 15:04:05 MST")
	}
	return fmt.Sprintf("the run %s %s: %s", at, fate, clip(strings.Join(why, "; "), 1024))
}
