// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"time"
)

// Of returns the scheduler as one owner sees it: it finds and changes only the jobs and runs of this subject. New jobs
// belong to the session that is passed to Create. Serve is for the scheduler itself.
func (s *Scheduler) Of(subject string) *Scheduler {
	own := *s
	own.store = &owned{s.store, subject}
	return &own
}

// owned is a store without the jobs of others. No door can forget to ask for the owner.
type owned struct {
	Store
	subject string
}

func (o *owned) mine(j *Job) bool { return j.Owner.Subject == o.subject }

// Job implements [Store]. A name means the owner's job of that name.
func (o *owned) Job(ctx context.Context, id string) (*Job, error) {
	list, err := o.Store.Jobs(ctx, JobFilter{Owner: &o.subject, Name: id, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		return list[0], nil
	}
	j, err := o.Store.Job(ctx, id)
	switch {
	case err != nil:
		if errors.Is(err, ErrAmbiguous) {
			return nil, ErrNotFound // none of them is the owner's
		}
		return nil, err
	case !o.mine(j):
		return nil, ErrNotFound
	}
	return j, nil
}

// UpdateJob implements [Store].
func (o *owned) UpdateJob(ctx context.Context, id string, change func(*Job) error) (*Job, error) {
	j, err := o.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	return o.Store.UpdateJob(ctx, j.ID, func(j *Job) error {
		if !o.mine(j) {
			return ErrNotFound
		}
		return change(j)
	})
}

// DeleteJob implements [Store].
func (o *owned) DeleteJob(ctx context.Context, id string) error {
	j, err := o.Job(ctx, id)
	if err != nil {
		return err
	}
	return o.Store.DeleteJob(ctx, j.ID)
}

// Jobs implements [Store].
func (o *owned) Jobs(ctx context.Context, f JobFilter) ([]*Job, error) {
	f.Owner = &o.subject
	return o.Store.Jobs(ctx, f)
}

// Counts implements [Store]. It ignores the owner that the caller names.
func (o *owned) Counts(ctx context.Context, _ *string) ([]Count, error) {
	return o.Store.Counts(ctx, &o.subject)
}

// Run implements [Store].
func (o *owned) Run(ctx context.Context, id string) (*Run, error) {
	r, err := o.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := o.Job(ctx, r.Job); err != nil {
		return nil, err
	}
	return r, nil
}

// Runs implements [Store].
func (o *owned) Runs(ctx context.Context, f RunFilter) ([]*Run, error) {
	f.Owner = &o.subject
	return o.Store.Runs(ctx, f)
}

// Cancel implements [Store].
func (o *owned) Cancel(ctx context.Context, id, reason string, now time.Time, change func(*Job, int)) (*Run, error) {
	if _, err := o.Run(ctx, id); err != nil {
		return nil, err
	}
	return o.Store.Cancel(ctx, id, reason, now, change)
}
