// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/toolvet/toolvet/internal/limit"
)

func Example() {
	limiter, err := limit.New([]limit.Limit{{
		Name:  "searches",
		Tools: []string{"github:search_*"},
		Rate:  limit.Rate{Calls: 2, Per: 24 * time.Hour},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	key := limit.Key{Identity: "alice", Server: "github", Tool: "search_issues"}
	for range 3 {
		ticket, err := limiter.Take(context.Background(), key)
		var refusal *limit.Refusal
		if errors.As(err, &refusal) {
			fmt.Println(refusal)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("the call runs")
		ticket.Release()
	}
	// Output:
	// the call runs
	// the call runs
	// too many calls of this tool: at most 2 per day for each identity; retry in 12 h
}

func ExampleLimiter_Peek() {
	limiter, err := limit.New([]limit.Limit{{Name: "writes", Per: []limit.Dimension{limit.Identity}, Concurrency: 2}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	key := limit.Key{Identity: "alice", Server: "files", Tool: "write_file"}
	ticket, err := limiter.Take(context.Background(), key)
	if err != nil {
		log.Fatal(err)
	}
	defer ticket.Release()
	states, err := limiter.Peek(context.Background(), key)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range states {
		fmt.Printf("%s: %d of %d by %s\n", s.Limit, s.Remaining, s.Max, s.Meter)
	}
	// Output:
	// writes: 1 of 2 by concurrency
}
