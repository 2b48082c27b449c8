// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"testing"
)

// TestTrialIsOld holds that the failure of a trial is told until a client has connected, and not again once the client is gone.
func TestTrialIsOld(t *testing.T) {
	t.Parallel()
	one, other, failed := new(served), new(served), errors.New("no")
	tried := trial{failed: map[*served]error{one: failed, other: failed}}
	for i, connected := range []bool{false, true, false} {
		if got, want := tried.failure(one, connected), i == 0; (got != nil) != want {
			t.Errorf("at %d: %v", i, got)
		}
	}
	if tried.failure(other, false) == nil {
		t.Error("the failure of another server is gone")
	}
	if err := new(trial).failure(one, true); err != nil { // of no trial yet
		t.Error(err)
	}
}
