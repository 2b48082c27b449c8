// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schedule"
)

func TestTestRun(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.tool = func(context.Context) string { return "no such table" }
		spec := schedule.Spec{Name: "job", Tool: "files:read", Schedule: "every hour"}
		_, _, err := w.Create(w.t.Context(), spec, nil, schedule.How{TestRun: "real"})
		if err == nil || !strings.Contains(err.Error(), "no such table") {
			t.Errorf("a test run that fails: %v", err)
		}
		w.tool = nil
		if _, _, err := w.Create(w.t.Context(), spec, nil, schedule.How{TestRun: "real"}); err != nil || len(w.calls) != 2 {
			t.Errorf("a test run that succeeds: %v, %d calls", err, len(w.calls))
		}
		if _, _, err := w.Create(w.t.Context(), spec, nil, schedule.How{TestRun: "yes"}); err == nil || len(w.calls) != 2 {
			t.Errorf("a test run of another name: %v", err)
		}
		if _, _, err := w.Create(w.t.Context(), spec, nil, schedule.How{TestRun: "rehearsal"}); err == nil || !strings.Contains(err.Error(), "cannot be a rehearsal here") || len(w.calls) != 2 {
			t.Errorf("a rehearsal where there are none: %v", err)
		}
		spec.Name, spec.Timeout = "late", schedule.Duration(time.Minute)
		w.tool = func(ctx context.Context) string { <-ctx.Done(); return "" }
		if _, _, err := w.Create(w.t.Context(), spec, nil, schedule.How{TestRun: "real"}); err == nil || !strings.Contains(err.Error(), "longer than 1m0s") {
			t.Errorf("a test run that does not end: %v", err)
		}
	})
}

func TestRehearsal(t *testing.T) {
	t.Parallel()
	var faults []string
	var failed error
	rehearse := func(_ context.Context, tool string, _ json.RawMessage, who *call.Session) (*schedule.Rehearsal, error) {
		if tool != "files:read" || who.Subject != "ann" {
			t.Errorf("rehearsed is %s of %s", tool, who.Subject)
		}
		return &schedule.Rehearsal{Faults: faults, Report: json.RawMessage(`{}`)}, failed
	}
	inWorld(t, func(c *schedule.Config) { c.Rehearse = rehearse }, func(w *world) {
		try := func() (*schedule.Proposal, error) {
			_, p, err := w.Create(w.t.Context(), schedule.Spec{Name: "job", Tool: "files:read", Schedule: "every hour"}, &call.Session{Subject: "ann"}, schedule.How{TestRun: "rehearsal"})
			return p, err
		}
		failed = errors.New("this is no Linux")
		if _, err := try(); err == nil || !strings.Contains(err.Error(), "cannot be rehearsed: this is no Linux") {
			t.Errorf("a rehearsal that is not to be had: %v", err)
		}
		faults, failed = []string{"the tool reports an error: disk full"}, nil
		if p, err := try(); err == nil || !strings.Contains(err.Error(), "/test_run: in the rehearsal the tool reports an error: disk full") || p.Rehearsal == nil {
			t.Errorf("a rehearsal that fails: %v", err)
		}
		faults = nil
		if p, err := try(); err != nil || p.Rehearsal == nil || len(w.calls) != 0 {
			t.Errorf("a rehearsal that succeeds: %v, %d calls", err, len(w.calls))
		}
	})
}

// TestMissing makes a job whose file is missing: nobody gets it unasked. Its health tells of it until the file is there.
func TestMissing(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.set(func() { w.missing = "does not exist" })
		spec := schedule.Spec{Name: "early", Tool: "files:read", Schedule: "every hour"}
		_, p, err := w.Create(w.t.Context(), spec, nil, schedule.How{})
		if refused := new(schedule.RefusedError); !errors.As(err, &refused) {
			t.Fatalf("made the job: %v", err)
		}
		w.want("suggestions", strings.Join(p.Suggestions, "\n"), "or make the job although this is missing: allow_warnings: true (--allow-warnings)")
		j, _, err := w.Create(w.t.Context(), spec, nil, schedule.How{AllowWarnings: true})
		if err != nil {
			t.Fatal(err)
		}
		health := func() string {
			j, err := w.Get(w.t.Context(), j.ID)
			if err != nil {
				t.Fatal(err)
			}
			return string(j.Health.Status) + " " + j.Health.Reason
		}
		const missing = " 01:00:00 UTC will probably fail: /path: does not exist"
		w.want("at first", health(), "warned the run at 2000-01-01"+missing)
		w.serve(90 * time.Minute) // one run succeeds in spite of it
		w.want("after a run", health(), "warned the run at 2000-01-01"+strings.Replace(missing, "01:", "02:", 1))
		if len(w.calls) != 1 {
			t.Errorf("calls %v, want one", w.calls)
		}
		w.set(func() { w.missing = "" })
		w.serve(20 * time.Minute)
		w.want("once it is there", health(), "ok ")
		w.want("alerts", strings.Join(w.alerts, "\n"), "early ok: ")
	})
}

// TestPausedFromTheStart makes a job that runs only once it is resumed.
func TestPausedFromTheStart(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		j, _, err := w.Create(w.t.Context(), schedule.Spec{Name: "later", Tool: "files:read", Schedule: "every hour"}, nil, schedule.How{Paused: true})
		if err != nil {
			t.Fatal(err)
		}
		w.serve(3 * time.Hour)
		if _, err = w.Resume(w.t.Context(), j.ID); err != nil || len(w.calls) != 0 {
			t.Fatalf("calls %v, %v", w.calls, err)
		}
		w.serve(90 * time.Minute)
		if len(w.calls) == 0 {
			t.Error("it does not run after it was resumed")
		}
	})
}

func TestSkipValidation(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		t.Run(fmt.Sprint(allowed), func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(c *schedule.Config) { c.AllowSkip = allowed }, func(w *world) {
				w.fault = "gone"
				spec := schedule.Spec{Name: "job", Tool: "files:read", Schedule: "every hour"}
				j, p, err := w.Create(w.t.Context(), spec, nil, schedule.How{SkipValidation: true})
				if !allowed {
					if err == nil || !strings.Contains(err.Error(), "not allowed by the policy") {
						t.Errorf("it is not refused: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatalf("%v %+v", err, p)
				}
				if !j.Unvalidated || j.Verdict.Method != "skipped" || len(j.Verdict.Warnings) != 1 {
					t.Errorf("it is not recorded: %+v %+v", j, j.Verdict)
				}
				spec.Schedule = "sometimes"
				if _, _, err := w.Create(w.t.Context(), spec, nil, schedule.How{SkipValidation: true}); err == nil {
					t.Error("a schedule that is not understood is taken")
				}
			})
		})
	}
}

// TestBlockedRunsHoldUpNobody: jobs fire on time while a run of another job waits for the one before it.
