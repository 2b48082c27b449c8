// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/memstore"
	"github.com/toolvet/toolvet/upstream"
)

// A scheduler refuses a job that cannot work, and runs the others.
func Example_scheduler() {
	ctx, stop := context.WithCancel(context.Background())
	gate := must(toolvet.New())
	set := must(upstream.NewSet(upstream.Config{
		Servers: []upstream.Server{{Name: "files", Dialer: upstream.Command{Args: []string{self, "server"}}}},
		Gate:    func(string) *toolvet.Gate { return gate },
	}))
	defer set.Close(context.Background())
	jobs := must(schedule.New(schedule.Config{Store: memstore.New(), Caller: set}))
	done := make(chan error)
	go func() { done <- jobs.Serve(ctx) }()

	job := schedule.Spec{Name: "mark", Tool: "files:touch", Arguments: json.RawMessage(`{"path":"/dev/null"}`), Schedule: "every minute"}
	_, _, err := jobs.Create(ctx, job, nil, schedule.How{})
	fmt.Println(err)
	var refused *schedule.RefusedError
	job.Name, job.Arguments = "wrong", json.RawMessage(`{"pth":"a"}`)
	_, _, err = jobs.Create(ctx, job, nil, schedule.How{})
	fmt.Println(errors.As(err, &refused))
	run := must(jobs.Trigger(ctx, "mark"))
	for run.State.Open() {
		time.Sleep(10 * time.Millisecond)
		run = must(jobs.GetRun(ctx, run.ID))
	}
	fmt.Println(run.State)
	stop()
	<-done
	// Output:
	// <nil>
	// true
	// succeeded
}
