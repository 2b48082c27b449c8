// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"database/sql"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// TestPruneMany deletes more rows than one statement does.
func TestPruneMany(t *testing.T) {
	stores(t, func(t *testing.T, s *store) {
		j := newJob("job", now)
		create(t, s, j)
		if err := s.transact(t.Context(), func(tx *sql.Tx) error {
			for i := range 3 * pruned {
				at := now.Add(time.Duration(i-3*pruned) * time.Minute)
				r := &schedule.Run{ID: jobspec.NewID(at), Job: j.ID, Fire: at, Kind: "schedule", State: schedule.Succeeded, Ended: at}
				if _, err := addRun(t.Context(), tx, j, r); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Prune(t.Context(), time.Time{}, 2*pruned+1); err != nil || n != pruned-1 {
			t.Errorf("%d are deleted, %v", n, err)
		}
		if n, err := s.Prune(t.Context(), now.Add(-10*time.Minute), pruned); err != nil || n != 2*pruned-9 {
			t.Errorf("%d are deleted, %v", n, err)
		}
	})
}
