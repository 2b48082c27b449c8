// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"time"
)

// write prints the tables.
func write(w io.Writer, f flags, reports []*report) {
	fmt.Fprintf(w, "| store | what | %d jobs, p50 µs | p99 µs | %d jobs, least µs | p50 µs | p99 µs |\n|---|---|--:|--:|--:|--:|--:|\n", f.few, f.many)
	for _, r := range reports {
		for _, name := range r.names {
			few, many := r.few[name], r.many[name]
			small := "– | –" // some operations are timed in the large store alone
			if len(few) > 0 {
				small = micros(few.at(0.5)) + " | " + micros(few.at(0.99))
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", r.store, name, small, micros(many.at(0)), micros(many.at(0.5)), micros(many.at(0.99)))
		}
	}
	fmt.Fprintf(w, "\n| store | runs, %d due a second among %d jobs | begin late: p50 ms | p99 ms | most ms |\n|---|--:|--:|--:|--:|\n", f.rate, f.many)
	for _, r := range reports {
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s |\n", r.store, r.ran, millis(r.lag.at(0.5)), millis(r.lag.at(0.99)), millis(r.lag.at(1)))
	}
}

func micros(d time.Duration) string { return fmt.Sprint(d.Round(time.Microsecond).Microseconds()) }
func millis(d time.Duration) string { return fmt.Sprint(d.Round(time.Millisecond).Milliseconds()) }
