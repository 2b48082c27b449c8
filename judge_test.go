// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/policy"
)

// secret is what no finding may repeat.
const secret = "hunter2"

// broken are the ways in which a check fails to do its work.
var broken = map[string]func(context.Context, *check.Pass) error{
	"error":         func(context.Context, *check.Pass) error { return errors.New("no light for " + secret) },
	"panic":         func(context.Context, *check.Pass) error { panic("no light for " + secret) },
	"runtime panic": func(_ context.Context, pass *check.Pass) error { _ = pass.Call.Raw[len(pass.Call.Raw)]; return nil },
	"panic of an error": func(context.Context, *check.Pass) error {
		panic(fmt.Errorf("no light for %s", secret))
	},
	"Goexit": func(context.Context, *check.Pass) error { runtime.Goexit(); return nil },
	"time-out, heeding": func(ctx context.Context, _ *check.Pass) error {
		<-ctx.Done()
		return fmt.Errorf("asking %s: %w", secret, ctx.Err())
	},
	"time-out, swallowed": func(ctx context.Context, _ *check.Pass) error {
		time.Sleep(time.Hour)
		return nil
	},
}

// inBubble runs a test with a clock of its own, until what a check that heeds nothing
// has left behind is gone.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t)
		time.Sleep(2 * time.Hour)
	})
}

// TestBrokenCheck holds that a check that does not do its work refuses the call at
// every point, says so, and takes nothing from its neighbours. A runtime check is
// kept to it on live calls.
func TestBrokenCheck(t *testing.T) {
	t.Parallel()
	for name, run := range broken {
		for _, level := range []check.Level{check.SyntaxLevel, check.RuntimeLevel} {
			for _, at := range points {
				if level == check.RuntimeLevel && at == toolvet.PointValidate {
					continue // TestLateRuntimeCheck
				}
				t.Run(fmt.Sprint(name, level, at), func(t *testing.T) {
					inBubble(t, func(t *testing.T) { testBroken(t, run, level, at) })
				})
			}
		}
	}
}

func testBroken(t *testing.T, run func(context.Context, *check.Pass) error, level check.Level, at toolvet.Point) {
	c := newCheck("broken", run)
	c.Level = level
	neighbour := newCheck("neighbour", finding("is seen"))
	neighbour.Severity = check.Warning
	var log bytes.Buffer
	g := newGate(t, toolvet.WithChecks(neighbour, c), toolvet.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))

	v := g.Judge(t.Context(), goodCall(t), at)
	if v.Go {
		t.Errorf("verdict: %v", v)
	}
	if got := messages(v.Warnings()); !cmp.Equal(got, []string{"is seen"}) {
		t.Errorf("warnings: %q, want the neighbour's", got)
	}
	reasons := v.Errors()
	if len(reasons) != 1 || reasons[0].Check != "broken" || reasons[0].Level != level || reasons[0].Stage != check.Schema ||
		!strings.Contains(reasons[0].Message, "nothing is known of what it looks for") {
		t.Errorf("errors: %+v, want one that says that the check is broken", reasons)
	}
	if text := fmt.Sprintf("%+v %v", v, v.Err("read_text_file")); strings.Contains(text, secret) {
		t.Errorf("the verdict repeats a value: %s", text)
	}
	if !strings.Contains(log.String(), "check=broken") || !strings.Contains(log.String(), "tool=read_text_file") {
		t.Errorf("the log does not name the check and the tool: %q", log.String())
	}
}

// TestBrokenCheckTakesNoTime holds that only what hangs costs the time-out.
func TestBrokenCheckTakesNoTime(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"error", "panic", "Goexit"} {
		inBubble(t, func(t *testing.T) {
			g := newGate(t, toolvet.WithChecks(newCheck("broken", broken[name])))
			start := time.Now()
			g.Judge(t.Context(), goodCall(t), toolvet.PointProxy)
			if took := time.Since(start); took != 0 {
				t.Errorf("%s: Judge took %v", name, took)
			}
		})
	}
}

// TestTimeout holds when Judge returns: one time-out after a stage has begun.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opts []toolvet.Option
		want time.Duration
	}{
		{nil, time.Second},
		{[]toolvet.Option{toolvet.WithTimeout(0)}, time.Second},
		{[]toolvet.Option{toolvet.WithTimeout(-time.Minute)}, time.Second},
		{[]toolvet.Option{toolvet.WithTimeout(7 * time.Second)}, 7 * time.Second},
	} {
		inBubble(t, func(t *testing.T) {
			checks := toolvet.WithChecks(newCheck("broken", broken["time-out, swallowed"]))
			g := newGate(t, append(tt.opts, checks)...)
			start := time.Now()
			v := g.Judge(t.Context(), goodCall(t), toolvet.PointProxy)
			if took := time.Since(start); took != tt.want {
				t.Errorf("Judge took %v, want %v", took, tt.want)
			}
			if got, want := v.String(), fmt.Sprintf("did not finish within %v", tt.want); !strings.Contains(got, want) {
				t.Errorf("verdict %q does not say %q", got, want)
			}
		})
	}
}

// TestRuntimeChecksShareTheTime holds that runtime checks wait side by side, and that
// the others do not wait for them.
func TestRuntimeChecksShareTheTime(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var checks []*check.Check
		for i := range 10 {
			c := newCheck(fmt.Sprintf("slow-%d", i), func(context.Context, *check.Pass) error {
				time.Sleep(900 * time.Millisecond)
				return nil
			})
			c.Level = check.RuntimeLevel
			checks = append(checks, c)
		}
		start := time.Now()
		v := newGate(t, toolvet.WithChecks(checks...)).Judge(t.Context(), goodCall(t), toolvet.PointProxy)
		if took := time.Since(start); !v.Go || took != 900*time.Millisecond {
			t.Errorf("after %v: %v", took, v)
		}
	})
}

// TestLateRuntimeCheck holds that a runtime check that does not finish is a warning
// and a skip in a dry run, whether it heeds its context or not, each time.
func TestLateRuntimeCheck(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"time-out, heeding", "time-out, swallowed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 50 {
				inBubble(t, func(t *testing.T) { testLate(t, broken[name]) })
			}
		})
	}
}

func testLate(t *testing.T, run func(context.Context, *check.Pass) error) {
	c := newCheck("late", run)
	c.Level = check.RuntimeLevel
	g := newGate(t, toolvet.WithChecks(newCheck("fine", fine), c))
	v := g.Judge(t.Context(), goodCall(t), toolvet.PointValidate)
	want := toolvet.Verdict{
		Go: true,
		Findings: []check.Finding{{
			Check: "late", Stage: check.Schema, Level: check.RuntimeLevel, Severity: check.Warning,
			Message: `the check "late" did not finish within 1s, so nothing is known of what it looks for`,
		}},
		Levels:  []check.Level{check.SyntaxLevel},
		Skipped: []check.Skip{{Check: "late", Level: check.RuntimeLevel, Why: "did not finish within 1s"}},
	}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Fatalf("verdict (-want +got):\n%s", diff)
	}
}

// TestCancelledContext holds that a caller who gives up gets no go from a check that
// has not finished.
func TestCancelledContext(t *testing.T) {
	t.Parallel()
	for _, level := range []check.Level{check.SyntaxLevel, check.RuntimeLevel} {
		for _, name := range []string{"time-out, heeding", "time-out, swallowed"} {
			t.Run(fmt.Sprint(level, name), func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					c := newCheck("slow", broken[name])
					c.Level = level
					g := newGate(t, toolvet.WithChecks(c))
					ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
					defer cancel()
					start := time.Now()
					v := g.Judge(ctx, goodCall(t), toolvet.PointProxy)
					if took := time.Since(start); v.Go || len(v.Errors()) != 1 || took != 300*time.Millisecond {
						t.Errorf("after %v: %v", took, v)
					}
					if got, want := v.String(), "was stopped by its caller"; !strings.Contains(got, want) {
						t.Errorf("verdict %q does not say %q", got, want)
					}
				})
			})
		}
	}
}

// TestPolicy holds what a policy does to a check that finds something, and to one
// that breaks.
func TestPolicy(t *testing.T) {
	t.Parallel()
	asError, asWarning := check.Error, check.Warning
	for name, tt := range map[string]struct {
		severity check.Severity // of the check
		breaks   bool
		settings policy.Check
		goes     bool
		want     []check.Severity // of the findings
		observed bool
	}{
		"error":                      {check.Error, false, policy.Check{}, false, []check.Severity{asError}, false},
		"warning":                    {check.Warning, false, policy.Check{}, true, []check.Severity{asWarning}, false},
		"error made a warning":       {check.Error, false, policy.Check{Severity: &asWarning}, true, []check.Severity{asWarning}, false},
		"warning made an error":      {check.Warning, false, policy.Check{Severity: &asError}, false, []check.Severity{asError}, false},
		"observed":                   {check.Error, false, policy.Check{Observe: true}, true, []check.Severity{asError}, true},
		"observed warning":           {check.Warning, false, policy.Check{Observe: true}, true, []check.Severity{asWarning}, false},
		"fail open, but it finds":    {check.Error, false, policy.Check{FailOpen: true}, false, []check.Severity{asError}, false},
		"off":                        {check.Error, false, policy.Check{Off: true}, true, nil, false},
		"broken":                     {check.Error, true, policy.Check{}, false, []check.Severity{asError}, false},
		"broken warner":              {check.Warning, true, policy.Check{}, false, []check.Severity{asError}, false},
		"broken, made a warning":     {check.Error, true, policy.Check{Severity: &asWarning}, false, []check.Severity{asError}, false},
		"broken, fail open":          {check.Error, true, policy.Check{FailOpen: true}, true, []check.Severity{asWarning}, false},
		"broken, error by fail open": {check.Warning, true, policy.Check{FailOpen: true, Severity: &asError}, true, []check.Severity{asWarning}, false},
		"broken, observed":           {check.Error, true, policy.Check{Observe: true}, true, []check.Severity{asError}, true},
		"broken, off":                {check.Error, true, policy.Check{Off: true}, true, nil, false},
	} {
		for _, at := range points {
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				t.Parallel()
				c := newCheck("subject", finding("is odd"))
				if tt.breaks {
					c.Run = broken["error"]
				}
				c.Severity = tt.severity
				p := &policy.Policy{Checks: map[string]policy.Check{"subject": tt.settings}}
				g := newGate(t, toolvet.WithChecks(newCheck("fine", fine), c), toolvet.WithPolicy(policy.Seal(p)))
				v := g.Judge(t.Context(), goodCall(t), at)
				var got []check.Severity
				for _, f := range v.Findings {
					got = append(got, f.Severity)
					if f.Observed != tt.observed {
						t.Errorf("observed: %v", f.Observed)
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" || v.Go != tt.goes {
					t.Errorf("verdict %v, want go %v; severities (-want +got):\n%s", v, tt.goes, diff)
				}
			})
		}
	}
}

// TestFailOpenTimeout holds that fail_open is for checks that hang as well.
func TestFailOpenTimeout(t *testing.T) {
	t.Parallel()
	for _, level := range []check.Level{check.SyntaxLevel, check.RuntimeLevel} {
		inBubble(t, func(t *testing.T) {
			c := newCheck("slow", broken["time-out, swallowed"])
			c.Level = level
			p := &policy.Policy{Checks: map[string]policy.Check{"slow": {FailOpen: true}}}
			v := newGate(t, toolvet.WithChecks(newCheck("fine", fine), c), toolvet.WithPolicy(policy.Seal(p))).Judge(t.Context(), goodCall(t), toolvet.PointProxy)
			if !v.Go || len(v.Warnings()) != 1 {
				t.Errorf("%v: %v, want a go with a warning", level, v)
			}
		})
	}
}

// TestStages holds that the first stage that refuses a live call is the last, and
// that a dry run goes through all of them.
func TestStages(t *testing.T) {
	t.Parallel()
	in := func(name string, s check.Stage, severity check.Severity) *check.Check {
		c := newCheck(name, finding(name))
		c.Stage, c.Severity = s, severity
		return c
	}
	checks := toolvet.WithChecks(
		in("late", check.Policy, check.Error),
		in("first", check.Semantic, check.Error), in("second", check.Semantic, check.Error),
		in("hint", check.Schema, check.Warning),
	)
	observe := toolvet.WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"first": {Observe: true}, "second": {Observe: true}}}))
	for _, tt := range []struct {
		name string
		opts []toolvet.Option
		at   toolvet.Point
		want []string
	}{
		{"live", []toolvet.Option{checks}, toolvet.PointProxy, []string{"hint", "first", "second"}},
		{"library", []toolvet.Option{checks}, toolvet.PointLibrary, []string{"hint", "first", "second"}},
		{"dry run", []toolvet.Option{checks}, toolvet.PointValidate, []string{"hint", "first", "second", "late"}},
		{"observed findings stop nothing", []toolvet.Option{checks, observe}, toolvet.PointProxy, []string{"hint", "first", "second", "late"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := newGate(t, tt.opts...).Judge(t.Context(), goodCall(t), tt.at)
			if diff := cmp.Diff(tt.want, messages(v.Findings)); diff != "" || v.Go {
				t.Errorf("verdict %v; findings (-want +got):\n%s", v, diff)
			}
		})
	}
}

// TestFindingsOfABrokenCheck holds that what a check found before it broke is told.
func TestFindingsOfABrokenCheck(t *testing.T) {
	t.Parallel()
	c := newCheck("half", func(_ context.Context, pass *check.Pass) error {
		pass.Reportf("/path", "is odd")
		return errors.New("no more light")
	})
	v := newGate(t, toolvet.WithChecks(c)).Judge(t.Context(), goodCall(t), toolvet.PointProxy)
	if got := v.Errors(); v.Go || len(got) != 2 || got[1].Pointer != "/path" {
		t.Errorf("verdict %v, want the break and the finding", v)
	}
}

// TestUnknownTool holds that no policy lets a call of a tool through that the server
// does not list: nothing is known of its arguments.
func TestUnknownTool(t *testing.T) {
	t.Parallel()
	warning := check.Warning
	for name, settings := range map[string]policy.Check{
		"as it is": {}, "off": {Off: true}, "observed": {Observe: true}, "a warning": {Severity: &warning},
	} {
		for _, at := range points {
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				t.Parallel()
				g := newGate(t, toolvet.WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"known-tool": settings}})))
				if v := g.Judge(t.Context(), newCall(t, `{"name": "other"}`, fileTool), at); v.Go || len(v.Errors()) == 0 {
					t.Errorf("verdict: %v", v)
				}
			})
		}
	}
}

// TestNilLogger holds that a missing logger does not break a judgement.
func TestNilLogger(t *testing.T) {
	t.Parallel()
	g := newGate(t, toolvet.WithChecks(newCheck("broken", broken["error"])), toolvet.WithLogger(nil))
	if v := g.Judge(t.Context(), goodCall(t), toolvet.PointProxy); v.Go || len(v.Errors()) != 1 {
		t.Errorf("verdict: %v", v)
	}
}
