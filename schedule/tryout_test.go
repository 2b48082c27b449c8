// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
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
