// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/schema"
)

// An outcome is what became of one check. The zero outcome is that of a check that
// has not finished.
type outcome struct {
	index    int
	done     bool
	findings []check.Finding
	skip     *check.Skip
	err      error
}

// runStage runs a stage's checks and adds what they found to v. A check that is not
// bounded has a goroutine of its own. If it does not heed its context it is left behind,
// and its outcome is dropped.
func (g *Gate) runStage(ctx context.Context, s stage, j judgement, v *Verdict) {
	passes := s.passes(j)
	if len(passes) == 0 {
		return
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	results := make(chan outcome, len(passes))
	run := func(i int) {
		o := outcome{done: true, err: errExited}
		defer func() { // also when the check calls runtime.Goexit
			o.index = i
			results <- o
		}()
		o = runPass(ctx, passes[i])
	}
	for i, p := range passes {
		if !p.planned.Bounded {
			go run(i)
		}
	}
	for i, p := range passes {
		if p.planned.Bounded && ctx.Err() == nil {
			run(i)
		}
	}
	outcomes := collect(ctx, results, len(passes))
	late := fmt.Sprintf("did not finish within %v", g.timeout)
	if caller.Err() != nil {
		late = "was stopped by its caller before it finished"
	}
	for i, o := range outcomes {
		g.record(passes[i].planned, o, late, j, v)
	}
}

// errExited is the error of a check that ended its goroutine.
var errExited = errors.New("it called runtime.Goexit")

// A plannedPass is one run of a check that has something to look at.
type plannedPass struct {
	planned planned
	pass    *check.Pass
}

// passes are the runs of a stage's checks over a call. A check whose rule is demanded of
// nothing in the call does not run.
func (s stage) passes(j judgement) []plannedPass {
	passes := make([]plannedPass, 0, min(len(s.checks), 8))
	for _, p := range s.checks {
		var targets []check.Target
		if p.Rule != nil {
			if targets = j.bound.targets(p.Rule, j.call); len(targets) == 0 {
				continue
			}
		}
		pass := check.NewPass(p.Check, j.call, j.evaluate)
		if p.Rule != nil {
			pass.Targets, pass.World = targets, j.bound.world
		}
		passes = append(passes, plannedPass{p, pass})
	}
	return passes
}

// collect waits for n outcomes, or until ctx is done. What is there counts, even
// when ctx is done as well.
func collect(ctx context.Context, results <-chan outcome, n int) []outcome {
	outcomes := make([]outcome, n)
	for range n {
		select {
		case o := <-results:
			outcomes[o.index] = o
			continue
		default:
		}
		select {
		case o := <-results:
			outcomes[o.index] = o
		case <-ctx.Done():
			return outcomes
		}
	}
	return outcomes
}

func runPass(ctx context.Context, p plannedPass) (o outcome) {
	defer func() {
		if r := recover(); r != nil {
			o = outcome{done: true, err: fmt.Errorf("panic: %v", r)}
		}
	}()
	err := p.planned.Run(ctx, p.pass)
	if ctx.Err() != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		return outcome{findings: p.pass.Findings()} // it heeded its context: it is late, not broken
	}
	return outcome{done: true, findings: p.pass.Findings(), skip: p.pass.Skipped(), err: err}
}

// record adds one check's outcome to v, as the policy wants it.
func (g *Gate) record(p planned, o outcome, late string, j judgement, v *Verdict) {
	switch {
	case o.err != nil:
		// The error may quote an argument: it goes to the log of the operator.
		g.logger.Error("check broke", "check", p.Name, "server", j.call.Server, "tool", j.call.Name, "err", o.err)
		v.add(p, p.broken("broke, and its reason is in toolvet's log"))
	case !o.done && p.Level == check.RuntimeLevel && !j.at.live():
		v.Skipped = append(v.Skipped, check.Skip{Check: p.Name, Level: p.Level, Why: late})
		f := p.broken(late)
		f.Severity = check.Warning
		v.add(p, f)
	case !o.done:
		g.logger.Error("check did not finish", "check", p.Name, "server", j.call.Server, "tool", j.call.Name, "timeout", g.timeout)
		v.add(p, p.broken(late))
	case o.skip != nil:
		v.Skipped = append(v.Skipped, *o.skip)
	default:
		v.sawLevel(p.Level)
	}
	for _, f := range o.findings {
		if p.rule.Severity != nil {
			f.Severity = *p.rule.Severity
		}
		v.add(p, f)
	}
}

// broken is the finding that stands for a check that did not do its work.
func (p planned) broken(why string) check.Finding {
	f := check.Finding{Check: p.Name, Stage: p.Stage, Level: p.Level,
		Message: fmt.Sprintf("the check %q %s, so nothing is known of what it looks for", p.Name, why)}
	if p.rule.FailOpen {
		f.Severity = check.Warning
	}
	return f
}

func (v *Verdict) add(p planned, f check.Finding) {
	f.Observed = p.rule.Observe && f.Severity == check.Error
	v.Findings = append(v.Findings, f)
}

func (v *Verdict) sawLevel(l check.Level) {
	seen := levelSet(0)
	for _, have := range v.Levels {
		seen.add(have)
	}
	seen.add(l)
	v.Levels = seen.list()
}

// A levelSet is a set of levels, listed in their own order.
type levelSet uint

func (s *levelSet) add(l check.Level) { *s |= 1 << l }

func (s levelSet) list() []check.Level {
	var list []check.Level
	for l := check.SyntaxLevel; l <= check.SecurityLevel; l++ {
		if s&(1<<l) != 0 {
			list = append(list, l)
		}
	}
	return list
}

// onceValues is sync.OnceValues with a panic turned into an error for every caller,
// so that all checks of a call see the same outcome.
func onceValues(f func() (*schema.Evaluation, error)) func() (*schema.Evaluation, error) {
	return sync.OnceValues(func() (e *schema.Evaluation, err error) {
		defer func() {
			if r := recover(); r != nil {
				e, err = nil, fmt.Errorf("judging by the schema broke: %v", r)
			}
		}()
		return f()
	})
}
