// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Count is a number of calls. The zero Count means no count; a policy cannot write it.
type Count int

// UnmarshalText reads a number of at least 1.
func (c *Count) UnmarshalText(text []byte) error {
	n, err := parseCalls(string(text))
	*c = Count(n)
	return err
}

// A Rate is a number of calls in a span of time. The zero Rate means no rate.
type Rate struct {
	Calls int
	Per   time.Duration
}

var rateUnits = map[string]time.Duration{
	"s": time.Second, "second": time.Second, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hour": time.Hour, "day": 24 * time.Hour,
}

// UnmarshalText reads calls per unit, such as 10/s, 100/min, 50/h or 200/day, or calls in a
// duration, such as 5/30s.
func (r *Rate) UnmarshalText(text []byte) error {
	before, unit, found := strings.Cut(string(text), "/")
	calls, err := parseCalls(before)
	per, known := rateUnits[unit]
	if !known {
		per, _ = time.ParseDuration(unit)
	}
	if !found || err != nil || per <= 0 {
		return errors.New("must be a number of calls and a time, such as 10/s, 100/min or 5/30s")
	}
	*r = Rate{calls, per}
	return nil
}

// String returns the rate in words, such as "10 per second".
func (r Rate) String() string {
	for _, unit := range []string{"second", "minute", "hour", "day"} {
		if r.Per == rateUnits[unit] {
			return fmt.Sprintf("%d per %s", r.Calls, unit)
		}
	}
	return fmt.Sprintf("%d in %s", r.Calls, r.Per)
}

// interval returns the time in which one call comes back, rounded up to a microsecond.
func (r Rate) interval() time.Duration {
	calls := time.Duration(max(r.Calls, 1))
	whole := (r.Per + calls - 1) / calls
	return (whole + time.Microsecond - 1).Truncate(time.Microsecond)
}

// A Quota is a number of calls in a period of the calendar. The zero Quota means no quota.
type Quota struct {
	Calls  int
	Period Period
}

// A Period is a span of the calendar.
type Period uint8

// The periods.
const (
	_ Period = iota
	Hour
	Day
	Month
)

var periods = []string{"", "hour", "day", "month"}

// String returns the period's name, "" for an unknown period.
func (p Period) String() string {
	if int(p) >= len(periods) {
		return ""
	}
	return periods[p]
}

// UnmarshalText reads calls in a period: 1000/day, 50/hour or 20000/month.
func (q *Quota) UnmarshalText(text []byte) error {
	before, unit, _ := strings.Cut(string(text), "/")
	calls, err := parseCalls(before)
	period := slices.Index(periods, unit)
	if err != nil || period < 1 {
		return errors.New("must be a number of calls and a period, such as 1000/day, 50/hour or 20000/month")
	}
	*q = Quota{calls, Period(period)}
	return nil
}

// String returns the quota in words, such as "1000 per day".
func (q Quota) String() string { return fmt.Sprintf("%d per %s", q.Calls, q.Period) }

func parseCalls(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 64) // no sign, no underscore
	if err != nil || n < 1 || n > maxCalls {
		return 0, fmt.Errorf("must be a number of calls from 1 to %d", maxCalls)
	}
	return int(n), nil
}

// A Dimension is a part of a key by which a limit distinguishes callers.
type Dimension uint8

// The dimensions.
const (
	_ Dimension = iota
	Identity
	Session
	Server
	Tool
	ClientAddress
)

var dimensions = [...]string{"", "identity", "session", "server", "tool", "client_address"}

func (d Dimension) name() string {
	if int(d) >= len(dimensions) {
		return ""
	}
	return dimensions[d]
}

// UnmarshalText reads the name of a dimension.
func (d *Dimension) UnmarshalText(text []byte) error {
	i := slices.Index(dimensions[:], string(text))
	if i < 1 {
		return fmt.Errorf("must be one of %s", dimensionNames())
	}
	*d = Dimension(i)
	return nil
}

func dimensionNames() string { return strings.Join(dimensions[1:], ", ") }
