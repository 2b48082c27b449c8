// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"time"

	"github.com/toolvet/toolvet/internal/when"
	"github.com/toolvet/toolvet/schedule"
)

// A stamp is a time for people and for programs.
type stamp struct{ ISO, Text, Relative string }

// stampOf returns a time in a zone, nil for none.
func stampOf(t time.Time, zone *time.Location, now time.Time) *stamp {
	if t.IsZero() {
		return nil
	}
	t = t.In(zone)
	layout := "Mon 2 Jan, 15:04"
	if t.Year() != now.In(zone).Year() {
		layout = "Mon 2 Jan 2006, 15:04"
	}
	if t.Second() != 0 {
		layout += ":05"
	}
	return &stamp{ISO: t.Format(time.RFC3339), Text: t.Format(layout + " MST"), Relative: relative(t.Sub(now))}
}

// relative describes how far away a moment is.
func relative(d time.Duration) string {
	switch {
	case d > -time.Second && d < time.Second:
		return "now"
	case d < 0:
		return span(-d) + " ago"
	}
	return "in " + span(d)
}

// span writes a duration in its two largest units.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	two := func(large, small time.Duration, a, b string) string {
		if rest := d % large / small; rest > 0 {
			return fmt.Sprintf("%d %s %d %s", d/large, a, rest, b)
		}
		return fmt.Sprintf("%d %s", d/large, a)
	}
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%d.%d s", d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return two(time.Minute, time.Second, "min", "s")
	case d < day:
		return two(time.Hour, time.Minute, "h", "min")
	case d < 100*day:
		return two(day, time.Hour, "d", "h")
	}
	return fmt.Sprintf("%d d", d/day)
}

// zoneOf returns the zone of a job, or UTC if this machine does not know it.
func zoneOf(j *schedule.Job) *time.Location {
	if zone, err := when.LoadZone(j.Zone); err == nil {
		return zone
	}
	return time.UTC
}

// Tones of statements.
const (
	good    = "good"
	warning = "warning"
	bad     = "bad"
	quiet   = "quiet"
	busy    = "busy"
)

// An outlook is the expected fate of a job's next run.
type outlook struct {
	Tone, Word, Text     string
	Reasons, Fixes, Also []string // why not; possible fixes; warnings
}

// outlookOf returns the outlook of a job.
func outlookOf(j *schedule.Job) outlook {
	var o outlook
	if v := j.Verdict; v != nil {
		o.Also, o.Fixes = v.Warnings, v.Suggestions
		if !v.Valid {
			o.Reasons = v.Errors
		}
	}
	say := func(tone, word, text string) outlook {
		o.Tone, o.Word, o.Text = tone, word, text
		return o
	}
	failing := j.Health.Status == schedule.Failing
	switch {
	case j.State == schedule.Completed:
		return say(quiet, "completed", "Its schedule is over; its last run succeeded.")
	case j.State == schedule.Failed:
		return say(bad, "failed", "Its schedule is over; its last run did not succeed.")
	case j.State == schedule.Paused:
		return say(quiet, "paused", "It does not run until it is resumed.")
	case j.Verdict == nil:
		return say(quiet, "not validated yet", "")
	case j.Health.Status == schedule.Unavailable:
		return say(bad, "server unavailable", "Its server has been unavailable for some time: as of now, its next run will fail.")
	case !j.Verdict.Valid && j.Unvalidated:
		return say(warning, "unvalidated", "It runs although its call is a no-go, because it was made with skip_validation.")
	case !j.Verdict.Valid && (failing || j.Health.Status == schedule.Warned):
		return say(bad, "will be refused", "As of now, its next run will be refused.")
	case !j.Verdict.Valid:
		return say(warning, "cannot be judged", "It is unknown whether its next run will work.")
	case len(j.Verdict.Missing) > 0:
		return say(warning, "will probably fail", "Something that its call needs is missing; it was made with allow_warnings.")
	case failing:
		return say(warning, "last run failed", "Its last run did not succeed; nothing speaks against the next.")
	}
	return say(good, "will run", "Nothing speaks against its next run.")
}

// tones has the tones of the states of runs.
var tones = map[schedule.RunState]string{
	schedule.Queued: busy, schedule.Running: busy, schedule.Succeeded: good, schedule.Skipped: quiet, schedule.Missed: warning,
	schedule.RunFailed: bad, schedule.Refused: bad, schedule.Lost: bad, schedule.Cancelled: quiet,
}

// took tells how long a run took, or has taken so far; "" if it has not begun.
func took(r *schedule.Run, now time.Time) string {
	switch {
	case r.Started.IsZero():
		return ""
	case !r.Ended.IsZero():
		return span(r.Ended.Sub(r.Started))
	case r.State == schedule.Running:
		return span(now.Sub(r.Started)) + " so far"
	}
	return ""
}
