// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// TestUnknownField: the error names an unknown field, and the known ones.
func TestUnknownField(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"Name":"x"}`:       `unknown field "Name": write one of alert_failure, alert_late, `,
		`{"owner":{}}`:       `unknown field "owner": write one of alert_failure, alert_late, `,
		`{"a\u001b[2Jb":{}}`: `: write one of alert_failure`,
	} {
		_, err := jobspec.Decode([]byte(text), new(schedule.Spec))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
