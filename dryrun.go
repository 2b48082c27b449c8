// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
)

func (g innerGate) DryRun(ctx context.Context, c *call.Call, d engine.DryRun) (Verdict, *engine.Basis) {
	basis := new(engine.Basis)
	if finding := g.barred(c); finding != nil {
		basis.Loosen()
		return Verdict{Findings: []check.Finding{*finding}}, basis
	}
	v := g.judge(ctx, g.seen(ctx, c), PointValidate, &dryRun{DryRun: d, basis: basis})
	if ctx.Err() != nil {
		basis.Loosen()
	}
	return v, basis
}

func (g innerGate) Peek(ctx context.Context, c *call.Call, v *Verdict) {
	if g.void() {
		return // DryRun has refused the call
	}
	g.count(ctx, g.seen(ctx, c), PointValidate, v)
	g.countInner(ctx, PointValidate, v, freeTicket{})
}

// A dryRun is a DryRun under way. A live call has none: its *dryRun is nil.
type dryRun struct {
	engine.DryRun
	basis       *engine.Basis
	done, total int
	left        levelSet // levels with checks that the request left out
}

// begin counts the checks to come.
func (d *dryRun) begin(stages []stage, j judgement) {
	if d == nil || d.Progress == nil {
		return
	}
	for _, s := range stages {
		d.total += len(d.chosen(s.passes(j), nil))
	}
}

// chosen returns the passes that the request asks for and marks the others as skipped.
func (d *dryRun) chosen(passes []plannedPass, v *Verdict) []plannedPass {
	if d == nil {
		return passes
	}
	return slices.DeleteFunc(passes, func(p plannedPass) bool {
		c := p.planned
		if len(d.Levels) == 0 || c.Stage != check.Semantic || slices.Contains(d.Levels, c.Level) {
			p.run.Footing = &d.basis.Footing
			d.basis.Runtime = d.basis.Runtime || c.Level == check.RuntimeLevel
			return false
		}
		if v != nil {
			d.left.add(c.Level)
			v.skip(check.Skip{Check: c.Name, Level: c.Level, Why: "not asked for: the request names the levels to look at"})
		}
		return true
	})
}

// finished reports the end of a check to Progress.
func (d *dryRun) finished(p plannedPass) {
	if d != nil && d.Progress != nil {
		d.done++
		d.Progress(engine.Progress{Check: p.planned.Name, Done: d.done, Total: d.total})
	}
}

// loosen marks the verdict as not to be cached.
func (d *dryRun) loosen() {
	if d != nil {
		d.basis.Loosen()
	}
}

// end adds a warning about the levels that the request left out.
func (d *dryRun) end(v *Verdict) {
	if d == nil || d.left == 0 {
		return
	}
	v.Findings = append(v.Findings, check.Finding{
		Check: "levels", Stage: check.Semantic, Level: check.SemanticLevel, Severity: check.Warning,
		Message: fmt.Sprintf("the request asks for %s only: \"valid\" does not speak for checks of the levels %s, which did not run", listed(d.Levels), listed(d.left.list())),
	})
}

func listed(levels []check.Level) string {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.String()
	}
	return strings.Join(names, ", ")
}
