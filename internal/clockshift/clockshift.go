// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package clockshift finds the times at which the clock of a time zone is put forward or back.
package clockshift

import "time"

// Next is the first time after t at which a clock of t's zone may be put forward or back;
// zero for never. It may be one at which nothing happens.
func Next(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	if end.IsZero() || end.After(t) {
		return end
	}
	// Where a rule alone tells the offset (the footer of RFC 9636), package time has the year end
	// after 365 days: on the last day of a leap year that has been.
	return time.Date(t.UTC().Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC).In(t.Location())
}
