// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/when"
)

// Bounds of a Spec.
const (
	maxName        = 128
	maxDescription = 4096
	maxTags        = 32
	maxTag         = 64
	maxArguments   = 1 << 20
	maxRetries     = 20
	maxTimeout     = 24 * time.Hour
	maxReminder    = 366 * 24 * time.Hour
	leastAlert     = 10 * time.Second // alerts that depend on the time are looked for as often
	maxCatchUp     = 1000
	maxRuns        = 1_000_000_000
)

// A problem is a fault in a field of a Spec.
type problem struct{ field, message, suggestion string }

// problems finds the faults of a Spec, apart from its schedule and its call.
func (s *Spec) problems(now time.Time) (list []problem) {
	fail := func(field, format string, args ...any) {
		list = append(list, problem{field: field, message: fmt.Sprintf(format, args...)})
	}
	switch {
	case strings.TrimSpace(s.Name) == "":
		fail("name", "must not be empty")
	case len(s.Name) > maxName || !plain(s.Name):
		fail("name", "must have at most %d bytes, no invisible characters, and no space at its ends", maxName)
	}
	if len(s.Description) > maxDescription || !legible(s.Description) {
		fail("description", "must have at most %d bytes and no control characters", maxDescription)
	}
	if len(s.Tags) > maxTags || slices.ContainsFunc(s.Tags, func(t string) bool { return t == "" || len(t) > maxTag || !plain(t) }) {
		fail("tags", "must be at most %d, each of 1 to %d bytes, without invisible characters or a space at its ends", maxTags, maxTag)
	}
	if _, err := call.DecodeArguments(s.arguments(), call.Limits{Bytes: maxArguments}); err != nil {
		fail("arguments", "cannot be used: %v", err)
	}
	if s.MaxRuns < 0 || s.MaxRuns > maxRuns {
		fail("max_runs", "must be between 0 and %d; 0 means any number", maxRuns)
	}
	if !s.Until.IsZero() && !s.Until.After(now) {
		fail("end_date", "is in the past: the job would never run")
	}
	for _, d := range []struct {
		field string
		value Duration
		max   time.Duration
	}{{"timeout", s.Timeout, maxTimeout}, {"backoff", s.Backoff, maxTimeout}, {"jitter", s.Jitter, maxTimeout},
		{"alert_late", s.AlertLate, maxReminder}, {"alert_long", s.AlertLong, maxReminder}, {"alert_reminder", s.AlertReminder, maxReminder}} {
		if d.value < 0 || time.Duration(d.value) > d.max {
			fail(d.field, "must be between 0 and %s", d.max)
		}
	}
	switch {
	case s.Retries < 0 || s.Retries > maxRetries:
		fail("retries", "must be between 0 and %d", maxRetries)
	case s.Retries > 0 && s.AtMostOnce:
		fail("retries", "does not go together with at_most_once: a retry is a second time")
	}
	if len(s.Except) > maxExcept || slices.ContainsFunc(s.Except, func(t string) bool { return t == "" || len(t) > maxEntry || !plain(t) }) {
		fail("except", "must be at most %d names of calendars or times, each of 1 to %d bytes", maxExcept, maxEntry)
	}
	if !slices.Contains([]string{"", when.ShiftNone, when.ShiftBefore, when.ShiftAfter}, s.Shift) {
		fail("shift", "must be none, before or after")
	}
	for _, d := range []struct {
		field string
		value Duration
	}{{"alert_late", s.AlertLate}, {"alert_long", s.AlertLong}, {"alert_reminder", s.AlertReminder}} {
		if d.value > 0 && time.Duration(d.value) < leastAlert {
			fail(d.field, "must be 0s for none, or at least %s", leastAlert)
		}
	}
	if !slices.Contains([]string{"", "skip", "queue", "allow"}, s.Overlap) {
		fail("overlap", "must be skip, queue or allow")
	}
	if !slices.Contains([]string{"", "none", "last", "all"}, s.CatchUp) {
		fail("catch_up", "must be none, last or all")
	}
	if s.CatchUpLimit < 0 || s.CatchUpLimit > maxCatchUp {
		fail("catch_up_limit", "must be between 0 and %d", maxCatchUp)
	}
	return list
}

func (s *Spec) arguments() json.RawMessage {
	if len(s.Arguments) == 0 {
		return json.RawMessage("{}")
	}
	return s.Arguments
}

// decode reads JSON strictly into s. Fields without a key in the text keep their values. An end_date of null removes
// the end date.
func (s *Spec) decode(text []byte) error {
	said, err := jobspec.Decode(text, s)
	if until, given := said["end_date"]; given && until == nil {
		s.Until = time.Time{}
	}
	return err
}

// schedule parses the schedule of a new Spec, apart from what it leaves out.
func (s *Spec) schedule(now time.Time) (*when.Schedule, error) {
	zone, err := when.LoadZone(s.Zone)
	if err != nil {
		return nil, err
	}
	return when.Parse(s.Schedule, zone, now)
}

// restored reads the schedule of a stored job.
func (j *Job) restored() (*when.Schedule, error) {
	zone, err := when.LoadZone(j.Zone)
	if err != nil {
		return nil, err
	}
	schedule, err := when.Restore(j.Canonical, zone)
	if err != nil {
		return nil, err
	}
	return j.open(schedule)
}

// following returns the next time after another at which the job runs, or zero if it does not run any more.
func (j *Job) following(s *when.Schedule, after time.Time) time.Time {
	next := s.Next(after)
	if next.IsZero() || j.FireOnce && j.Fired > 0 || j.MaxRuns > 0 && j.Fired >= j.MaxRuns || !j.Until.IsZero() && next.After(j.Until) {
		return time.Time{}
	}
	return next.UTC()
}

// setNext sets the time of the next run, and of its validation.
func (j *Job) setNext(next, now time.Time, ahead, recheck time.Duration) {
	j.Next, j.CheckAt = next, time.Time{}
	if next.IsZero() || j.State != Active {
		return
	}
	at := next.Add(-ahead)
	if soon := now.Add(recheck); at.Before(soon) {
		at = soon
	}
	if at.Before(next) {
		j.CheckAt = at
	}
}
