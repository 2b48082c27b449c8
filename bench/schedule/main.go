// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Command schedule measures the scheduler's stores: the cost of making jobs, of listing them, and of finding the due
// ones, among few and among many, and the delay of runs. See ../README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"
)

// flags are the command line.
type flags struct {
	few, many  int
	samples    int
	runs       int           // that have ended, of each job
	blocked    int           // runs that wait for others
	rate       int           // jobs due a second
	length     time.Duration // of the measurement of lag
	postgres   string
	skipSQLite bool
}

func main() {
	var f flags
	flag.IntVar(&f.few, "few", 1000, "jobs in the smaller store")
	flag.IntVar(&f.many, "many", 100_000, "jobs in the larger store")
	flag.IntVar(&f.samples, "samples", 300, "times that each thing is done")
	flag.IntVar(&f.runs, "runs", 10, "runs of each job that have ended, at most 800")
	flag.IntVar(&f.blocked, "blocked", 100_000, "runs that wait, when a claim behind them is measured; whole thousands")
	flag.IntVar(&f.rate, "rate", 100, "jobs that are due each second, when the lag is measured")
	flag.DurationVar(&f.length, "length", 20*time.Second, "how long the lag is measured")
	flag.StringVar(&f.postgres, "postgres", "", "`URL` of a PostgreSQL server, too, in which schemas are made and dropped")
	flag.BoolVar(&f.skipSQLite, "skip-sqlite", false, "measure PostgreSQL alone")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, f, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench/schedule:", err)
		os.Exit(1)
	}
}

// run measures, and prints tables.
func run(ctx context.Context, f flags, out io.Writer) error {
	fmt.Fprintf(out, "%s, %s/%s, %d processors; %d samples\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), f.samples)
	dir, err := os.MkdirTemp("", "bench-schedule-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var reports []*report
	if !f.skipSQLite {
		r, err := measure(ctx, f, "SQLite", func(jobs int) (*place, error) {
			return &place{driver: "sqlite", at: filepath.Join(dir, fmt.Sprint(jobs, ".db")), close: func() error { return nil }}, nil
		})
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if f.postgres != "" {
		r, err := measure(ctx, f, "PostgreSQL", func(jobs int) (*place, error) { return newSchema(ctx, f.postgres, jobs) })
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	write(out, f, reports)
	return nil
}
