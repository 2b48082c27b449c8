// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/when"
	"github.com/toolvet/toolvet/schedule"
)

const (
	ahead       = 24 // hours of the calendar
	maxUpcoming = 500
	maxTroubled = 100
	// often is the number of runs in these hours above which a job is listed once, not in each hour: every half hour.
	often    = 2 * ahead
	maxShown = 8  // runs of an hour that show at once
	maxHour  = 48 // runs of an hour in the list
)

// An entry is a run in the calendar, or a job that runs often.
type entry struct {
	*schedule.Job
	At      *stamp // in the calendar's zone
	Own     string // the time in the job's own zone, if its clock shows another time
	Outlook outlook
	Often   bool
	time    time.Time
}

// An hour is one row of the calendar.
type hour struct {
	Day, From   string // Day is set for the first hour of a day
	Shown, More []entry
	Unlisted    int // runs beyond those
}

type calendarView struct {
	frame
	Zone, Asked string
	Problem     string // why the page does not use the zone of the request
	Zones       []string
	Troubled    []entry // the first run of each job with a run that will not work
	Often       []entry
	Hours       []hour
	Runs        int
	Partial     bool // more jobs run in these hours, later
}

// calendarPage shows the runs of the coming day.
func (v *visit) calendarPage() error {
	if err := v.may("list", map[string]string{}); err != nil {
		return err
	}
	now := v.cfg.Now()
	zone, view := v.cfg.Zone, calendarView{frame: v.frame("Next 24 hours", "calendar"), Asked: clip(v.r.URL.Query().Get("zone"), 64)}
	if view.Asked != "" {
		if asked, err := when.LoadZone(view.Asked); err == nil {
			zone = asked
		} else {
			view.Problem = err.Error()
		}
	}
	view.Zone = zoneName(zone, now)
	end := now.Add(ahead * time.Hour)
	soon, err := v.jobs.List(v.ctx(), schedule.JobFilter{Before: end, Brief: true, Limit: maxUpcoming + 1})
	if err != nil {
		return err
	}
	if view.Partial = len(soon) > maxUpcoming; view.Partial {
		soon = soon[:maxUpcoming]
	}
	jobs, err := v.troubled(soon, end)
	if err != nil {
		return err
	}
	view.fill(jobs, now, zone)
	return v.show("calendar", view)
}

// troubled adds the jobs with a run that will not work. The page shows them however many others run before them.
func (v *visit) troubled(jobs []*schedule.Job, end time.Time) ([]*schedule.Job, error) {
	for _, health := range []schedule.Status{schedule.Warned, schedule.Unavailable, schedule.Failing} {
		list, err := v.jobs.List(v.ctx(), schedule.JobFilter{Health: health, Before: end, Brief: true, Limit: maxTroubled})
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, list...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(jobs, func(j *schedule.Job) bool {
		again := seen[j.ID]
		seen[j.ID] = true
		return again
	}), nil
}

// fill enters the runs of jobs into the calendar.
func (c *calendarView) fill(jobs []*schedule.Job, now time.Time, zone *time.Location) {
	end := now.Add(ahead * time.Hour)
	var all []entry
	for _, j := range jobs {
		c.addZone(j.Zone)
		o := outlookOf(j)
		var own []entry
		for at := range j.Upcoming() {
			if !at.Before(end) || len(own) > often {
				break
			}
			own = append(own, entryOf(j, at, zone, now, o))
		}
		if len(own) == 0 {
			continue
		}
		if o.Tone == bad {
			c.Troubled = append(c.Troubled, own[0])
		}
		if len(own) > often {
			own[0].Often = true
			c.Often = append(c.Often, own[0])
			continue
		}
		all = append(all, own...)
	}
	c.Runs = len(all)
	slices.SortStableFunc(all, func(a, b entry) int { return a.time.Compare(b.time) })
	slices.Sort(c.Zones)
	c.Hours = hours(all, now, zone)
}

func (c *calendarView) addZone(name string) {
	if name != "" && !slices.Contains(c.Zones, name) && len(c.Zones) < 100 {
		c.Zones = append(c.Zones, name)
	}
}

func entryOf(j *schedule.Job, at time.Time, zone *time.Location, now time.Time, o outlook) entry {
	e := entry{Job: j, Outlook: o, time: at, At: stampOf(at, zone, now)}
	e.At.Text = clock(at.In(zone))
	if own := clock(at); own != e.At.Text {
		e.Own = own + at.Format(" MST")
	}
	return e
}

// clock returns the time that a clock shows.
func clock(t time.Time) string {
	if t.Second() != 0 {
		return t.Format("15:04:05")
	}
	return t.Format("15:04")
}

// hours returns the rows of the calendar, from the current hour on.
func hours(all []entry, now time.Time, zone *time.Location) []hour {
	local := now.In(zone)
	from := local.Add(-time.Duration(local.Minute())*time.Minute - time.Duration(local.Second())*time.Second - time.Duration(local.Nanosecond()))
	var rows []hour
	day := ""
	for range ahead + 1 {
		row, to := hour{From: from.Format("15:04")}, from.Add(time.Hour)
		if d := from.Format("Monday 2 January"); d != day {
			day, row.Day = d, d
		}
		n := 0
		for n < len(all) && all[n].time.Before(to) {
			n++
		}
		row.Shown = all[:min(n, maxShown)]
		row.More = all[len(row.Shown):min(n, maxHour)]
		row.Unlisted = n - len(row.Shown) - len(row.More)
		all, from = all[n:], to
		rows = append(rows, row)
	}
	return rows
}

// zoneName returns the name of a zone for people.
func zoneName(zone *time.Location, now time.Time) string {
	if zone == time.Local {
		return "the time of toolvet's machine, " + now.In(zone).Format("MST")
	}
	return zone.String()
}
