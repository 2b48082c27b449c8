// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/policy"
)

// asker returns the body of a check that wants a person's consent.
func asker(_ context.Context, pass *check.Pass) error {
	pass.Report(check.Finding{Severity: check.Ask, Message: "is for a person to decide"})
	return nil
}

// TestAsk holds that a verdict is to ask if, and only if, a person's consent is all that a call lacks: whatever refuses a call
// for good wins, in whichever stage it stands.
func TestAsk(t *testing.T) {
	t.Parallel()
	asking, warning, refusing := check.Ask, check.Warning, check.Error
	later := func(run func(context.Context, *check.Pass) error) *check.Check {
		c := newCheck("later", run)
		c.Stage, c.Level = check.Policy, check.SecurityLevel
		return c
	}
	warner := newCheck("warner", asker)
	warner.Severity = check.Warning
	for name, tt := range map[string]struct {
		checks   []*check.Check
		settings map[string]policy.Check
		goes     bool
		asks     bool
	}{
		"asks":                       {checks: []*check.Check{newCheck("subject", asker)}, asks: true},
		"a warner does not ask":      {checks: []*check.Check{warner}, goes: true},
		"refused by the policy":      {checks: []*check.Check{newCheck("subject", finding("is odd"))}, settings: map[string]policy.Check{"subject": {Severity: &asking}}, asks: true},
		"an error by the policy":     {checks: []*check.Check{newCheck("subject", asker)}, settings: map[string]policy.Check{"subject": {Severity: &refusing}}, asks: true},
		"a warning by the policy":    {checks: []*check.Check{newCheck("subject", asker)}, settings: map[string]policy.Check{"subject": {Severity: &warning}}, goes: true},
		"observed":                   {checks: []*check.Check{newCheck("subject", asker)}, settings: map[string]policy.Check{"subject": {Observe: true}}, goes: true},
		"and another refuses":        {checks: []*check.Check{newCheck("subject", asker), newCheck("other", finding("is odd"))}},
		"and a later stage refuses":  {checks: []*check.Check{newCheck("subject", asker), later(finding("is odd"))}},
		"and a later stage asks too": {checks: []*check.Check{newCheck("subject", asker), later(asker)}, asks: true},
		"and a check breaks":         {checks: []*check.Check{newCheck("subject", asker), later(broken["panic"])}},
	} {
		for _, at := range points {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				g := newGate(t, toolvet.WithChecks(append(tt.checks, newCheck("fine", fine))...), toolvet.WithPolicy(policy.Seal(&policy.Policy{Checks: tt.settings})))
				v := g.Judge(t.Context(), goodCall(t), at)
				if v.Go != tt.goes || v.Ask != tt.asks {
					t.Errorf("at %v: go %v, ask %v; want %v, %v: %v", at, v.Go, v.Ask, tt.goes, tt.asks, v)
				}
				if err := v.Err("a"); (err == nil) != tt.goes {
					t.Errorf("error %v for a verdict %v: a door that asks nobody has to refuse", err, v)
				}
			})
		}
	}
}

// TestAskUnknownTool holds that nobody is asked about a tool of which nothing is known.
func TestAskUnknownTool(t *testing.T) {
	t.Parallel()
	g := newGate(t, toolvet.WithChecks(newCheck("subject", asker)))
	c := goodCall(t)
	c.Tool = nil
	if v := g.Judge(t.Context(), c, toolvet.PointProxy); v.Go || v.Ask {
		t.Errorf("got %v, want a no-go", v)
	}
}

// A countingLimiter counts what it is asked for.
type countingLimiter struct{ taken, refuse int }

func (l *countingLimiter) Take(context.Context, *call.Call) (engine.Ticket, []check.Finding) {
	if l.taken++; l.taken > l.refuse {
		return nil, []check.Finding{{Check: "limit", Stage: check.Policy, Level: check.SecurityLevel, Message: "is too much"}}
	}
	return freed{}, nil
}

func (*countingLimiter) Peek(context.Context, *call.Call) ([]engine.Allowance, []check.Finding) {
	return nil, nil
}

type freed struct{}

func (freed) Release()  {}
func (freed) Rollback() {}

// TestAskIsCounted holds that limits count a call to ask about where the door asks, and that a limit that is reached refuses
// it: no consent lifts a limit.
func TestAskIsCounted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		session *call.Session
		want    []bool // whether each of three calls is to ask about
		taken   int
	}{
		"a door that asks":     {&call.Session{Asks: true}, []bool{true, true, false}, 3},
		"a door that does not": {&call.Session{}, []bool{true, true, true}, 0},
		"no session":           {nil, []bool{true, true, true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limiter := &countingLimiter{refuse: 2}
			g := newGate(t, toolvet.WithChecks(newCheck("subject", asker)), toolvet.WithInside(engine.Parts{Limiter: limiter}))
			var got []bool
			for range 3 {
				c := goodCall(t)
				c.Session = tt.session
				got = append(got, g.Judge(t.Context(), c, toolvet.PointProxy).Ask)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || limiter.taken != tt.taken {
				t.Errorf("taken %d, want %d; to ask (-want +got):\n%s", limiter.taken, tt.taken, diff)
			}
		})
	}
}
