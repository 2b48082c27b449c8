// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package inside is what toolvet's own program does with a scheduler beside what other programs do.
package inside

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// A Scheduler is the inside of one.
type Scheduler interface {
	// Tune sets what the policy says. It is for the time before Serve.
	Tune(t jobspec.Tuning)
	// Recheck makes the validation of all jobs of a server due at once; "" means all servers.
	Recheck(ctx context.Context, server string) error
	// Check validates the next run of a job now, as a call of its owner, and stores the verdict.
	Check(ctx context.Context, j *schedule.Job) (*schedule.Verdict, error)
	// Workers returns the schedulers that serve the store.
	Workers(ctx context.Context) ([]*schedule.Worker, error)
	// Backlog counts the runs that are ready and those under way; late is how long the first of the ready ones has been so.
	Backlog(ctx context.Context) (ready, running int, late time.Duration, err error)
	// Counts counts the jobs of an owner, nil for all, by state and health.
	Counts(ctx context.Context, owner *string) ([]schedule.Count, error)
	// Validate judges a job as Create would.
	Validate(ctx context.Context, spec *schedule.Spec, who *call.Session, how schedule.How) (*schedule.Proposal, error)
	// ProposeUpdate judges a job as Update would leave it.
	ProposeUpdate(ctx context.Context, id string, patch []byte, how schedule.How) (*schedule.Proposal, error)
	// CreateManaged makes a job as Create does, with the label of the file that declares it.
	CreateManaged(ctx context.Context, spec schedule.Spec, who *call.Session, how schedule.How, managedBy string) (*schedule.Job, *schedule.Proposal, error)
	// Manage gives a job the label of the file that declares it from now on.
	Manage(ctx context.Context, id, managedBy string) (*schedule.Job, error)
}

// Of returns the inside of a scheduler.
func Of(s *schedule.Scheduler) Scheduler { return s.Inside().(Scheduler) }
