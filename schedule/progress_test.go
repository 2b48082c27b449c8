// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
	"github.com/toolvet/toolvet/upstream"
)

// TestProgress: the progress of a real server shows while a run goes on.
func TestProgress(t *testing.T) {
	t.Parallel()
	command := upstream.Command{Args: npm.Server(t, "everything")}
	set, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "s", Dialer: command}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	defer set.Close(context.Background())
	store, err := sqlstore.Open(ctx, filepath.Join(t.TempDir(), "schedule.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := schedule.New(schedule.Config{Store: store, Caller: set})
	if err != nil {
		t.Fatal(err)
	}
	spec := schedule.Spec{Name: "long", Tool: "s:trigger-long-running-operation", Arguments: json.RawMessage(`{"duration":3,"steps":3}`), Schedule: "every hour"}
	if _, _, err := s.Create(ctx, spec, nil, schedule.How{}); err != nil {
		t.Fatal(err)
	}
	run, err := s.Trigger(ctx, "long")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	defer serving.Wait()
	defer stop()
	serving.Go(func() {
		if err := s.Serve(ctx); err != nil {
			t.Error(err)
		}
	})
	var seen *schedule.Progress
	for run.State.Open() {
		if run, err = s.GetRun(ctx, run.ID); err != nil {
			t.Fatal(err)
		}
		if run.Progress != nil {
			seen = run.Progress
		}
		time.Sleep(20 * time.Millisecond)
	}
	if run.State != schedule.Succeeded || run.Progress != nil {
		t.Errorf("the run ended as %s (%s), with progress %v", run.State, run.Reason, run.Progress)
	}
	if seen == nil || seen.Total != 3 || seen.Done < 1 {
		t.Errorf("the progress seen is %+v", seen)
	}
}
