// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// TestDuration holds that a duration reads what it writes, and that the error of another text says how one is written.
func TestDuration(t *testing.T) {
	t.Parallel()
	d := schedule.Duration(90 * time.Second)
	text, err := json.Marshal(d)
	if err != nil || string(text) != `"1m30s"` {
		t.Errorf("%s, %v", text, err)
	}
	if err := json.Unmarshal([]byte(`"1h30m"`), &d); err != nil || d != schedule.Duration(90*time.Minute) {
		t.Errorf("%v, %v", d, err)
	}
	const want = "a duration must be written as 30s or 1h30m"
	if err := json.Unmarshal([]byte(`"soon"`), &d); err == nil || err.Error() != want || d != schedule.Duration(90*time.Minute) {
		t.Errorf("%v, %v, want %s", d, err, want)
	}
}
