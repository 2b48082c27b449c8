// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
)

// faults are what can be wrong with a check of any stage.
var faults = map[string]func(context.Context, *check.Pass) error{
	"errs":            func(context.Context, *check.Pass) error { return errors.New("broken: " + secret) },
	"panics":          func(context.Context, *check.Pass) error { panic("broken: " + secret) },
	"hangs":           func(ctx context.Context, _ *check.Pass) error { <-ctx.Done(); return ctx.Err() },
	"heeds nothing":   func(_ context.Context, p *check.Pass) error { <-p.Call.Meta["release"].(chan struct{}); return nil },
	"says it is late": func(context.Context, *check.Pass) error { return context.DeadlineExceeded },
	"a severity that is none": func(_ context.Context, p *check.Pass) error {
		p.Report(check.Finding{Message: "is odd", Severity: 42})
		return nil
	},
	"all fields nonsense": func(_ context.Context, p *check.Pass) error {
		p.Report(check.Finding{Check: "other", Stage: -1, Level: 99, Severity: -7, Pointer: "no pointer", Code: "\x00", Value: json.RawMessage("{")})
		return nil
	},
}

// outputFaults are what can be wrong with what a check of results asks for, besides.
var outputFaults = map[string]func(context.Context, *check.Pass) error{
	"an edit out of range":   edits(result.Edit{Start: -5, End: 10_000, Text: "x"}),
	"an edit backwards":      edits(result.Edit{Start: 9, End: 3, Text: "x"}),
	"an edit leaves no JSON": edits(result.Edit{Start: 0, End: 1, Text: "}"}),
}

func edits(e result.Edit) func(context.Context, *check.Pass) error {
	return func(_ context.Context, p *check.Pass) error { p.Change(e); return nil }
}

// TestFailsClosed holds that a check which panics, breaks, hangs or returns nonsense refuses the
// call, or withholds the result, at each stage, and says nothing of what it saw. For what else
// must fail closed see the tests of this name in package access (rules, limits, Redis), and in
// cmd/internal/cli (the log).
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	for stage := check.Schema; stage <= check.Output; stage++ {
		for name, run := range faults {
			t.Run(stage.String()+"/"+name, func(t *testing.T) { failsClosed(t, stage, run) })
		}
	}
	for name, run := range outputFaults {
		t.Run("output/"+name, func(t *testing.T) { failsClosed(t, check.Output, run) })
	}
}

func failsClosed(t *testing.T, stage check.Stage, run func(context.Context, *check.Pass) error) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		broken := &check.Check{Name: "broken", Doc: "# broken\n\nBreaks.\n", Stage: stage, Level: check.SecurityLevel, Run: run}
		g, err := toolvet.New(toolvet.WithChecks(append(suite.Default(), broken)...))
		if err != nil {
			t.Fatal(err)
		}
		c := goodCall(t)
		c.Meta = map[string]any{"release": release}
		var v toolvet.Verdict
		if stage == check.Output {
			r, err := result.Read("tools/call", json.RawMessage(`{"content":[]}`))
			if err != nil {
				t.Fatal(err)
			}
			reviewed := g.Review(t.Context(), c, r)
			if v = reviewed.Verdict; reviewed.Raw != nil {
				t.Errorf("shows %s", reviewed.Raw)
			}
		} else {
			for _, at := range []toolvet.Point{toolvet.PointProxy, toolvet.PointLibrary, toolvet.PointValidate} {
				if v = g.Judge(t.Context(), c, at); v.Go {
					t.Errorf("a go at point %v: %v", at, v)
				}
			}
		}
		if v.Go || len(v.Errors()) == 0 || strings.Contains(v.String(), secret) {
			t.Errorf("got %v, want a no-go with a reason that repeats nothing", v)
		}
	})
}

// A brokenLimiter does as it is told.
type brokenLimiter func(context.Context) (engine.Ticket, []check.Finding)

func (l brokenLimiter) Take(ctx context.Context, _ *call.Call) (engine.Ticket, []check.Finding) {
	return l(ctx)
}

func (l brokenLimiter) Peek(ctx context.Context, _ *call.Call) ([]engine.Allowance, []check.Finding) {
	_, findings := l(ctx)
	return nil, findings
}

// TestFailsClosedLimiter is TestFailsClosed for a limiter.
func TestFailsClosedLimiter(t *testing.T) {
	t.Parallel()
	late := func(err error) []check.Finding {
		return []check.Finding{{Check: "limit", Stage: check.Policy, Level: check.SecurityLevel, Message: fmt.Sprint(err)}}
	}
	for name, l := range map[string]brokenLimiter{
		"panics":  func(context.Context) (engine.Ticket, []check.Finding) { panic("broken: " + secret) },
		"hangs":   func(ctx context.Context) (engine.Ticket, []check.Finding) { <-ctx.Done(); return nil, late(ctx.Err()) },
		"refuses": func(context.Context) (engine.Ticket, []check.Finding) { return nil, late(nil) },
	} {
		synctest.Test(t, func(t *testing.T) {
			g, err := toolvet.New(toolvet.WithInside(engine.Parts{Limiter: l}))
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range []toolvet.Point{toolvet.PointProxy, toolvet.PointValidate} {
				v, ticket := inside.Of(g).Admit(t.Context(), goodCall(t), at)
				if v.Go || len(v.Errors()) == 0 || strings.Contains(v.String(), secret) {
					t.Errorf("%s: got %v, want a no-go with a reason that repeats nothing", name, v)
				}
				ticket.Rollback() // is never nil
			}
		})
	}
}
