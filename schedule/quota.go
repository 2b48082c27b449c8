// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// looked is the number of runs whose distances count for [Config.MinInterval].
const looked = 100

// tooOften refuses a schedule whose runs are closer together than the configuration allows.
func (s *Scheduler) tooOften(p *Proposal, spec *Spec) {
	if p.schedule == nil || s.cfg.MinInterval <= 0 || spec.FireOnce || spec.MaxRuns == 1 {
		return
	}
	var before time.Time
	for _, at := range p.schedule.Times(s.now(), looked) {
		if gap := at.Sub(before); !before.IsZero() && gap < s.cfg.MinInterval {
			p.add("/schedule", fmt.Sprintf("asks for two runs within %s, at %s and %s: the policy wants at least %s between them",
				gap, before.Format(time.RFC3339), at.Format(time.RFC3339), s.cfg.MinInterval), "")
			return
		}
		before = at
	}
}

// quota refuses another job of an owner who has as many as the configuration allows.
func (s *Scheduler) quota(ctx context.Context, p *Proposal, owner string) error {
	if s.cfg.MaxJobs <= 0 {
		return nil
	}
	counts, err := s.store.Counts(ctx, &owner)
	if err != nil {
		return err
	}
	n := 0
	for _, c := range counts {
		if c.State == Active || c.State == Paused {
			n += c.Jobs
		}
	}
	if n >= s.cfg.MaxJobs {
		s.full(p)
	}
	return nil
}

func (s *Scheduler) full(p *Proposal) {
	p.add("", fmt.Sprintf("the policy allows an owner no more than %d jobs, and there are as many", s.cfg.MaxJobs), "delete a job that is not needed any more")
}

// overQuota returns the error of a store as a refusal if the owner got the last job that the quota allows meanwhile.
func (s *Scheduler) overQuota(p *Proposal, err error) error {
	if !errors.Is(err, ErrQuota) {
		return err
	}
	s.full(p)
	return &RefusedError{p}
}
