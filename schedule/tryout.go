// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"encoding/json"

	"github.com/toolvet/toolvet/call"
)

// Kinds of test runs. They precede the making of a job.
const (
	testRehearsal = "rehearsal" // where it can do no harm
	testReal      = "real"      // for real
)

// A Rehearsal is the outcome of a call that was made where it could do no harm.
type Rehearsal struct {
	// Faults tell why the call failed or must not be made. It succeeded if there are none.
	Faults []string        `json:"faults,omitempty"`
	Report json.RawMessage `json:"report,omitempty"` // the changes that it made; nil without a report
	Text   string          `json:"-"`                // the report for people
}

// tryOut makes a job's call once, before the job is made, if how asks for it.
func (s *Scheduler) tryOut(ctx context.Context, spec Spec, who *call.Session, how How, p *Proposal) error {
	ctx, cancel := s.within(ctx, &spec)
	defer cancel()
	switch how.TestRun {
	case testReal:
		j := &Job{Spec: spec, Owner: ownerOf(who), AllowWarnings: how.AllowWarnings}
		j.Arguments = spec.arguments()
		if r := s.call(ctx, j); r.State != Succeeded {
			p.add("/test_run", r.Reason, "")
		}
	case testRehearsal:
		s.rehearse(ctx, spec, who, how, p)
	}
	if !p.Valid {
		return &RefusedError{p}
	}
	return nil
}

func (s *Scheduler) rehearse(ctx context.Context, spec Spec, who *call.Session, how How, p *Proposal) {
	if s.cfg.Rehearse == nil {
		p.add("/test_run", "cannot be a rehearsal here", `leave it out, or make the call for real with "real"`)
		return
	}
	r, err := s.cfg.Rehearse(ctx, spec.Tool, spec.arguments(), ownerOf(who).session(how.AllowWarnings))
	if err != nil {
		p.add("/test_run", "the call cannot be rehearsed: "+err.Error(), `leave it out, or make the call for real with "real"`)
		return
	}
	p.Rehearsal = r
	for _, fault := range r.Faults {
		p.add("/test_run", "in the rehearsal "+fault, "")
	}
}
