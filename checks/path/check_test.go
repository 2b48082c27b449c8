// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/path"
)

// run judges values at /path, and returns the findings.
func run(t testing.TB, world check.World, options any, values ...any) []check.Finding {
	t.Helper()
	run := new(check.Run).Init(path.Check, &call.Call{Name: "read"}, nil)
	run.World = world
	for _, v := range values {
		run.Targets = append(run.Targets, check.Target{Pointer: "/path", Value: v, Options: options})
	}
	if err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if run.Skip != nil {
		t.Errorf("skipped: %v", run.Skip)
	}
	return run.Findings
}

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, path.Check, "testdata")
}

func TestStrangeOptions(t *testing.T) {
	t.Parallel()
	run := new(check.Run).Init(path.Check, &call.Call{Name: "read"}, nil)
	run.Targets = []check.Target{{Pointer: "/path", Value: "x", Options: "strange"}}
	if err := run.Do(t.Context()); err == nil {
		t.Error("options of another rule are taken for none")
	}
}

// TestConcurrently judges by the same options in different worlds at once.
func TestConcurrently(t *testing.T) {
	t.Parallel()
	options := new(path.Options)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			root := fmt.Sprintf("/srv/%d", i)
			for range 200 {
				if got := run(t, check.World{Roots: []string{root}}, options, root+"/x", "/srv/9"); len(got) != 1 {
					t.Errorf("%s: got %v, want a finding for /srv/9 alone", root, got)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCheck(b *testing.B) {
	var many []string
	for i := range 10_000 {
		many = append(many, fmt.Sprintf("/srv/%d/data", i))
	}
	for name, bm := range map[string]struct {
		path  string
		roots []string
	}{
		"typical":     {"/workspace/src/components/export/link.css", []string{"/workspace"}},
		"relative":    {"src/components/../export/link.css", []string{"/workspace"}},
		"encoded":     {"src/My%20Documents/100%25.txt", []string{"/workspace"}},
		"unicode":     {"данные/отчёт за год.csv", []string{"/workspace"}},
		"10000 roots": {"/srv/7777/data/x", many},
		"4 KB":        {strings.Repeat("%41/", 1024), []string{"/workspace"}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			run := new(check.Run).Init(path.Check, &call.Call{Name: "read"}, nil)
			run.World.Base, run.World.Roots = bm.roots[0], bm.roots
			run.Targets = []check.Target{{Pointer: "/path", Value: bm.path, Options: new(path.Options)}}
			for b.Loop() {
				if err := run.Do(b.Context()); err != nil || len(run.Findings) > 0 {
					b.Fatal(err, run.Findings)
				}
			}
		})
	}
}
