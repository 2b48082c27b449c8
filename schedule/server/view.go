// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"maps"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schedule"
)

// View is a call of the scheduler's own tools as rules read it: its argument "job" is the name of the
// job that is meant, whether the caller gives its name, its id, or the id of one of its runs. So no
// spelling passes a rule. What is meant by no job stays as it is, for the tool to refuse.
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

// meant is the job that a call is about; nil if there is none.
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
	if run, given := c.Arguments["run"].(string); given && c.Name == "retrieve" {
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

// unlessNone is an error, unless it says that no one job is meant.
func unlessNone(err error) error {
	if errors.Is(err, schedule.ErrNotFound) || errors.Is(err, schedule.ErrAmbiguous) {
		return nil
	}
	return err
}
