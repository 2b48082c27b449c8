// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/blackout"
	"github.com/toolvet/toolvet/internal/when"
)

// Bounds of [Spec.Except].
const (
	maxExcept = 32
	maxEntry  = 64
)

// checkCalendars refuses calendars that no job could use.
func checkCalendars(calendars map[string][]string) error {
	for _, name := range slices.Sorted(maps.Keys(calendars)) {
		if name == "" || len(name) > maxEntry || !plain(name) || blackout.Is(name) {
			return fmt.Errorf("the calendar %q needs another name: 1 to %d visible characters that are no date or time", name, maxEntry)
		}
		if _, err := blackout.Parse(calendars[name]); err != nil {
			return fmt.Errorf("the calendar %q: %w", name, err)
		}
	}
	return nil
}

// closed returns the entries behind the names in [Spec.Except].
func (s *Scheduler) closed(spec *Spec) ([]string, error) {
	var list []string
	for _, entry := range spec.Except {
		entries, ok := s.cfg.Calendars[entry]
		if !ok {
			entries = []string{entry}
			if !blackout.Is(entry) {
				near := "the policy has none: write days as 2026-12-25, 12-25, weekend or 2026-12-24..2027-01-02"
				if len(s.cfg.Calendars) > 0 {
					near = "write one of " + strings.Join(slices.Sorted(maps.Keys(s.cfg.Calendars)), ", ") + ", or days as 2026-12-25, 12-25, weekend or 2026-12-24..2027-01-02"
				}
				return nil, fmt.Errorf("%.60q is no calendar and no time: %s", entry, near)
			}
		}
		list = append(list, entries...)
	}
	_, err := blackout.Parse(list)
	return list, err
}

// except adds what a job leaves out to its schedule.
func (s *Spec) except(schedule *when.Schedule, closed []string, now time.Time) (*when.Schedule, error) {
	if len(closed) == 0 {
		return schedule, nil
	}
	c, err := blackout.Parse(closed)
	if err != nil {
		return nil, err
	}
	return schedule.Except(c, s.Shift, now)
}

// open adds what a stored job leaves out to its schedule.
func (j *Job) open(schedule *when.Schedule) (*when.Schedule, error) {
	c, err := blackout.Parse(j.Closed)
	if err != nil {
		return nil, errors.New("the times that it leaves out cannot be read: " + err.Error())
	}
	return schedule.Without(c, j.Shift), nil
}

// inWords repeats a schedule and what is left out of it.
func (s *Spec) inWords(schedule *when.Schedule) string {
	if len(s.Except) == 0 {
		return schedule.Words()
	}
	text := schedule.Words() + ", except " + strings.Join(s.Except, ", ")
	switch s.Shift {
	case when.ShiftBefore:
		return text + ", when it runs on the last open day before"
	case when.ShiftAfter:
		return text + ", when it runs on the next open day"
	}
	return text
}

// recall gives a job the calendars as they are now. A calendar that is gone stays with the job.
func (s *Scheduler) recall(j *Job) {
	if len(j.Except) == 0 {
		return
	}
	closed, err := s.closed(&j.Spec)
	if err != nil {
		s.log.Warn("a job keeps the calendars that it was made with", "job", j.Name, "err", err)
		return
	}
	j.Closed = closed
}

// recall does so unless another worker has a newer policy.
func (e *engine) recall(j *Job) {
	e.mu.Lock()
	old := slices.ContainsFunc(e.fleet, func(w *Worker) bool { return w.Policy != e.self.Policy && w.Since.After(e.self.Since) })
	e.mu.Unlock()
	if !old {
		e.Scheduler.recall(j)
	}
}
