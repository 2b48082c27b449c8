// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
)

// A job is judged when it is made: one that could not work is refused now, not in the night.
func ExampleScheduler_Create() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "schedule-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := sqlstore.Open(ctx, filepath.Join(dir, "jobs.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	files := &world{} // in earnest: an *upstream.Set
	s, err := schedule.New(schedule.Config{
		Store: store, Caller: files,
		Now: func() time.Time { return time.Date(2026, time.March, 27, 12, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		log.Fatal(err)
	}

	spec := schedule.Spec{Name: "report", Tool: "files:read", Arguments: []byte(`{"path": "/srv/report.csv"}`), Schedule: "every weekday at 9am"}
	job, made, err := s.Create(ctx, spec, nil, schedule.How{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.State, "-", made.Understood)
	fmt.Println("next:", job.Next.Format(time.RFC1123))

	files.fault = "does not exist"
	spec.Name = "another"
	_, _, err = s.Create(ctx, spec, nil, schedule.How{})
	var refused *schedule.RefusedError
	fmt.Println("refused:", errors.As(err, &refused), refused.Proposal.Errors)
	// Output:
	// active - every weekday at 09:00
	// next: Mon, 30 Mar 2026 09:00:00 UTC
	// refused: true [/path: does not exist]
}
