// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

type durations []time.Duration

// at returns a quantile.
func (d durations) at(q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[min(int(q*float64(len(d))), len(d)-1)]
}

// A round holds the times of calls to healthy servers.
type round struct{ quiet, trouble durations }

// writeTable prints each round, and the medians of all.
func writeTable(out io.Writer, rounds []round) {
	fmt.Fprintln(out, "| round | calls, quiet | p50 | p99 | calls, trouble | p50 | p99 |\n|---|---|---|---|---|---|---|")
	var columns [4]durations
	for i, r := range rounds {
		cells := [4]time.Duration{r.quiet.at(.5), r.quiet.at(.99), r.trouble.at(.5), r.trouble.at(.99)}
		for j, c := range cells {
			columns[j] = append(columns[j], c)
		}
		fmt.Fprintf(out, "| %d | %d | %s | %s | %d | %s | %s |\n", i+1, len(r.quiet), ms(cells[0]), ms(cells[1]), len(r.trouble), ms(cells[2]), ms(cells[3]))
	}
	fmt.Fprintf(out, "| median | | %s | %s | | %s | %s |\n", ms(columns[0].at(.5)), ms(columns[1].at(.5)), ms(columns[2].at(.5)), ms(columns[3].at(.5)))
	fmt.Fprintf(out, "\np99 of quiet halves: %s to %s; of the others: %s to %s\n",
		ms(columns[1].at(0)), ms(columns[1].at(1)), ms(columns[3].at(0)), ms(columns[3].at(1)))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
