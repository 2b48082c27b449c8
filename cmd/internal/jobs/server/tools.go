// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// newJob holds the arguments of create.
type newJob struct {
	schedule.Spec
	schedule.How
}

// view is a job for clients, with its next runs in its own zone.
type view struct {
	*schedule.Job
	NextRuns []string `json:"next_runs"`
}

func viewOf(j *schedule.Job) view { return view{j, jobspec.NextRuns(j.Upcoming(), 3)} }

func (d *door) create(ctx context.Context, arguments json.RawMessage) (any, error) {
	var in newJob
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	j, p, err := d.jobs.Create(ctx, in.Spec, d.who, in.How)
	if err != nil {
		return nil, err
	}
	return struct {
		view
		Warnings  []string            `json:"warnings,omitempty"`
		Rehearsal *schedule.Rehearsal `json:"rehearsal,omitempty"`
	}{viewOf(j), p.Warnings, p.Rehearsal}, nil
}

type change struct {
	Job     string          `json:"job"`
	Changes json.RawMessage `json:"changes"`
	schedule.How
}

func (d *door) update(ctx context.Context, arguments json.RawMessage) (any, error) {
	var in change
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	j, _, err := d.jobs.Update(ctx, in.Job, in.Changes, in.How)
	if err != nil {
		return nil, err
	}
	return viewOf(j), nil
}

// listed is the size, in characters, above which a list leaves out a job's arguments.
const listed = 4096

func (d *door) list(ctx context.Context, arguments json.RawMessage) (any, error) {
	var in struct {
		State                      schedule.State
		Health                     schedule.Status
		Tag, Server, Search, After string
		Limit                      int
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit := jobspec.PageSize(in.Limit)
	jobs, err := d.jobs.List(ctx, schedule.JobFilter{State: in.State, Health: in.Health, Tag: in.Tag, Server: in.Server, Search: in.Search, After: in.After, Limit: limit, Large: listed})
	if err != nil {
		return nil, err
	}
	page := struct {
		Jobs []view `json:"jobs"`
		Next string `json:"next,omitempty"` // argument "after" for the next page
	}{Jobs: []view{}}
	for _, j := range jobs {
		page.Jobs = append(page.Jobs, viewOf(j))
	}
	if len(jobs) == limit {
		page.Next = jobs[limit-1].ID
	}
	return page, nil
}

// named reads the name of a job.
func named(arguments json.RawMessage) (string, error) {
	var in struct{ Job string }
	err := decode(arguments, &in)
	return in.Job, err
}

// onJob makes a handler for an operation on one job.
func onJob(ctx context.Context, arguments json.RawMessage, do func(context.Context, string) (*schedule.Job, error)) (any, error) {
	name, err := named(arguments)
	if err != nil {
		return nil, err
	}
	j, err := do(ctx, name)
	if err != nil {
		return nil, err
	}
	return viewOf(j), nil
}

func (d *door) get(ctx context.Context, arguments json.RawMessage) (any, error) {
	return onJob(ctx, arguments, d.jobs.Get)
}

func (d *door) pause(ctx context.Context, arguments json.RawMessage) (any, error) {
	return onJob(ctx, arguments, d.jobs.Pause)
}

func (d *door) resume(ctx context.Context, arguments json.RawMessage) (any, error) {
	return onJob(ctx, arguments, d.jobs.Resume)
}

func (d *door) delete(ctx context.Context, arguments json.RawMessage) (any, error) {
	name, err := named(arguments)
	if err != nil {
		return nil, err
	}
	return struct {
		Deleted string `json:"deleted"`
	}{name}, d.jobs.Delete(ctx, name)
}

func (d *door) trigger(ctx context.Context, arguments json.RawMessage) (any, error) {
	name, err := named(arguments)
	if err != nil {
		return nil, err
	}
	return d.jobs.Trigger(ctx, name)
}

func (d *door) executions(ctx context.Context, arguments json.RawMessage) (any, error) {
	var in struct {
		Job, Before string
		State       schedule.RunState
		Limit       int
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit := jobspec.PageSize(in.Limit)
	runs, err := d.jobs.Runs(ctx, schedule.RunFilter{Job: in.Job, State: in.State, Before: in.Before, Limit: limit, Brief: true})
	if err != nil {
		return nil, err
	}
	page := struct {
		Runs []*schedule.Run `json:"runs"`
		Next string          `json:"next,omitempty"` // argument "before" for the next page
	}{Runs: append([]*schedule.Run{}, runs...)}
	if len(runs) == limit {
		page.Next = runs[limit-1].ID
	}
	return page, nil
}

// onRun makes a handler for an operation on one run.
func onRun(ctx context.Context, arguments json.RawMessage, do func(context.Context, string) (*schedule.Run, error)) (any, error) {
	var in struct{ Run string }
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	return do(ctx, in.Run)
}

func (d *door) retrieve(ctx context.Context, arguments json.RawMessage) (any, error) {
	return onRun(ctx, arguments, d.jobs.GetRun)
}

func (d *door) cancel(ctx context.Context, arguments json.RawMessage) (any, error) {
	return onRun(ctx, arguments, d.jobs.Cancel)
}

func (d *door) replay(ctx context.Context, arguments json.RawMessage) (any, error) {
	return onRun(ctx, arguments, d.jobs.Replay)
}
