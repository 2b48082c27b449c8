// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package blackout reads the times at which jobs do not run: holidays, weekends, windows of maintenance.
package blackout

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// midnight is the beginning of a day.
func midnight(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// weekend is Sunday and Saturday, as bits.
const weekend = uint8(0b1000001)

// A Set is a set of local times at which nothing runs: holidays, weekends, windows of maintenance. The nil set is empty. It is
// immutable.
type Set struct{ spans []closure }

// A closure reports whether a naive local time belongs to it, and a later time up to which it lasts at least.
type closure func(at time.Time) (until time.Time, closed bool)

// most bounds the entries of a set. A search for the next time looks at all of them for each day.
const most = 1000

const closedForms = "a day (2026-12-25, 12-25 for each year, saturday, weekend), days (2026-12-24..2027-01-02), " +
	"moments (2026-12-24T18:00..2026-12-27T06:00) or hours (22:00..06:00, sat 22:00..sun 04:00)"

// Empty reports whether nothing is closed.
func (c *Set) Empty() bool { return c == nil || len(c.spans) == 0 }

// Parse reads the entries of a set. Days end at midnight and belong to a range of days; a range of times ends before its
// second time. All are those of the clocks in the schedule's zone.
func Parse(entries []string) (*Set, error) {
	if len(entries) > most {
		return nil, fmt.Errorf("has %d entries, and may have %d", len(entries), most)
	}
	c := new(Set)
	for _, entry := range entries {
		s, err := readSpan(strings.ToLower(strings.TrimSpace(entry)))
		if err != nil {
			return nil, fmt.Errorf("%.60q %w", entry, err)
		}
		c.spans = append(c.spans, s)
	}
	return c, nil
}

// Is reports whether a text is an entry for [Parse].
func Is(entry string) bool {
	_, err := Parse([]string{entry})
	return err == nil
}

var errClosedForm = errors.New("is not " + closedForms)

func readSpan(entry string) (closure, error) {
	from, to, ranged := strings.Cut(entry, "..")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	if !ranged {
		to = from
	}
	if days, ok := weekdaysNamed(from); ok && !ranged {
		return daily(func(day time.Time) bool { return days&(1<<day.Weekday()) != 0 }), nil
	}
	if first, err := time.Parse(time.DateOnly, from); err == nil {
		last, err := time.Parse(time.DateOnly, to)
		if err != nil {
			return nil, errClosedForm
		}
		if last.Before(first) {
			return nil, errors.New("ends before it begins")
		}
		return daily(func(day time.Time) bool { return !day.Before(first) && !day.After(last) }), nil
	}
	if first, ok := yearly(from); ok {
		last, ok := yearly(to)
		if !ok {
			return nil, errClosedForm
		}
		return daily(func(day time.Time) bool { return between(int(day.Month())*100+day.Day(), first, last+1) }), nil
	}
	if !ranged {
		return nil, errClosedForm
	}
	if begin, err := time.Parse("2006-01-02t15:04", from); err == nil {
		end, err := time.Parse("2006-01-02t15:04", to)
		if err != nil {
			return nil, errClosedForm
		}
		if !end.After(begin) {
			return nil, errors.New("ends before it begins")
		}
		return func(at time.Time) (time.Time, bool) { return end, !at.Before(begin) && at.Before(end) }, nil
	}
	return readWindow(from, to)
}

// daily is a closure of whole days.
func daily(has func(day time.Time) bool) closure {
	return func(at time.Time) (time.Time, bool) {
		day := midnight(at)
		return day.AddDate(0, 0, 1), has(day)
	}
}

// yearly reads a date without a year, as month*100 + day.
func yearly(text string) (int, bool) {
	t, err := time.Parse(time.DateOnly, "2024-"+text) // which has a 29 February
	return int(t.Month())*100 + t.Day(), err == nil
}

// between reports whether x is in a range without its end. The range may go beyond the end of its circle.
func between(x, from, to int) bool {
	if from < to {
		return from <= x && x < to
	}
	return from <= x || x < to
}

var windowForm = lazyregexp.New(`^(?:([a-z]+) )?([01][0-9]|2[0-3]):([0-5][0-9])$`)

// readWindow reads hours of each day, or of each week.
func readWindow(from, to string) (closure, error) {
	first, weekly, ok := minute(from)
	last, alike, fine := minute(to)
	if !ok || !fine || weekly != alike {
		return nil, errClosedForm
	}
	if first == last {
		return nil, errors.New("ends where it begins")
	}
	period := 24 * 60
	if weekly {
		period *= 7
	}
	return func(at time.Time) (time.Time, bool) {
		x := at.Hour()*60 + at.Minute()
		if weekly {
			x += int(at.Weekday()) * 24 * 60
		}
		left := (last - x + period) % period
		return at.Truncate(time.Minute).Add(time.Duration(left) * time.Minute), between(x, first, last)
	}, nil
}

// minute reads a time of the day, or of the week, from Sunday.
func minute(text string) (n int, weekly, ok bool) {
	m := windowForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false, false
	}
	t, _ := time.Parse("15:04", m[2]+":"+m[3])
	n = t.Hour()*60 + t.Minute()
	if m[1] == "" {
		return n, false, true
	}
	days, ok := weekdaysNamed(m[1])
	for d := range 7 {
		if days == 1<<d {
			return n + d*24*60, true, ok
		}
	}
	return 0, false, false // weekend is two days
}

// weekdaysNamed returns the days of the week that a word names, as bits.
func weekdaysNamed(word string) (uint8, bool) {
	if word == "weekend" || word == "weekends" {
		return weekend, true
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		if word == name || word == name+"s" || word == name[:3] {
			return 1 << d, true
		}
	}
	return 0, false
}

// At reports whether a time is closed, and until when at least. Both are what a clock shows, written as times in UTC.
func (c *Set) At(n time.Time) (until time.Time, closed bool) {
	if c == nil {
		return n, false
	}
	for _, s := range c.spans {
		if until, closed := s(n); closed {
			return until, true
		}
	}
	return n, false
}
