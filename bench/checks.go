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

// A cost is what one benchmark of the semantic layer took, over all rounds.
type cost struct {
	name   string
	nanos  []float64 // of each round
	allocs string
}

func (c *cost) median() float64 {
	sorted := slices.Sorted(slices.Values(c.nanos))
	return sorted[len(sorted)/2]
}

// baseline is what the costs are compared with: reading the call.
const baseline = "Call/decode"

// measureChecks runs the module's benchmarks of the semantic layer in this many rounds, each
// of them once a round, so that whatever else the machine does falls on all alike.
func measureChecks(ctx context.Context, dir string, rounds int, benchtime string) ([]*cost, error) {
	tests := filepath.Join(dir, "toolvet.test.exe") // Windows wants the ending, others do not mind
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", tests, "github.com/toolvet/toolvet").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the benchmarks: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	var costs []*cost
	for range rounds {
		out, err := exec.CommandContext(ctx, tests, "-test.run=^$", "-test.bench=^BenchmarkSemantic", "-test.benchtime="+benchtime).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("running the benchmarks: %w\n%s", err, strings.TrimSpace(string(out)))
		}
		costs = addRound(costs, string(out))
	}
	if !slices.ContainsFunc(costs, func(c *cost) bool { return c.name == baseline }) {
		return nil, errors.New("the benchmarks lack " + baseline)
	}
	return costs, nil
}

var result = regexp.MustCompile(`(?m)^BenchmarkSemantic(\S+?)(?:-\d+)?\s+\d+\s+([0-9.]+) ns/op.*?(\d+) allocs/op$`)

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

// writeCosts prints costs as a markdown table, those of a whole call first.
func writeCosts(w io.Writer, costs []*cost, rounds int) {
	fmt.Fprintf(w, "%s, %s/%s, %d processors; medians of %d rounds\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds)
	fmt.Fprintln(w, "| what | µs | … of decoding the call | allocations |")
	fmt.Fprintln(w, "|---|--:|--:|--:|")
	base := costs[slices.IndexFunc(costs, func(c *cost) bool { return c.name == baseline })].median()
	for _, kind := range []struct{ prefix, label string }{{"Call/", "a call: "}, {"Check/", "one value: "}} {
		for _, c := range costs {
			if name, ok := strings.CutPrefix(c.name, kind.prefix); ok {
				fmt.Fprintf(w, "| %s%s | %.1f | %.2f | %s |\n", kind.label, name, c.median()/1000, c.median()/base, c.allocs)
			}
		}
	}
}
