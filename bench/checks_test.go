// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

func TestCosts(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	var costs []*cost
	for _, nanos := range []string{"2000", "4000.5", "3000"} {
		costs = addRound(costs, "goos: linux\nBenchmarkSemanticCheck/path-2  \t 226021\t  "+nanos+" ns/op\t 352 B/op\t 1 allocs/op\n"+
			"BenchmarkSemanticCall/decode  \t 1\t  6000 ns/op\t 16 B/op\t 40 allocs/op\nPASS\n")
	}
	var out bytes.Buffer
	paired := checkSuite
	paired.pairs = []pair{{"path, of decode", "SemanticCheck/path", "SemanticCall/decode"}}
	paired.write(&out, costs, 3)
	_, table, _ := strings.Cut(out.String(), "medians of 3 rounds\n\n")
	want := `| what | µs | … of decoding the call | allocations |
|---|--:|--:|--:|
| a call: decode | 6.0 | 1.00 | 40 |
| one value: path | 3.0 | 0.50 | 1 |

| compared | ratio |
|---|--:|
| path, of decode | 0.50 |
`
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSuites runs each benchmark once.
func TestSuites(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	need.Minutes(t)
	for least, s := range map[int]suite{10: checkSuite, 8: dryRunSuite} {
		costs, err := s.measure(t.Context(), t.TempDir(), 1, "1x")
		if err != nil || len(costs) < least {
			t.Errorf("%s: %d costs, want at least %d: %v", s.pattern, len(costs), least, err)
		}
	}
}
