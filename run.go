// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/schema"
)

// An outcome is the outcome of one check. The zero outcome stands for a check that has not
// finished.
type outcome struct {
	index    int
	done     bool
	tooMany  bool   // it did not run: there are too many targets
	why      string // it did not run, for this reason
	findings []check.Finding
	skip     *check.Skip
	err      error
	edits    []result.Edit
	hidden   []result.Edit
	notes    []string

	canonicals []check.Canonical
}

// reviewTime is the time for the review of a small result, in time-outs. It is generous because
// withholding a result on a busy machine wastes a call that has already been made.
const reviewTime = 5

// timeFor returns the time-out of a stage. For results it grows with their size.
func (g *Gate) timeFor(j judgement) time.Duration {
	if j.review == nil {
		return g.timeout
	}
	kibibytes := len(j.review.result.Raw) >> 10
	return (reviewTime*g.timeout + g.timeout/1024*time.Duration(kibibytes)).Round(time.Millisecond)
}

// runStage runs a stage's checks and adds their findings to v. A check that is not bounded
// runs in a goroutine of its own. If it ignores its context, runStage returns without it and
// drops its outcome. A check with too many such runs is not started until one returns. It returns the canonical values that
// the checks told.
func (g *Gate) runStage(ctx context.Context, s stage, j judgement, v *Verdict) (values []check.Canonical) {
	passes := j.dry.chosen(s.passes(j), v)
	if len(passes) == 0 {
		return nil
	}
	caller, timeout := ctx, g.timeFor(j)
	stage := withTimeout(ctx, timeout)
	defer stage.end()
	ctx = stage
	outcomes := make([]outcome, len(passes))
	var results chan outcome // of those in goroutines
	var detached *call.Call
	running := 0
	for i := range passes {
		switch p := &passes[i]; {
		case p.bounded:
		case p.promptly(ctx, &outcomes[i]):
			j.dry.finished(*p)
		case p.planned.Left() >= maxLeft:
			outcomes[i] = outcome{why: fmt.Sprintf("was not started, because %d earlier runs of it have not returned", maxLeft)}
			j.dry.finished(*p)
		default:
			if results == nil {
				results = make(chan outcome, len(passes))
			}
			if detached == nil {
				detached = detach(j.call)
			}
			running++
			p.run.Call = detached
			go runBeside(ctx, i, *p, results)
		}
	}
	for i, p := range passes {
		if p.bounded && ctx.Err() == nil {
			outcomes[i] = runPass(ctx, p)
			j.dry.finished(p)
		}
	}
	for range running {
		o, ok := next(ctx, results)
		if !ok {
			break
		}
		outcomes[o.index] = o
		j.dry.finished(passes[o.index])
	}
	stopped := caller.Err()
	for i, o := range outcomes {
		if !o.done && o.why == "" {
			if stopped != nil {
				v.Stopped = stopped
			}
			if !passes[i].bounded {
				passes[i].run.Leave()
			}
		}
		g.record(passes[i], o, timeout, j, v)
		if j.review != nil {
			j.review.take(o, passes[i].planned.settings.Observe)
		}
		if o.done && o.err == nil {
			values = append(values, o.canonicals...)
		}
	}
	return values
}

// maxLeft bounds the runs of one check that have been left behind: each keeps a goroutine.
const maxLeft = 64

// errExited is the error of a check that ended its goroutine.
var errExited = errors.New("it called runtime.Goexit")

// A plannedPass is one run of a check over its targets.
type plannedPass struct {
	planned *planned
	run     *check.Run
	worst   check.Severity // the worst severity its findings can have
	foresee bool           // its findings are about what is missing now for a later call
	bounded bool           // it needs no goroutine
	tooMany bool           // there are too many targets, so it does not run
}

// maxBounded is the largest size of arguments or of a result, in bytes, at which a bounded check
// runs without a goroutine. For short values, a goroutine costs more than most checks; for long
// ones, even a bounded check takes long enough to overrun the deadline.
const maxBounded = 16 << 10

// passes returns the runs of a stage's checks over a call. A check with a demand runs only if
// the policy makes the demand of some value in the call, or it holds everywhere. It runs twice if the demand is an
// error at one place and a warning at another.
func (s stage) passes(j judgement) []plannedPass {
	all := passList{judgement: j, list: make([]plannedPass, 0, min(len(s.checks), 8))}
	for i := range s.checks {
		p := &s.checks[i]
		switch {
		case !p.concerns(s.name, j):
		case p.Demand == nil:
			all.add(p).run.World = j.bound.World(j.call)
		case p.Demand.Everywhere:
			all.everywhere(p)
		case p.Demand.Results:
			run := all.add(p).run
			run.Targets, run.World = []check.Target{{Options: j.bound.OutputOptions(p.Demand)}}, j.bound.World(j.call)
		default:
			all.demanded(p)
		}
	}
	if j.review != nil {
		for i := range all.list {
			p := &all.list[i]
			p.run.Result, p.bounded = j.review.result, p.bounded && len(j.review.result.Raw) <= maxBounded
		}
	}
	return all.list
}

// A passList collects the runs of a stage. Runs are large, and a stage has many: they share pieces of memory.
type passList struct {
	judgement
	list  []plannedPass
	spare []check.Run
}

// add adds a run, valid until the next add.
func (l *passList) add(p *planned) *plannedPass {
	if len(l.spare) == 0 {
		l.spare = make([]check.Run, max(min(cap(l.list)-len(l.list), 4), 1))
	}
	run := &l.spare[0]
	l.spare = l.spare[1:]
	run.Init(p.Check, l.call, l.evaluate)
	l.list = append(l.list, plannedPass{planned: p, run: run, bounded: p.Bounded.Holds()})
	return &l.list[len(l.list)-1]
}

// concerns reports whether a check judges the call: one without a demand may be about calls of tools
// alone.
func (p *planned) concerns(stage check.Stage, j judgement) bool {
	return stage == check.Output || p.Demand != nil || p.Requests || j.call.IsTool() && !j.part
}

// detach gives a call for runs that may be left behind a text of its own: the caller uses its buffer again.
func detach(c *call.Call) *call.Call {
	own := *c
	own.Raw = bytes.Clone(c.Raw)
	return &own
}

// demanded adds the runs of a check with a demand on arguments.
func (l *passList) demanded(p *planned) {
	found := l.places.Targets(p.Check, maxTargets+1)
	add := func(targets []check.Target, worst check.Severity, foresee bool) {
		if len(targets) > 0 {
			one := l.over(p, targets)
			one.worst, one.foresee, one.run.World = worst, foresee, l.bound.World(l.call)
		}
	}
	foreseen := check.Error
	if s := l.call.Session; s != nil && s.AllowWarnings {
		foreseen = check.Warning
	}
	add(found.Errors, check.Error, false)
	add(found.Foreseen, foreseen, true)
	add(found.Asks, check.Ask, false)
	add(found.Warnings, check.Warning, false)
}

// everywhere adds the run of a check with a demand on all arguments.
func (l *passList) everywhere(p *planned) {
	targets := l.places.Targets(p.Check, maxTargets+1)
	l.over(p, slices.Concat(targets.Errors, targets.Foreseen, targets.Asks, targets.Warnings))
}

// over adds a run over values in the arguments.
func (l *passList) over(p *planned, targets []check.Target) *plannedPass {
	one := l.add(p)
	one.bounded = one.bounded && len(l.call.Raw) <= maxBounded && l.call.Raw != nil
	one.tooMany = len(targets) > maxTargets
	one.run.Targets = targets
	return one
}

// next waits for an outcome, or until ctx is done. An outcome that has already arrived counts even
// if ctx is done. Most checks need microseconds: next lets them run before it waits on ctx, which starts a timer.
func next(ctx context.Context, results <-chan outcome) (o outcome, ok bool) {
	for looks := 0; ; looks++ {
		select {
		case o = <-results:
			return o, true
		default:
		}
		if looks == 2 || ctx.Err() != nil {
			break
		}
		runtime.Gosched()
	}
	select {
	case o = <-results:
		return o, true
	case <-ctx.Done():
		return outcome{}, false
	}
}

// runBeside runs a pass in a goroutine of its own.
func runBeside(ctx context.Context, index int, p plannedPass, results chan<- outcome) {
	o := outcome{done: true, err: errExited}
	defer func() { // even when the check calls runtime.Goexit
		o.index = index
		results <- o
	}()
	o = runPass(ctx, p)
}

// promptly runs a check that knows beforehand if it would wait, and reports whether it did not have to.
func (p *plannedPass) promptly(ctx context.Context, o *outcome) bool {
	if !p.planned.Bounded.Tries() || ctx.Err() != nil || len(p.run.Call.Raw) > maxBounded {
		return false
	}
	if made := runPass(bounded.Promptly(ctx), *p); !errors.Is(made.err, bounded.ErrWaits) {
		*o = made
		return true
	}
	again := new(check.Run).Init(p.planned.Check, p.run.Call, p.run.Evaluate)
	again.Targets, again.World, again.Result, again.Footing = p.run.Targets, p.run.World, p.run.Result, p.run.Footing
	p.run = again
	return false
}

func runPass(ctx context.Context, p plannedPass) (o outcome) {
	defer func() {
		if r := recover(); r != nil {
			o = outcome{done: true, err: panicked(r)}
		}
	}()
	if p.tooMany {
		return outcome{done: true, tooMany: true}
	}
	err := p.run.Do(ctx)
	if err != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) && ctx.Err() != nil {
		return outcome{findings: p.run.Findings} // it obeyed its context: it is late, not broken
	}
	r := p.run
	return outcome{done: true, findings: r.Findings, skip: r.Skip, err: err, edits: r.Changes, hidden: r.Hidden, notes: r.Notes, canonicals: r.Canonicals}
}

// A panicError is the error of code that panicked.
type panicError struct {
	value any
	stack []byte
}

// panicked returns the error for a recovered value. It must be called by the function that recovers.
func panicked(value any) error { return &panicError{value, debug.Stack()} }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// logged returns the attributes of an error in a log: that of a panic has a stack.
func logged(err error) []any {
	if p, ok := errors.AsType[*panicError](err); ok {
		return []any{"err", err, "stack", string(p.stack)}
	}
	return []any{"err", err}
}

// record adds one check's outcome to v, with the severity that the policy sets.
func (g *Gate) record(run plannedPass, o outcome, timeout time.Duration, j judgement, v *Verdict) {
	p := run.planned
	late := o.why
	switch {
	case o.done || late != "":
	case v.Stopped != nil:
		late = "was stopped by its caller before it finished"
	default:
		late = fmt.Sprintf("did not finish within %v", timeout)
	}
	if o.err != nil || !o.done {
		j.dry.loosen()
	}
	switch {
	case o.err != nil:
		// The error may quote an argument, so only the operator's log gets it.
		g.logger.Error("check broke", append([]any{"check", p.Name, "server", j.call.Server, "tool", j.call.Name}, logged(o.err)...)...)
		v.add(p, p.broken("broke, and its reason is in toolvet's log"))
	case o.tooMany:
		v.add(p, p.crowded())
	case !o.done && p.Level == check.RuntimeLevel && !j.at.live():
		v.Skipped = append(v.Skipped, check.Skip{Check: p.Name, Level: p.Level, Why: late})
		f := p.broken(late)
		f.Severity = check.Warning
		v.add(p, f)
	case !o.done:
		g.logger.Error("check did not finish", "check", p.Name, "server", j.call.Server, "tool", j.call.Name, "why", late)
		v.add(p, p.broken(late))
	case o.skip != nil:
		v.skip(*o.skip)
	default:
		v.sawLevel(p.Level)
	}
	for _, f := range o.findings {
		if own := p.settings.Severity; own != nil && (f.Severity == p.Severity || *own > f.Severity) {
			f.Severity = *own // but a check's own warning stays a warning
		}
		f.Severity, f.Foreseen = max(f.Severity, run.worst), run.foresee
		if f.Severity == check.Warning && p.Name == "unknown-argument" && j.bound.Names(f.Pointer) {
			continue // the policy knows it, and a model that removed it would break its call
		}
		if f.Blocks() && !f.Foreseen || !v.tells(f) {
			v.add(p, f)
		}
	}
}

// broken returns the finding for a check that broke or was late.
func (p *planned) broken(why string) check.Finding {
	f := check.Finding{Check: p.Name, Stage: p.Stage, Level: p.Level,
		Message: fmt.Sprintf("the check %q %s, so nothing is known of what it looks for", p.Name, why)}
	if p.settings.FailOpen {
		f.Severity = check.Warning
	}
	return f
}

// crowded returns the finding for a check with too many targets. It only warns if the
// check's findings only warn.
func (p *planned) crowded() check.Finding {
	f := p.broken(fmt.Sprintf("did not run over more than %d values", maxTargets))
	f.Suggestion = "send fewer at a time"
	if p.settings.Severity != nil && !p.settings.FailOpen {
		f.Severity = *p.settings.Severity
	} else {
		f.Severity = max(f.Severity, p.Severity)
	}
	return f
}

func (v *Verdict) add(p *planned, f check.Finding) {
	f.Observed = p.settings.Observe && f.Severity != check.Warning
	v.Findings = append(v.Findings, f)
}

// tells reports whether v already has the finding, at any severity: two demands may produce
// the same one.
func (v *Verdict) tells(f check.Finding) bool {
	return slices.ContainsFunc(v.Findings, func(have check.Finding) bool {
		return have.Check == f.Check && have.Pointer == f.Pointer && have.Message == f.Message
	})
}

func (v *Verdict) skip(s check.Skip) {
	if !slices.Contains(v.Skipped, s) {
		v.Skipped = append(v.Skipped, s)
	}
}

// sawLevel adds a level to those of v, which are in ascending order.
func (v *Verdict) sawLevel(l check.Level) {
	if v.Levels == nil {
		v.Levels = make([]check.Level, 0, check.SecurityLevel)
	}
	if i, found := slices.BinarySearch(v.Levels, l); !found {
		v.Levels = append(v.Levels, l) // as slices.Insert does, which would weigh another kilobyte
		copy(v.Levels[i+1:], v.Levels[i:])
		v.Levels[i] = l
	}
}

// A levelSet is a set of levels.
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

// An evaluation is a lazy judgement by a schema.
type evaluation struct {
	judge func() (*schema.Evaluation, error)
	once  sync.Once
	made  *schema.Evaluation
	err   error
}

// once is sync.OnceValues with fewer allocations. It turns a panic into an error for every caller, so all
// checks of a call see the same outcome.
func once(judge func() (*schema.Evaluation, error)) func() (*schema.Evaluation, error) {
	e := &evaluation{judge: judge}
	return e.evaluate
}

func (e *evaluation) evaluate() (*schema.Evaluation, error) {
	e.once.Do(func() {
		defer func() {
			if r := recover(); r != nil {
				e.made, e.err = nil, fmt.Errorf("judging by the schema broke: %w", panicked(r))
			}
		}()
		e.made, e.err = e.judge()
	})
	return e.made, e.err
}
