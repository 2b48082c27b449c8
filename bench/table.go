// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"time"
)

// The names of the paths.
const (
	direct     = "direct"
	spliced    = "bytes moved by the kernel"
	toolvet    = "toolvet proxy"
	withPolicy = "toolvet proxy + policy"
	sdk        = "SDK client + server"
)

// A group has the measurements of one server with one size of argument. The first series is the direct path.
type group struct {
	server string
	size   int
	series []*series
}

// writeTable prints groups as a markdown table.
func writeTable(w io.Writer, groups []group) {
	fmt.Fprintln(w, "| server | argument | path | p50 µs | p99 µs | added p50 µs | calls/s, 16 in flight | CPU µs/call, one at a time | CPU µs/call, 16 in flight |")
	fmt.Fprintln(w, "|---|--:|---|--:|--:|--:|--:|--:|--:|")
	for _, g := range groups {
		for _, s := range g.series {
			added, one, many := "", "", ""
			if s.path != direct {
				added = micros(s.percentile(0.5) - g.series[0].percentile(0.5))
				one, many = s.cpuPerCall()
			}
			fmt.Fprintf(w, "| %s | %d B | %s | %s | %s | %s | %.0f | %s | %s |\n", g.server, g.size, s.path,
				micros(s.percentile(0.5)), micros(s.percentile(0.99)), added, s.perSecond(), one, many)
		}
	}
}

// writeRatios prints the proxy's cost as a share of the SDK's.
func writeRatios(w io.Writer, groups []group) {
	fmt.Fprintln(w, "| server | argument | added p50 µs | with a policy | … of the SDK's | CPU of the SDK's, one at a time | CPU of the SDK's, 16 in flight |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|")
	for _, g := range groups {
		ours, judged, theirs := g.find(toolvet), g.find(withPolicy), g.find(sdk)
		if ours == nil || judged == nil || theirs == nil {
			continue
		}
		base := g.series[0].percentile(0.5)
		added := ours.percentile(0.5) - base
		fmt.Fprintf(w, "| %s | %d B | %s | %s | %s | %s | %s |\n", g.server, g.size, micros(added), micros(judged.percentile(0.5)-base),
			ratio(added, theirs.percentile(0.5)-base), ratio(ours.cpuOne, theirs.cpuOne), ratio(ours.cpuFlood, theirs.cpuFlood))
	}
}

func (g *group) find(path string) *series {
	for _, s := range g.series {
		if s.path == path {
			return s
		}
	}
	return nil
}

// cpuPerCall returns the processor time of a call in µs, or "" if it is unknown.
func (s *series) cpuPerCall() (one, many string) {
	if s.cpuUnknown || len(s.latencies) == 0 || s.flooded == 0 {
		return "", ""
	}
	return micros(s.cpuOne / time.Duration(len(s.latencies))), micros(s.cpuFlood / time.Duration(s.flooded))
}

func micros(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d)/float64(time.Microsecond)) }

func ratio(a, b time.Duration) string {
	if b <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}
