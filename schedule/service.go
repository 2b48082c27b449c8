// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/when"
	"github.com/toolvet/toolvet/upstream"
)

// A Proposal is the judgement of a job before it is made.
type Proposal struct {
	toolvet.Validation
	Understood string      `json:"understood,omitempty"` // the schedule in words
	Next       []time.Time `json:"next,omitempty"`       // the first three runs, in the job's zone
	Rehearsal  *Rehearsal  `json:"rehearsal,omitempty"`  // nil without a rehearsal

	schedule *when.Schedule
	closed   []string // see [Job]
}

// A RefusedError reports a job that was not made or changed because it could not work.
type RefusedError struct{ Proposal *Proposal }

func (e *RefusedError) Error() string {
	return "the job is refused: " + strings.Join(e.Proposal.Errors, "; ")
}

// judgeCall judges the call of a job that is to be made.
func (s *Scheduler) judgeCall(ctx context.Context, spec *Spec, who *call.Session, allowWarnings bool) (*Proposal, error) {
	result, err := s.cfg.Caller.Validate(ctx, spec.Tool, spec.arguments(), upstream.WithSession(ownerOf(who).session(allowWarnings)))
	p := &Proposal{Validation: result}
	blocking := slices.DeleteFunc(slices.Clone(p.Findings), func(f check.Finding) bool { return !f.Blocks() })
	if len(blocking) > 0 && !slices.ContainsFunc(blocking, func(f check.Finding) bool { return !f.Foreseen }) {
		p.Suggestions = append(p.Suggestions, "or make the job although this is missing: allow_warnings: true (--allow-warnings)")
	}
	return p, err
}

// schedules reads the schedule of a job.
func (s *Scheduler) schedules(p *Proposal, spec *Spec, now time.Time) {
	closed, err := s.closed(spec)
	if err != nil {
		p.add("/except", err.Error(), "")
		return
	}
	p.closed = closed
	schedule, err := spec.schedule(now)
	if err == nil {
		schedule, err = spec.except(schedule, closed, now)
	}
	var wrong *when.Error
	switch {
	case errors.As(err, &wrong):
		near := ""
		if len(wrong.Near) > 0 {
			near = "write for instance " + strings.Join(wrong.Near, ", or ")
		}
		p.add("/schedule", wrong.Problem, near)
		return
	case err != nil:
		p.add("/timezone", err.Error(), "")
		return
	}
	p.schedule, p.Understood, p.Next = schedule, spec.inWords(schedule), schedule.Times(now, 3)
	if !spec.Until.IsZero() && spec.Until.After(now) && p.Next[0].After(spec.Until) {
		p.add("/end_date", "is before the first run: the job would never run", "")
	}
}

// add adds an error to the proposal, in the form of the validation protocol.
func (p *Proposal) add(pointer, message, suggestion string) {
	p.Valid = false
	f := check.Finding{Code: "SEMANTIC", Check: "schedule-job", Level: check.SemanticLevel, Severity: check.Error, Pointer: pointer, Message: message, Suggestion: suggestion}
	p.Findings = append(p.Findings, f)
	if pointer != "" {
		message = pointer + ": " + message
	}
	p.Errors = append(p.Errors, message)
	if suggestion != "" {
		p.Suggestions = append(p.Suggestions, suggestion)
	}
}

// How says how to make or change a job.
type How struct {
	// SkipValidation makes the job even if its call is a no-go. The policy has to allow it. The job
	// records it.
	SkipValidation bool `json:"skip_validation,omitempty"`
	// AllowWarnings makes the job although something is missing that its call needs, such as the file that a tool reads.
	// The job's health is [Warned] as long as it is missing, and its runs are tried.
	AllowWarnings bool `json:"allow_warnings,omitempty"`
	// Paused makes the job paused. It runs once somebody resumes it. Update ignores it.
	Paused bool `json:"paused,omitempty"`
	// TestRun makes the call once, now, and makes the job only if the call succeeds. "rehearsal" makes
	// the call where it can do no harm, "real" for real.
	TestRun string `json:"test_run,omitempty"`
}

// Create makes a job. The error is a *[RefusedError] if the job is a no-go, and [ErrNameTaken] if the owner has
// another job of this name. The proposal is never nil.
func (s *Scheduler) Create(ctx context.Context, spec Spec, who *call.Session, how How) (*Job, *Proposal, error) {
	return s.create(ctx, spec, who, how, "")
}

func (s *Scheduler) create(ctx context.Context, spec Spec, who *call.Session, how How, managedBy string) (*Job, *Proposal, error) {
	p, err := s.Propose(ctx, spec, who, how)
	if err == nil {
		err = s.tryOut(ctx, spec, who, how, p)
	}
	if err != nil {
		return nil, p, err
	}
	now := s.now()
	j := &Job{
		ID: jobspec.NewID(now), Spec: spec, State: Active, Owner: ownerOf(who), Created: now, Updated: now,
		Unvalidated: how.SkipValidation, AllowWarnings: how.AllowWarnings, ManagedBy: managedBy,
	}
	if how.Paused {
		j.State = Paused
	}
	j.Arguments, j.Quota = spec.arguments(), s.cfg.MaxJobs
	s.plan(j, p, now)
	j.Verdict = s.recorded(ctx, "create", j, p)
	j.Health = j.fresh(j.Verdict, now)
	if err := s.store.CreateJob(ctx, j); err != nil {
		return nil, p, s.overQuota(p, err)
	}
	kick(s.wake)
	return j, p, nil
}

// plan sets the fields that follow from the schedule.
func (s *Scheduler) plan(j *Job, p *Proposal, now time.Time) {
	j.Canonical, j.Words, j.Closed = p.schedule.Canonical(), j.inWords(p.schedule), p.closed
	j.Moved, j.Through = nil, now
	if j.State == Paused {
		return // Resume sets Next
	}
	j.setNext(j.following(p.schedule, now), now, s.tuning.Ahead, s.tuning.Recheck)
}

// fresh returns the health of a job that was just made or changed. There is no alert: who did it is told.
func (j *Job) fresh(v *Verdict, now time.Time) Health {
	status, reason := j.fit(v)
	return Health{Status: status, Since: now, Reason: reason}
}

func (s *Scheduler) recorded(ctx context.Context, on string, j *Job, p *Proposal) *Verdict {
	v := newVerdict(on, s.now(), p.Validation)
	v.ToolDigest, v.PolicyDigest = s.toolDigest(ctx, j.Tool, j.Owner), s.tuning.PolicyDigest()
	return v
}

// Propose judges a job as [Scheduler.Create] would, but does not make it. An error other than a *[RefusedError] means
// that the call could not be judged. The proposal is a no-go then.
func (s *Scheduler) Propose(ctx context.Context, spec Spec, who *call.Session, how How) (*Proposal, error) {
	return s.propose(ctx, spec, who, how, true)
}

// propose judges a job that is new, or as it would be after a change.
// Fresh means that its owner has a job more then.
func (s *Scheduler) propose(ctx context.Context, spec Spec, who *call.Session, how How, fresh bool) (*Proposal, error) {
	if err := s.sync(ctx); err != nil {
		return new(Proposal), err
	}
	p, err := s.judgeCall(ctx, &spec, who, how.AllowWarnings)
	if how.SkipValidation && s.cfg.AllowSkip {
		// The judgement of the call stays on record. The schedule and the fields must still be right.
		called := p.Validation
		p.Validation = toolvet.Validation{Valid: true, Tool: called.Tool, Method: "skipped", Warnings: called.Errors}
		err = nil
	}
	s.schedules(p, &spec, s.now())
	s.tooOften(p, &spec)
	if fresh {
		if err := s.quota(ctx, p, ownerOf(who).Subject); err != nil {
			return p, err
		}
	}
	if how.SkipValidation && !s.cfg.AllowSkip {
		p.add("/skip_validation", "is not allowed by the policy", "write skip_validation: true in the section schedule of the policy")
	}
	for _, problem := range spec.problems(s.now()) {
		p.add("/"+problem.field, problem.message, problem.suggestion)
	}
	if how.TestRun != "" && how.TestRun != testReal && how.TestRun != testRehearsal {
		p.add("/test_run", `must be "rehearsal", which makes the call where it can do no harm, or "real"`, "")
	}
	if !p.Valid {
		err = errors.Join(&RefusedError{p}, err)
	}
	return p, err
}

// patched returns a job, and the specification that a patch would leave it with.
func (s *Scheduler) patched(ctx context.Context, id string, patch []byte, how How) (old *Job, spec Spec, p *Proposal, err error) {
	if old, err = s.store.Job(ctx, id); err != nil {
		return nil, spec, nil, err
	}
	spec = old.Spec
	if err := spec.decode(patch); err != nil {
		return nil, spec, nil, err
	}
	p, err = s.propose(ctx, spec, old.Owner.session(how.AllowWarnings), how, old.ended()) // one that has ended begins anew
	if err == nil && old.Schedule == spec.Schedule && old.Zone == spec.Zone {
		// "in 3 hours" counts from when the job was made, and an interval keeps its beginning
		old := &Job{Spec: spec, Canonical: old.Canonical, Closed: p.closed}
		if schedule, err := old.restored(); err == nil {
			p.schedule, p.Understood, p.Next = schedule, spec.inWords(schedule), schedule.Times(s.now(), 3)
		}
	}
	return old, spec, p, err
}

// errConflict reports that somebody else changed a job at the same time.
var errConflict = errors.New("somebody else changed the job at the same time: look at it again")

// Update changes a job. Patch is a JSON object with those fields of a [Spec] that change. Update judges the result
// like a new job of the same owner.
func (s *Scheduler) Update(ctx context.Context, id string, patch []byte, how How) (*Job, *Proposal, error) {
	old, spec, p, err := s.patched(ctx, id, patch, how)
	if err == nil {
		err = s.tryOut(ctx, spec, old.Owner.session(how.AllowWarnings), how, p)
	}
	if err != nil {
		return nil, p, err
	}
	j, err := s.store.UpdateJob(ctx, old.ID, func(j *Job) error {
		if !j.Updated.Equal(old.Updated) {
			return errConflict
		}
		now := s.now()
		j.Spec, j.Updated, j.Unvalidated, j.AllowWarnings = spec, now, how.SkipValidation, how.AllowWarnings
		if j.ended() {
			j.State, j.Fired, j.Quota = Active, 0, s.cfg.MaxJobs // the schedule begins anew
		}
		s.plan(j, p, now)
		j.Verdict = newVerdict("update", now, p.Validation)
		j.Verdict.PolicyDigest = s.tuning.PolicyDigest()
		if j.Health.Status != Failing {
			j.Health = j.fresh(j.Verdict, now)
		}
		return nil
	})
	kick(s.wake)
	return j, p, s.overQuota(p, err)
}

// Get finds a job by id or name.
func (s *Scheduler) Get(ctx context.Context, id string) (*Job, error) { return s.store.Job(ctx, id) }

// List lists jobs.
func (s *Scheduler) List(ctx context.Context, f JobFilter) ([]*Job, error) {
	return s.store.Jobs(ctx, f)
}

// Runs lists runs, the newest first. f.Job may be a name.
func (s *Scheduler) Runs(ctx context.Context, f RunFilter) ([]*Run, error) {
	if f.Job != "" {
		j, err := s.store.Job(ctx, f.Job)
		if err != nil {
			return nil, err
		}
		f.Job = j.ID
	}
	return s.store.Runs(ctx, f)
}

// GetRun finds a run.
func (s *Scheduler) GetRun(ctx context.Context, id string) (*Run, error) { return s.store.Run(ctx, id) }

// Delete deletes a job and its runs.
func (s *Scheduler) Delete(ctx context.Context, id string) error { return s.store.DeleteJob(ctx, id) }

// Pause keeps a job from running until [Scheduler.Resume].
func (s *Scheduler) Pause(ctx context.Context, id string) (*Job, error) {
	if err := s.sync(ctx); err != nil {
		return nil, err
	}
	return s.store.UpdateJob(ctx, id, func(j *Job) error {
		if j.State != Active && j.State != Paused {
			return fmt.Errorf("the job is %s: it does not run any more", j.State)
		}
		j.State, j.Next, j.CheckAt, j.Updated = Paused, time.Time{}, time.Time{}, s.now()
		return nil
	})
}

// Resume lets a paused job run again from now on. The runs that it left out while it was paused do not count as missed.
func (s *Scheduler) Resume(ctx context.Context, id string) (*Job, error) {
	if err := s.sync(ctx); err != nil {
		return nil, err
	}
	defer kick(s.wake)
	return s.store.UpdateJob(ctx, id, func(j *Job) error {
		switch j.State {
		case Active:
			return nil
		case Completed, Failed:
			return fmt.Errorf("the job is %s: give it a schedule that fires again, with update", j.State)
		}
		s.recall(j)
		schedule, err := j.restored()
		if err != nil {
			return err
		}
		now := s.now()
		next := j.following(schedule, now)
		if next.IsZero() {
			return errors.New("the job's schedule does not fire any more: give it another, with update")
		}
		j.State, j.Updated, j.Moved, j.Through = Active, now, nil, now
		j.setNext(next, now, s.tuning.Ahead, 0) // the call may have become a no-go meanwhile
		return nil
	})
}

// Trigger queues a run of a job for now, even if the job is paused. The run waits for another one that is under way,
// unless the job allows overlaps.
func (s *Scheduler) Trigger(ctx context.Context, id string) (*Run, error) {
	return s.enqueue(ctx, id, "")
}

func (s *Scheduler) newRun(j *Job, fire time.Time, kind string) *Run {
	return &Run{ID: jobspec.NewID(s.now()), Job: j.ID, Fire: fire.UTC(), Kind: kind, State: Queued, Ready: fire.UTC(), Exclusive: j.Overlap != "allow", RunInfo: RunInfo{LateAfter: j.AlertLate}}
}
