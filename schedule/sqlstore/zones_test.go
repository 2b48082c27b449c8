// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestZonesOfMany: the work grows with the zones, not with the jobs.
func TestZonesOfMany(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "schedule.db"))
	steps, err := s.read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+fmt.Sprintf(each, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	defer steps.Close()
	indexed := 0
	for steps.Next() {
		var a, b, c int
		var step string
		if err := steps.Scan(&a, &b, &c, &step); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(step, "SEARCH") && strings.Contains(step, "schedule_jobs_zone") {
			indexed++
		}
	}
	if indexed != 2 {
		t.Errorf("%d of 2 steps go by the index", indexed)
	}
}
