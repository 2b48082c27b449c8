// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/memstore"
)

// A program makes a job, serves for a while, and lists the runs with their states.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s, err := schedule.New(schedule.Config{
		Store:  memstore.New(), // sqlstore.Open keeps jobs for longer
		Caller: &world{},       // an *upstream.Set, in a real program
		Poll:   time.Millisecond,
	})
	if err != nil {
		log.Fatal(err)
	}
	job, _, err := s.Create(ctx, schedule.Spec{
		Name: "report", Tool: "files:read", Arguments: []byte(`{"path": "/srv/report.csv"}`), Schedule: "every weekday at 9am",
	}, nil, schedule.How{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Trigger(ctx, job.ID); err != nil { // so that the example need not wait for 9am
		log.Fatal(err)
	}

	go func() {
		defer stop()
		for ctx.Err() == nil {
			if ended, err := s.Runs(ctx, schedule.RunFilter{State: schedule.Succeeded}); err != nil || len(ended) > 0 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if err := s.Serve(ctx); err != nil {
		log.Fatal(err)
	}

	runs, err := s.Runs(context.Background(), schedule.RunFilter{Job: "report"})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range runs {
		fmt.Println(r.Kind, r.State, r.Attempt)
	}
	// Output: trigger succeeded 1
}

// A scheduler judges a job when it is made: it refuses now what would fail at night.
func ExampleScheduler_Create() {
	ctx := context.Background()
	files := &world{} // an *upstream.Set, in a real program
	s, err := schedule.New(schedule.Config{
		Store: memstore.New(), Caller: files,
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
	// active - at 09:00, every Monday to Friday
	// next: Mon, 30 Mar 2026 09:00:00 UTC
	// refused: true [/path: does not exist]
}
