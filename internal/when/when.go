// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package when reads schedules, repeats them in words, and computes the times at which they fire.
//
// A schedule is written in one of four ways:
//
//	0 9 * * 1-5, @daily       cron: five fields, six with seconds first, or a name
//	2026-12-24T18:00:00Z      a moment (RFC 3339), once
//	every 90m                 an interval, counted from when the schedule was made
//	every weekday at 9am      plain English, by the grammar in docs/scheduler.md
//
// # When the clock is moved
//
// A local time that does not exist, because the clock was put forward, fires at the first instant after the gap. A
// local time that comes twice, because the clock was put back, fires only the first time. A cron expression whose
// minute or hour begins with *, and an interval, go by elapsed time: they lose and repeat nothing. A day that a month lacks is left
// out, not moved.
package when

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/clockshift"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// maxLength bounds a text, in bytes.
const maxLength = 512

// maxYears bounds the search for a time: 29 February is eight years away at most.
const maxYears = 12

// A Schedule is a schedule that was understood. It is safe for concurrent use.
type Schedule struct {
	zone      *time.Location
	canonical string
	words     string
	next      func(after time.Time) time.Time // zero: never again
	once      bool
}

// An Error reports a text that is unclear, ambiguous, or never fires.
type Error struct {
	Problem string
	Near    []string // similar forms that may have been meant
}

func (e *Error) Error() string {
	if len(e.Near) == 0 {
		return "the schedule " + e.Problem
	}
	return "the schedule " + e.Problem + ": write for instance " + quoted(e.Near)
}

func quoted(list []string) string {
	for i, s := range list {
		list[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(list, ", ")
}

func wrong(near []string, format string, args ...any) error {
	return &Error{Problem: fmt.Sprintf(format, args...), Near: append([]string(nil), near...)}
}

// Years outside these are a mistake, and a [time.Duration] might not reach them.
const (
	firstYear = 1900
	mostYears = 100
)

// Parse reads a schedule in a zone, nil for UTC. "In 5 minutes", "tomorrow" and intervals count from now. The error
// is an *[Error]. A schedule that does not fire after now is an error: a moment and an interval have to fire within
// 100 years, others within 12.
func Parse(text string, zone *time.Location, now time.Time) (*Schedule, error) {
	if zone == nil {
		zone = time.UTC
	}
	if err := quartz(text); err != nil { // not in Restore, for jobs from before
		return nil, err
	}
	s, err := read(text, zone, now)
	if err != nil {
		return nil, err
	}
	switch next := s.Next(now); {
	case next.After(now.AddDate(mostYears, 0, 0)):
		return nil, wrong([]string{"in 52 weeks", now.AddDate(1, 0, 0).In(zone).Format(time.RFC3339)}, "fires for the first time in more than %d years", mostYears)
	case next.IsZero():
		if s.once {
			return nil, wrong([]string{"in 5 minutes", now.Add(24 * time.Hour).In(zone).Format(time.RFC3339)}, "never fires: its time is in the past")
		}
		return nil, wrong([]string{"last day of the month at 9am"}, "never fires: there is no such date within %d years", maxYears)
	}
	return s, nil
}

// Restore reads the result of [Schedule.Canonical], even if the schedule does not fire any more.
func Restore(canonical string, zone *time.Location) (*Schedule, error) {
	if zone == nil {
		zone = time.UTC
	}
	return read(canonical, zone, time.Time{})
}

func read(text string, zone *time.Location, now time.Time) (*Schedule, error) {
	switch {
	case len(text) > maxLength:
		return nil, wrong(nil, "is longer than %d bytes", maxLength)
	case strings.TrimSpace(text) == "":
		return nil, wrong([]string{"every weekday at 9am", "0 9 * * 1-5", "every 90m"}, "is empty")
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }):
		return nil, wrong([]string{"every weekday at 9am"}, "may hold only ASCII letters, digits and signs")
	}
	text = strings.Join(strings.Fields(text), " ")
	if at, err := time.Parse(time.RFC3339, strings.ToUpper(text)); err == nil {
		return atMoment(at, zone), nil
	}
	if moment.MatchString(text) {
		near := []string{now.Add(24 * time.Hour).In(zone).Format(time.RFC3339), "tomorrow at 6pm"}
		if _, err := time.Parse("2006-01-02T15:04:05", strings.ToUpper(text)); err == nil {
			return nil, wrong(near, "is a moment without its distance from UTC, such as Z or +01:00")
		}
		return nil, wrong(near, "is no moment of RFC 3339: no calendar or clock shows it, or a part is missing")
	}
	if looksLikeCron(text) {
		return readCron(text, zone, now)
	}
	return readEnglish(strings.ToLower(text), zone, now)
}

// moment matches the beginning of a moment.
var moment = lazyregexp.New(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[tT][0-9]`)

func atMoment(moment time.Time, zone *time.Location) *Schedule {
	local := moment.In(zone)
	return &Schedule{
		zone: zone, canonical: local.Format(time.RFC3339Nano), once: true,
		words: "once, on " + local.Format("Monday 2 January 2006 at 15:04:05 MST"),
		next: func(after time.Time) time.Time {
			if moment.After(after) {
				return local
			}
			return time.Time{}
		},
	}
}

// Next returns the first time after another, in the schedule's zone. It returns zero if there is none within 12
// years.
func (s *Schedule) Next(after time.Time) time.Time { return s.next(after.In(s.zone)) }

// Times returns the next n times after another, or fewer if there are fewer.
func (s *Schedule) Times(after time.Time, n int) []time.Time {
	var list []time.Time
	for len(list) < n {
		if after = s.Next(after); after.IsZero() {
			break
		}
		list = append(list, after)
	}
	return list
}

// Zone returns the zone of the times.
func (s *Schedule) Zone() *time.Location { return s.zone }

// Words returns the schedule in words.
func (s *Schedule) Words() string { return s.words }

// Canonical returns a text that means the same whenever it is read; see [Restore].
func (s *Schedule) Canonical() string { return s.canonical }

// Offsets describes the offsets of a zone from UTC, from a time on, as far as schedules look ahead. Two texts are equal
// only if all times of all schedules are.
func Offsets(zone *time.Location, from time.Time) string {
	var text strings.Builder
	last := ""
	end := from.AddDate(2*maxYears, 0, 0)
	for t := from.In(zone); !t.IsZero() && t.Before(end); t = clockshift.Next(t) {
		name, offset := t.Zone()
		if now := fmt.Sprintln(name, offset); now != last {
			fmt.Fprint(&text, t.Unix(), " ", now)
			last = now
		}
	}
	return text.String()
}

// LoadZone finds a time zone by its IANA name; "" is UTC. It refuses "Local", because another machine may read the
// store.
func LoadZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || strings.EqualFold(name, "local") {
		return nil, errors.New("there is no time zone of this name: write one such as Europe/Vienna or UTC")
	}
	return zone, nil
}
