// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schedule"
)

// TestQuota: an owner has so many jobs that run or are paused, and others have theirs.
func TestQuota(t *testing.T) {
	t.Parallel()
	inWorld(t, func(c *schedule.Config) { c.MaxJobs = 2 }, func(w *world) {
		w.session = &call.Session{Subject: "ann"}
		ended := w.create(schedule.Spec{Name: "a", Schedule: "in 1 minute"})
		w.create(schedule.Spec{Name: "b", Schedule: "every hour"})
		if _, err := w.Pause(w.t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		_, p, err := w.Create(w.t.Context(), schedule.Spec{Name: "c", Tool: "files:read", Schedule: "every hour"}, w.session, schedule.How{})
		if refused := (*schedule.RefusedError)(nil); !errors.As(err, &refused) || !slices.ContainsFunc(p.Errors, func(text string) bool { return strings.HasPrefix(text, "the policy allows an owner no more than 2") }) {
			t.Errorf("the third job: %v, %q", err, p.Errors)
		}
		w.session = &call.Session{Subject: "bob"}
		w.create(schedule.Spec{Name: "c", Schedule: "every hour"})
		w.serve(2 * time.Minute) // a has ended
		w.session = &call.Session{Subject: "ann"}
		w.create(schedule.Spec{Name: "c", Schedule: "every hour"})
		_, p, err = w.Update(w.t.Context(), ended.ID, []byte(`{"schedule":"every hour"}`), schedule.How{})
		if refused := (*schedule.RefusedError)(nil); !errors.As(err, &refused) || !strings.Contains(fmt.Sprint(p.Errors), "no more than 2") {
			t.Errorf("a job that has ended begins anew as the third: %v, %q", err, p.Errors)
		}
		if _, _, err := w.Update(w.t.Context(), "b", []byte(`{"tags":["x"]}`), schedule.How{}); err != nil {
			t.Errorf("one of the two jobs cannot be changed: %v", err)
		}
	})
}

// TestMinInterval refuses schedules with runs too close together, however rarely.
func TestMinInterval(t *testing.T) {
	t.Parallel()
	inWorld(t, func(c *schedule.Config) { c.MinInterval = 5 * time.Minute }, func(w *world) {
		for text, want := range map[string]bool{
			"every 5 minutes": true, "every 299 seconds": false, "* * * * *": false, "0,4 9 * * *": false, "0,5 9 * * *": true, "in 1 minute": true,
			"59 23,0 * * 1": true, "0 9 * * *": true,
		} {
			p, err := w.Propose(w.t.Context(), schedule.Spec{Name: text, Tool: "files:read", Schedule: text}, nil, schedule.How{})
			if p.Valid != want || want != (err == nil) {
				t.Errorf("%s: valid is %v, %v", text, p.Valid, err)
			}
			if !want && !strings.Contains(fmt.Sprint(p.Errors), "the policy wants at least 5m0s between them") {
				t.Errorf("%s: %q", text, p.Errors)
			}
		}
		if _, err := w.Propose(w.t.Context(), schedule.Spec{Name: "once", Tool: "files:read", Schedule: "* * * * *", FireOnce: true}, nil, schedule.How{}); err != nil {
			t.Error(err)
		}
		if _, _, err := w.Update(w.t.Context(), w.create(schedule.Spec{Schedule: "every hour"}).ID, []byte(`{"schedule":"* * * * *"}`), schedule.How{}); err == nil {
			t.Error("an update avoids the bound")
		}
	})
}
