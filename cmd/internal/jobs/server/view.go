// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schedule"
)

// View returns a call of the scheduler's own tools as rules see it: its argument "job" is the name of the job,
// whether the caller gave its name, its id, or the id of one of its runs. So no spelling gets past a rule. If there
// is no such job, the argument stays as it is, for the tool to refuse.
func (s *Server) View(ctx context.Context, c *call.Call) (*call.Call, error) {
	j, err := s.meant(ctx, c)
	if j == nil || err != nil {
		return c, err
	}
	seen := *c
	seen.Arguments = maps.Clone(c.Arguments)
	seen.Arguments["job"] = j.Name
	return &seen, nil
}

// onRuns are the tools that take the id of a run.
var onRuns = []string{"retrieve", "cancel", "replay"}

// meant returns the job that a call is about, or nil.
func (s *Server) meant(ctx context.Context, c *call.Call) (*schedule.Job, error) {
	jobs := s.cfg.Scheduler
	if s.apart() {
		subject := ""
		if c.Session != nil {
			subject = c.Session.Subject
		}
		jobs = jobs.Of(subject)
	}
	id, ok := c.Arguments["job"].(string)
	if run, given := c.Arguments["run"].(string); given && slices.Contains(onRuns, c.Name) {
		r, err := jobs.GetRun(ctx, run)
		if err != nil {
			return nil, unlessNone(err)
		}
		id, ok = r.Job, true
	}
	if !ok {
		return nil, nil
	}
	j, err := jobs.Get(ctx, id)
	return j, unlessNone(err)
}

// unlessNone returns the error, unless it reports that the job does not exist or is ambiguous.
func unlessNone(err error) error {
	if errors.Is(err, schedule.ErrNotFound) || errors.Is(err, schedule.ErrAmbiguous) {
		return nil
	}
	return err
}
