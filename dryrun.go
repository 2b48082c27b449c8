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
)

// A DryRun says what a dry run looks at. The zero DryRun looks at everything.
type DryRun struct {
	// Levels are the looks that the semantic stage takes; empty: all of them. The schema
	// stage and the policy stage are passed whole: without the one nothing is known of the
	// arguments, and the other says who may ask.
	Levels []check.Level
	// Progress is told of each check that has finished, before DryRun returns and never
	// concurrently; nil: nobody is.
	Progress func(Progress)
}

// A Progress is how far a dry run has come.
type Progress struct {
	Check string // that has finished
	Done  int    // checks that have finished
	Total int    // checks that run
}

// A Basis is what the verdict of a dry run rests on beside the call, its session, the tools
// that the server lists and the Gate. It says how long the verdict can be believed.
type Basis struct {
	check.Footing
	Runtime bool // a check has looked at files, networks or databases
}

// DryRun judges a call like [Gate.Judge] with [PointValidate], but for limits, of which it
// says nothing: see [Gate.Peek]. Its verdict can be kept for as long as its basis holds.
func (g *Gate) DryRun(ctx context.Context, c *call.Call, d DryRun) (Verdict, *Basis) {
	basis := new(Basis)
	v := g.judge(ctx, g.seen(ctx, c), PointValidate, &dryRun{DryRun: d, basis: basis})
	if ctx.Err() != nil {
		basis.Loosen()
	}
	return v, basis
}

// Peek adds to the verdict of a dry run what limits have left for the caller, and refuses the
// call if that is nothing.
func (g *Gate) Peek(ctx context.Context, c *call.Call, v *Verdict) {
	g.count(ctx, g.seen(ctx, c), PointValidate, v)
}

// A dryRun is a DryRun under way. Of a live call it is nil.
type dryRun struct {
	DryRun
	basis       *Basis
	done, total int
	left        levelSet // that were not asked for and would have been looked at
}

// begin readies a dry run of the checks of some stages.
func (d *dryRun) begin(stages []stage, j judgement) {
	if d == nil || d.Progress == nil {
		return
	}
	for _, s := range stages {
		d.total += len(d.chosen(s.passes(j), nil))
	}
}

// chosen are the runs that the request asks for. The others are skipped.
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

// finished tells whoever wants to know that a check has finished.
func (d *dryRun) finished(p plannedPass) {
	if d != nil && d.Progress != nil {
		d.done++
		d.Progress(Progress{Check: p.planned.Name, Done: d.done, Total: d.total})
	}
}

// loosen says that the verdict must not be kept.
func (d *dryRun) loosen() {
	if d != nil {
		d.basis.Loosen()
	}
}

// end says of what levels the verdict does not speak.
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
