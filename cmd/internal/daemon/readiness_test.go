// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"testing"

	"github.com/toolvet/toolvet/upstream"
)

// TestTrialIsOld holds that the failure of a trial is told until a client's connection is ready, and not again once the client is gone.
func TestTrialIsOld(t *testing.T) {
	t.Parallel()
	one, other, failed := new(served), new(served), errors.New("no")
	tried := trial{failed: map[*served]error{one: failed, other: failed}}
	ready := []connection{{Status: upstream.Failed}, {Status: upstream.Ready}}
	for i, connections := range [][]connection{nil, {{Status: upstream.Failed}}, nil, ready, nil} {
		if got, want := tried.failure(one, connections), i < 3; (got != nil) != want {
			t.Errorf("at %d: %v", i, got)
		}
	}
	if tried.failure(other, nil) == nil {
		t.Error("the failure of another server is gone")
	}
	if err := new(trial).failure(one, ready); err != nil { // of no trial yet
		t.Error(err)
	}
}
