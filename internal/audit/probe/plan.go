// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
)

// A unit is a piece of work that does not depend on others: a parameter, or the schema, of a tool.
type unit struct {
	tool *tool
	rank rank
	do   func(ctx context.Context, a *auditor)
}

// A rank says which units come first: the time for the audit may run out before others.
type rank int

const (
	suspected rank = iota // by the server's code
	telling               // a parameter that is probably a path, a URL or a command, or that a tool requires
	ordinary
)

// rank is that of a parameter of a tool.
func (u *tool) rank(p parameter) rank {
	switch {
	case len(p.suspected) > 0:
		return suspected
	case p.class() != "" || p.kind == infer.SQL || p.required:
		return telling
	}
	return ordinary
}

// maxAuditors bounds the simultaneous sessions of a server. A session is worth its start from
// perAuditor units on.
const (
	maxAuditors = 4
	perAuditor  = 8
)

// probe tries each tool, in several sessions at a time. The work of each session does not depend
// on its speed: the same server gets the same calls in the same order.
func (a *auditor) probe(ctx context.Context) {
	units := a.plan(ctx)
	list := []*auditor{a}
	for range min(maxAuditors, len(units)/perAuditor) - 1 {
		list = append(list, a.experiment.auditor())
	}
	results := make([]Result, len(units))
	var all sync.WaitGroup
	var done atomic.Int64
	for i, b := range list {
		all.Go(func() {
			for j := i; j < len(units); j += len(list) {
				if a.cfg.Progress != nil {
					a.cfg.Progress(show(units[j].tool.Name), int(done.Load()), len(units))
				}
				results[j] = b.work(ctx, units[j])
				done.Add(1)
			}
			if b != a {
				b.end()
			}
		})
	}
	all.Wait()
	for _, r := range results {
		a.join(r)
	}
	a.robust(ctx)
	a.batch(ctx)
	a.end()
	a.conclude(ctx, list)
}

// work does one unit, and leaves the world as it was.
func (a *auditor) work(ctx context.Context, u unit) Result {
	before := a.result
	a.result = Result{}
	u.do(ctx, a)
	if a.session != nil && (u.tool.settles || a.changed()) {
		a.spend()
	}
	done := a.result
	a.result = before
	return done
}

// join adds the result of a unit: each kind of weakness once for each cell.
func (a *auditor) join(r Result) {
	for _, f := range r.Facts {
		if !slices.ContainsFunc(a.result.Facts, func(g audit.Fact) bool { return f.Cell == g.Cell && f.Verdict == g.Verdict && f.Kind == g.Kind }) {
			a.result.Facts = append(a.result.Facts, f)
		}
	}
	for _, c := range r.Controls {
		a.worked(c)
	}
	for c, refusal := range r.Refused {
		a.keepRefusal(c, refusal)
	}
	for _, n := range r.Notes {
		a.note("%s", n)
	}
}

// conclude notes problems on the way.
func (a *auditor) conclude(ctx context.Context, list []*auditor) {
	restarts, dead, programs := 0, false, map[string]bool{}
	for _, b := range list {
		maps.Copy(programs, b.stoodIn)
		restarts += b.restarts
		dead = dead || b.dead != nil
	}
	if restarts > 0 {
		times := "once"
		if restarts > 1 {
			times = strconv.Itoa(restarts) + " times"
		}
		a.note("the server ended or hung %s, and was started again", times)
	}
	if len(programs) > 0 {
		a.note("stand-ins replaced programs that need something outside the sandbox: %s", strings.Join(slices.Sorted(maps.Keys(programs)), ", "))
	}
	out := func(f audit.Fact) bool { return f.Class == audit.Path && f.Verdict == audit.Vulnerable }
	if !a.rootGiven && !a.launcher.asked.Load() && slices.ContainsFunc(a.result.Facts, out) {
		a.note("the server was not told which directory it may use, nor did it ask: its working directory counts as the root (write %s in the command, or in --env, where it takes it)", Root)
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		a.note("the audit was interrupted: everything not tried by then is inconclusive")
	case ctx.Err() != nil, slices.ContainsFunc(list, func(b *auditor) bool { return b.over(ctx) }):
		a.note("the time for the audit ran out: everything not tried by then is inconclusive")
	case dead:
		a.note("the server could not be started any more: everything not tried by then is inconclusive")
	}
}

// plan is all units in three parts: tools that claim to be read-only come first, and destructive ones
// last. Within what destroys nothing, and within the rest, parameters come in the order of their ranks.
func (a *auditor) plan(ctx context.Context) []unit {
	tools := slices.Clone(a.tools)
	slices.SortStableFunc(tools, func(x, y *tool) int { return x.order() - y.order() })
	var first, last []unit
	a.equip(ctx, tools)
	a.settle(ctx)
	for _, t := range tools {
		if t.destructive && a.cfg.SkipDestructive {
			a.skip(t, "its name or its annotations say that it is destructive")
			continue
		}
		t = a.discover(ctx, t)
		if t.suspect(a.cfg.Suspected); t.destructive {
			last = append(last, t.units()...)
		} else {
			first = append(first, t.units()...)
		}
	}
	if a.session != nil && a.changed() { // by a call without arguments
		a.spend()
	}
	return append(inOrder(first), inOrder(last)...)
}

// inOrder sorts units by their ranks.
func inOrder(list []unit) []unit {
	slices.SortStableFunc(list, func(x, y unit) int { return int(x.rank - y.rank) })
	return list
}

func (u *tool) order() int {
	switch {
	case u.destructive:
		return 2
	case u.readOnly:
		return 0
	}
	return 1
}

// units are the work on one tool.
func (u *tool) units() []unit {
	var list []unit
	for _, p := range u.parameters {
		list = append(list, unit{u, u.rank(p), func(ctx context.Context, a *auditor) {
			u := a.steer(ctx, u, p)
			asked := a.services.answered.Load()
			// Each parameter is tried for each class: a tool may open or fetch what it calls a page, a source or a message. The
			// name decides how many spellings a control call has.
			if p.kind == infer.Path || p.suspects(audit.Path) || p.kind == "" && (u.names(p) || a.makes(ctx, u, p)) {
				a.path(ctx, u, p)
			} else {
				a.unnamedPath(ctx, u, p)
			}
			a.url(ctx, u, p)
			a.marks(ctx, u, p)
			a.requestPath(ctx, u, p)
			a.command(ctx, u, p)
			if a.services.answered.Load() > asked {
				a.failing(func() { a.command(ctx, u, p) })
			}
			a.sql(ctx, u, p)
		}})
	}
	for _, p := range u.closed {
		list = append(list, unit{u, u.rank(p), func(ctx context.Context, a *auditor) { a.choice(ctx, u, p) }})
	}
	if !u.discovered {
		list = append(list, unit{u, telling, func(ctx context.Context, a *auditor) { a.schema(ctx, u) }})
	}
	return list
}

// failing tries once more what has proven nothing although made-up content answered the server's requests, with services that
// fail: some tools start a program only then, such as curl in place of fetch. Only proof counts of it.
func (a *auditor) failing(try func()) {
	if slices.ContainsFunc(a.result.Facts, proves) {
		return
	}
	before := a.result
	a.result = Result{}
	a.services.fail.Store(true)
	try()
	a.services.fail.Store(false)
	for _, f := range a.result.Facts {
		if proves(f) {
			before.Facts = append(before.Facts, f)
		}
	}
	a.result = before
}

// proves reports whether a fact proves that a command runs.
func proves(f audit.Fact) bool { return f.Class == audit.Command && f.Verdict == audit.Vulnerable }

// skip notes for each cell of a tool that it was not tried.
func (a *auditor) skip(t *tool, why string) {
	for _, p := range t.parameters {
		if class := p.class(); class != "" {
			a.fact(audit.Fact{Cell: cell(t, p, class), Verdict: audit.Skipped, Why: why})
		}
	}
	if len(t.parameters) > 0 || len(t.required) > 0 {
		a.fact(audit.Fact{Cell: whole(t, audit.Schema), Verdict: audit.Skipped, Why: why})
	}
}

// class is the class for a parameter of this kind, or "".
func (p *parameter) class() audit.Class {
	switch p.kind {
	case infer.Path:
		return audit.Path
	case infer.URL:
		return audit.URL
	case infer.Command:
		return audit.Command
	}
	return ""
}
