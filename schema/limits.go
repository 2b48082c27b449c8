// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "time"

// Limits bounds what compiling and evaluating one schema may cost. A field
// that is zero or negative means its default.
type Limits struct {
	// Bytes is the longest schema text. Default 1 MiB.
	Bytes int
	// Depth is how deep the schema's JSON may be nested. Default 128.
	Depth int
	// Subschemas is how many objects, arrays and booleans the schema's JSON may
	// hold, which is never less than its number of subschemas. Default 5000.
	Subschemas int
	// Time is how long one evaluation may take. Default 250 ms. The backtracking engine may
	// overrun it by half, and by that engine's clock period of 100 ms.
	Time time.Duration
	// Violations is how many entries each list of an [Evaluation] holds; one
	// more says how many were left out. Default 100.
	Violations int
}

// DefaultLimits returns the limits that zero fields stand for. The largest of
// 4,279 schemas of real tools has 53 kB, depth 22 and 965 such parts.
func DefaultLimits() Limits {
	return Limits{
		Bytes:      1 << 20,
		Depth:      128,
		Subschemas: 5000,
		Time:       250 * time.Millisecond,
		Violations: 100,
	}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	if l.Bytes <= 0 {
		l.Bytes = d.Bytes
	}
	if l.Depth <= 0 {
		l.Depth = d.Depth
	}
	if l.Subschemas <= 0 {
		l.Subschemas = d.Subschemas
	}
	if l.Time <= 0 {
		l.Time = d.Time
	}
	if l.Violations <= 0 {
		l.Violations = d.Violations
	}
	return l
}
