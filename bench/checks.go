// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A suite is some of the module's Go benchmarks.
type suite struct {
	pkg      string // below the module
	pattern  string
	baseline string // what the others are compared with, and what that is
	is       string
	kinds    []kind
}

// A kind of benchmarks begins with a prefix, which a table shows as a label.
type kind struct{ prefix, label string }

var (
	checkSuite = suite{"", "^BenchmarkSemantic", "SemanticCall/decode", "decoding the call",
		[]kind{{"SemanticCall/", "a call: "}, {"SemanticCheck/", "one value: "}}}
	dryRunSuite = suite{"/dryrun", "^BenchmarkValidate", "Validate/default/new", "one new dry run",
		[]kind{{"Validate/", "one dry run: "}, {"Validate100/", "100 dry runs: "}}}
)

// runSuite measures a suite and prints its table.
func runSuite(ctx context.Context, s suite, dir string, rounds int, out io.Writer) error {
	costs, err := s.measure(ctx, dir, rounds, "100ms")
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	s.write(out, costs, rounds)
	return nil
}

// A cost is what one benchmark took, over all rounds.
type cost struct {
	name   string
	nanos  []float64 // of each round
	allocs string
}

func (c *cost) median() float64 {
	sorted := slices.Sorted(slices.Values(c.nanos))
	return sorted[len(sorted)/2]
}

// measure runs the benchmarks in this many rounds, each of them once a round, so that whatever
// else the machine does falls on all alike.
func (s suite) measure(ctx context.Context, dir string, rounds int, benchtime string) ([]*cost, error) {
	tests := filepath.Join(dir, "toolvet.test.exe") // Windows wants the ending, others do not mind
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", tests, "github.com/toolvet/toolvet"+s.pkg).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the benchmarks: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	var costs []*cost
	for range rounds {
		out, err := exec.CommandContext(ctx, tests, "-test.run=^$", "-test.bench="+s.pattern, "-test.benchmem", "-test.benchtime="+benchtime).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("running the benchmarks: %w\n%s", err, strings.TrimSpace(string(out)))
		}
		costs = addRound(costs, string(out))
	}
	if !slices.ContainsFunc(costs, func(c *cost) bool { return c.name == s.baseline }) {
		return nil, errors.New("the benchmarks lack " + s.baseline)
	}
	return costs, nil
}

var result = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([0-9.]+) ns/op.*?(\d+) allocs/op$`)

// addRound adds what "go test -bench" has printed.
func addRound(costs []*cost, printed string) []*cost {
	for _, m := range result.FindAllStringSubmatch(printed, -1) {
		i := slices.IndexFunc(costs, func(c *cost) bool { return c.name == m[1] })
		if i < 0 {
			i, costs = len(costs), append(costs, &cost{name: m[1]})
		}
		nanos, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			continue // the expression has read a number
		}
		costs[i].nanos, costs[i].allocs = append(costs[i].nanos, nanos), m[3]
	}
	return costs
}

// write prints costs as a markdown table, kind by kind.
func (s suite) write(w io.Writer, costs []*cost, rounds int) {
	fmt.Fprintf(w, "%s, %s/%s, %d processors; medians of %d rounds\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds)
	fmt.Fprintf(w, "| what | µs | … of %s | allocations |\n", s.is)
	fmt.Fprintln(w, "|---|--:|--:|--:|")
	base := costs[slices.IndexFunc(costs, func(c *cost) bool { return c.name == s.baseline })].median()
	for _, kind := range s.kinds {
		for _, c := range costs {
			if name, ok := strings.CutPrefix(c.name, kind.prefix); ok {
				fmt.Fprintf(w, "| %s%s | %.1f | %.2f | %s |\n", kind.label, name, c.median()/1000, c.median()/base, c.allocs)
			}
		}
	}
}
