// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/upstream"
)

// attempt judges a run's call once more, and makes it.
func (s *Scheduler) attempt(ctx context.Context, c Claim) *Run {
	within, cancel := s.within(ctx, &c.Job.Spec)
	defer cancel()
	v, err := s.verdict(within, "fire", c.Job)
	outcome := new(Run)
	switch {
	case err != nil:
		outcome.State, outcome.Reason, outcome.gone = RunFailed, "the call could not be judged: "+why(within, err), isGone(err, false)
	case !v.Valid && !c.Job.Unvalidated:
		outcome.State, outcome.Reason = Refused, strings.Join(v.Errors, "; ")
	default:
		tell, stop := s.follow(within, c.Run)
		outcome = s.call(within, c.Job, upstream.WithProgress(tell), upstream.WithParams(origin(c)))
		stop()
	}
	// A server's own validation, and its errors, have words of the server. A record keeps no secret of them.
	lasting := context.WithoutCancel(ctx)
	outcome.Reason = storedText(lasting, outcome.Reason)
	outcome.Verdict = v
	return outcome
}

// origin returns params that name the job and the run behind a call.
func origin(c Claim) json.RawMessage {
	params, _ := json.Marshal(map[string]any{"_meta": map[string]any{protocol.ScheduleKey: map[string]any{ // of texts alone
		"job": c.Job.ID, "name": c.Job.Name, "run": c.Run.ID, "fire": c.Run.Fire.UTC().Format(time.RFC3339Nano), "attempt": c.Run.Attempt,
	}}})
	return params
}

// within bounds the time of a run.
func (s *Scheduler) within(ctx context.Context, spec *Spec) (context.Context, context.CancelFunc) {
	limit := cmp.Or(time.Duration(spec.Timeout), defaultTimeout)
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s", limit))
}

// call makes a job's call, and returns its outcome in the fields of a run.
func (s *Scheduler) call(ctx context.Context, j *Job, options ...upstream.CallOption) *Run {
	r := new(Run)
	o, err := s.cfg.Caller.Call(ctx, j.Tool, j.Arguments, append(options, upstream.WithSession(j.session()))...)
	if err != nil {
		r.State, r.Reason, r.gone = RunFailed, why(ctx, err), isGone(err, j.AtMostOnce)
		return r
	}
	if len(o.Raw) > s.tuning.MaxResult {
		r.Truncated = len(o.Raw)
	} else if r.Result = stored(context.WithoutCancel(ctx), o.Raw); r.Result == nil {
		r.Truncated = len(o.Raw)
	}
	var said struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	unreadable := json.Unmarshal(o.Raw, &said)
	switch {
	case !o.Ran:
		r.State, r.Reason = Refused, strings.Join(protocol.NewResult(j.Tool, o.Judged).Errors, "; ")
	case !o.Reviewed.Go:
		r.State, r.Reason = RunFailed, "the result is withheld: "+strings.Join(protocol.NewResult(j.Tool, o.Reviewed).Errors, "; ")
	case unreadable != nil:
		r.State, r.Reason = RunFailed, "the result cannot be read"
	case said.IsError:
		r.State, r.Reason = RunFailed, "the tool reports an error"
		if len(said.Content) > 0 && said.Content[0].Text != "" {
			r.Reason += ": " + clip(storedText(context.WithoutCancel(ctx), said.Content[0].Text), 512)
		}
	default:
		r.State = Succeeded
	}
	return r
}

// clip shortens a text.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// why returns the reason of an error. The cause of a context that is done explains more than the error.
func why(ctx context.Context, err error) string {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause.Error()
	}
	return err.Error()
}

// conclude applies the outcome of an attempt to its run: the run ends, or goes back into the queue. CutOff is the reason if
// the attempt was cut off: the worker was stopped, or its lease is over and nobody has taken over the run yet.
func (s *Scheduler) conclude(c Claim, outcome *Run, cutOff error) *Run {
	r, j, now := c.Run, c.Job, s.now()
	stopped := cutOff != nil
	r.State, r.RunInfo = outcome.State, outcome.RunInfo
	retry := r.State == RunFailed && r.Attempt-r.Crashes <= j.Retries
	switch {
	case errors.Is(cutOff, errCancel) && r.State != Succeeded:
		r.State, r.Reason = Cancelled, cutOff.Error()
	case r.State == Queued: // its server ended
		r.Ready = outcome.Ready
		return r
	case stopped && r.State != Succeeded && r.State != Refused && !j.AtMostOnce:
		r.State, r.Ready, r.Reason = Queued, now, cutOff.Error()
		return r
	case stopped && r.State == RunFailed:
		r.State, r.Reason = Lost, cutOff.Error()+", and it must not run twice"
	case retry:
		pause := time.Duration(j.Backoff)
		if pause == 0 {
			pause = 10 * time.Second
		}
		r.State, r.Ready = Queued, now.Add(min(pause<<min(r.Attempt-1, 16), 24*time.Hour))
		r.Reason = clip(r.Reason, 1024) + fmt.Sprintf(" (attempt %d of %d)", r.Attempt-r.Crashes, j.Retries+1)
		return r
	}
	r.Ended = now
	return r
}

// concluded updates a job after one of its runs ended.
func (j *Job) concluded(r *Run, open int, now time.Time) {
	switch r.State {
	case Queued:
		return
	case Cancelled: // says nothing about the job
	case Succeeded:
		status, reason := j.fit(r.Verdict)
		if told := j.turn(status, reason, now); j.AlertSuccess && !(told && status == Healthy) {
			j.tell("run.succeeded", j.Health.Status, "", r.ID, now)
		}
	case Refused:
		j.fail(r, "the run was refused: "+clip(r.Reason, 1024), now)
	case Lost:
		j.fail(r, "the run was lost: "+clip(r.Reason, 1024), now)
	default:
		j.fail(r, "the run failed: "+clip(r.Reason, 1024), now)
	}
	j.settle(open)
}

// fail makes the health Failing because of a run.
func (j *Job) fail(r *Run, reason string, now time.Time) {
	if !j.turn(Failing, reason, now) && j.AlertFailure {
		j.tell("run.failed", Failing, reason, r.ID, now)
	}
}
