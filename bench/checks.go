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
	baseline string // the benchmark to compare the others with, and its description
	is       string
	kinds    []kind
	pairs    []pair
}

// A pair of benchmarks. A table shows one as a share of the other.
type pair struct{ label, one, other string }

// A kind of benchmarks has a common prefix. A table shows it as a label.
type kind struct{ prefix, label string }

var (
	checkSuite = suite{"", "^BenchmarkSemantic", "SemanticCall/decode", "decoding the call",
		[]kind{{"SemanticCall/", "a call: "}, {"SemanticCheck/", "one value: "}}, nil}
	dryRunSuite = suite{"/internal/validate", "^BenchmarkValidate", "Validate/default/new", "one new dry run",
		[]kind{{"Validate/", "one dry run: "}, {"Validate100/", "100 dry runs: "}},
		[]pair{
			{"default: kept, of new", "Validate/default/kept", "Validate/default/new"},
			{"files: kept, of new", "Validate/files/kept", "Validate/files/new"},
			{"default: a batch of 100, of 100 single ones", "Validate100/default/batch", "Validate100/default/singles"},
			{"files: a batch of 100, of 100 single ones", "Validate100/files/batch", "Validate100/files/singles"},
			{"waits: a batch of 100, of 100 single ones", "Validate100/waits/batch", "Validate100/waits/singles"},
			{"http: a batch of 100, of 100 single ones", "Validate100/http/batch", "Validate100/http/singles"},
		}}
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

// A cost is the time of one benchmark over all rounds.
type cost struct {
	name   string
	nanos  []float64 // of each round
	allocs string
}

func (c *cost) median() float64 {
	sorted := slices.Sorted(slices.Values(c.nanos))
	return sorted[len(sorted)/2]
}

// measure runs the benchmarks in this many rounds, once in each round, so that other load on the machine falls on all
// alike.
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
	needed := []string{s.baseline}
	for _, p := range s.pairs {
		needed = append(needed, p.one, p.other)
	}
	for _, name := range needed {
		if find(costs, name) == nil {
			return nil, errors.New("the benchmarks lack " + name)
		}
	}
	return costs, nil
}

// find returns nil if there is no such cost.
func find(costs []*cost, name string) *cost {
	for _, c := range costs {
		if c.name == name {
			return c
		}
	}
	return nil
}

var result = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([0-9.]+) ns/op.*?(\d+) allocs/op$`)

// addRound adds the output of "go test -bench".
func addRound(costs []*cost, printed string) []*cost {
	for _, m := range result.FindAllStringSubmatch(printed, -1) {
		c := find(costs, m[1])
		if c == nil {
			c = &cost{name: m[1]}
			costs = append(costs, c)
		}
		nanos, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			continue // the expression has read a number
		}
		c.nanos, c.allocs = append(c.nanos, nanos), m[3]
	}
	return costs
}

// write prints costs as a markdown table, kind by kind.
func (s suite) write(w io.Writer, costs []*cost, rounds int) {
	fmt.Fprintf(w, "%s, %s/%s, %d processors; medians of %d rounds\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds)
	fmt.Fprintf(w, "| what | µs | … of %s | allocations |\n", s.is)
	fmt.Fprintln(w, "|---|--:|--:|--:|")
	base := find(costs, s.baseline).median()
	for _, kind := range s.kinds {
		for _, c := range costs {
			if name, ok := strings.CutPrefix(c.name, kind.prefix); ok {
				fmt.Fprintf(w, "| %s%s | %.1f | %.2f | %s |\n", kind.label, name, c.median()/1000, c.median()/base, c.allocs)
			}
		}
	}
	if len(s.pairs) > 0 {
		fmt.Fprint(w, "\n| compared | ratio |\n|---|--:|\n")
	}
	for _, p := range s.pairs {
		fmt.Fprintf(w, "| %s | %.2f |\n", p.label, find(costs, p.one).median()/find(costs, p.other).median())
	}
}
