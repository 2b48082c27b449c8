// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jobspec"
)

// Inside is for toolvet's own packages; the value's type is internal.
func (s *Scheduler) Inside() any { return inside{s} }

// inside is the part of a scheduler for toolvet's own program alone.
type inside struct{ s *Scheduler }

// Tune sets what the policy says. It is for the time before Serve.
func (i inside) Tune(t jobspec.Tuning) { *i.s.tuning = t.WithDefaults() }

// Recheck makes the validation of all jobs of a server due at once, because its tools, the policy, or files have changed. ""
// means all servers.
func (i inside) Recheck(ctx context.Context, server string) error { return i.s.recheckAll(ctx, server) }

// Check validates the next run of a job now, as a call of its owner, and stores the verdict.
func (i inside) Check(ctx context.Context, j *Job) (*Verdict, error) { return i.s.judgeNext(ctx, j) }

// Workers returns the schedulers that serve the store.
func (i inside) Workers(ctx context.Context) ([]*Worker, error) { return i.s.store.Workers(ctx) }

// Backlog is that of the store.
func (i inside) Backlog(ctx context.Context) (ready, running int, late time.Duration, err error) {
	now := i.s.now()
	ready, running, oldest, err := i.s.store.Backlog(ctx, now)
	if ready > 0 {
		late = now.Sub(oldest)
	}
	return ready, running, late, err
}

// Counts counts the jobs of an owner, nil for all, by state and health.
func (i inside) Counts(ctx context.Context, owner *string) ([]Count, error) {
	return i.s.store.Counts(ctx, owner)
}

// Validate judges a job as [Scheduler.Create] would. An error means that the call could not be judged because
// its server is not available. The proposal is a no-go then. Without a schedule and a zone, the call alone is judged.
func (i inside) Validate(ctx context.Context, spec *Spec, who *call.Session, how How) (*Proposal, error) {
	if err := i.s.sync(ctx); err != nil {
		return new(Proposal), err
	}
	p, err := i.s.judgeCall(ctx, spec, who, how.AllowWarnings)
	if spec.Schedule != "" || spec.Zone != "" {
		i.s.schedules(p, spec, i.s.now())
		i.s.tooOften(p, spec)
		if err := i.s.quota(ctx, p, ownerOf(who).Subject); err != nil {
			return p, err
		}
	}
	for _, problem := range spec.problems(i.s.now()) {
		p.add("/"+problem.field, problem.message, problem.suggestion)
	}
	return p, err
}

// ProposeUpdate judges a job as [Scheduler.Update] would leave it.
func (i inside) ProposeUpdate(ctx context.Context, id string, patch []byte, how How) (*Proposal, error) {
	_, _, p, err := i.s.patched(ctx, id, patch, how)
	return p, err
}

// CreateManaged makes a job as [Scheduler.Create] does, with the label of the file that declares it.
func (i inside) CreateManaged(ctx context.Context, spec Spec, who *call.Session, how How, managedBy string) (*Job, *Proposal, error) {
	return i.s.create(ctx, spec, who, how, managedBy)
}

// Manage gives a job the label of the file that declares it from now on.
func (i inside) Manage(ctx context.Context, id, managedBy string) (*Job, error) {
	if err := i.s.sync(ctx); err != nil {
		return nil, err
	}
	return i.s.store.UpdateJob(ctx, id, func(j *Job) error {
		j.ManagedBy, j.Updated = managedBy, i.s.now()
		return nil
	})
}
