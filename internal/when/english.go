// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// forms are the forms of a schedule, with one example each.
var forms = []string{
	"every day at 9am", "every weekday at 9am", "every weekend at noon", "every monday and thursday at 9:30",
	"every day except sunday at 8am", "every day at 6:30 and 18:30", "every 2 hours", "every 3 days at 9am",
	"every 15 minutes from 9am to 5pm on weekdays", "every other monday at 9am",
	"in 5 minutes", "tomorrow at noon", "on 2026-12-24 at 18:00", "every year on december 24 at 6pm",
	"first day of the month at 10am", "last friday of the month at 5pm", "on the 15th day of every month at 9am",
}

// near returns at most three forms that share words with a text.
func near(words []string) []string {
	type scored struct {
		form  string
		score int
	}
	var best [3]scored
	for _, f := range forms {
		s := scored{f, 0}
		for _, w := range strings.Fields(f) {
			if w != "at" && w != "every" && slices.Contains(words, w) {
				s.score += 2
			} else if slices.Contains(words, w) {
				s.score++
			}
		}
		for i := range best {
			if s.score > best[i].score || best[i].form == "" {
				s, best[i] = best[i], s
			}
		}
	}
	return []string{best[0].form, best[1].form, best[2].form}
}

func readEnglish(text string, zone *time.Location, now time.Time) (s *Schedule, err error) {
	words, ok := lex(text)
	if !ok {
		return nil, wrong(near(strings.Fields(text)), "holds signs that are not understood")
	}
	p := &parser{words: words, zone: zone, now: now}
	defer func() {
		switch stopped := recover().(type) {
		case nil:
		case stop:
			s, err = nil, stopped.err
		default:
			panic(stopped)
		}
	}()
	p.took("run")
	for p.i < len(p.words) {
		if p.took(",") && p.i > 1 && p.i < len(p.words) {
			continue
		}
		if !p.try(p.clause) {
			expected := "nothing more, or a day or time,"
			if p.i == 0 {
				expected = "every, on, in, at or a date"
			}
			p.confused(expected)
		}
	}
	return p.schedule(), nil
}

const maxDays = 3660

// schedule judges what the clauses mean together.
func (p *parser) schedule() *Schedule {
	said := &p.said
	switch {
	case said.after != nil && said.after.clock == 0 && said.bare != nil && said.day.IsZero(): // in 2 days at 9am
		said.day, said.dayOnly = midnight(naive(p.later(*said.after))), true
		said.after = nil
	case said.after != nil:
		p.only(phrase{after: said.after})
		return atMoment(p.later(*said.after).Truncate(time.Second), p.zone)
	}
	for _, b := range said.bare {
		part := said.part
		if part == "tonight" {
			part = "night"
			if b.half == "" && b.hour < 6 {
				p.fail([]string{"tomorrow at 2am"}, "may mean this night or the coming one")
			}
		}
		at := p.resolve(b, part)
		if cmp.Or(b.part, part) == "night" && at < clock((parts["night"][1]-24)*3600) && (said.part != "tonight" && !said.day.IsZero() || said.weekdays|said.except != 0 || said.rules != nil) {
			p.fail([]string{"every friday at 11pm", "every saturday at 1am"}, "has a time after midnight in the night of a day: it may mean that day or the next")
		}
		said.times = append(said.times, at)
	}
	times := len(said.times) // in a period
	if said.period == "week" {
		times *= max(bits.OnesCount8(said.weekdays&^said.except), 1)
	}
	switch {
	case said.count > 0 && times > 0 && said.count != times, said.count > 1 && said.period != "day" && said.period != "week", said.count > 1 && said.interval != 0:
		p.fail([]string{"every day at 9am and 5pm", "every monday and thursday at 9:30"}, "has another number of times than it says")
	case !said.day.IsZero() && !said.dayOnly && said.period == "year": // december 24 at 6pm every year
		p.once(said.rules != nil, "a date")
		said.rules = []rule{{month: said.day.Month(), n: said.day.Day()}}
	case !said.day.IsZero() && said.repeated:
		p.fail(near(p.words), "has one date and repeated days: make a job for each")
	case !said.day.IsZero():
		return p.dayAt()
	case said.interval != 0:
		return p.repeats()
	case said.window != nil:
		p.fail([]string{"every hour from 9am to 5pm"}, "does not say how often from one time to the other")
	case !said.moment.IsZero():
		p.fail([]string{"every 2 hours from 2026-12-24T18:00:00Z", "every 2 days from 2026-12-24 at 6pm"}, "begins at a moment, which only an interval of hours, minutes or seconds does")
	}
	c := p.days()
	if len(c.times) == 0 {
		if c.days() == "every day" && said.period == "" {
			p.confused("every, on, in, at or a date")
		}
		p.fail([]string{c.days() + " at 9am", c.days() + " at 18:30"}, "does not say at what time")
	}
	return c.schedule(p.zone)
}

// only fails if the clauses have said more than a phrase.
func (p *parser) only(want phrase) {
	s := p.said
	if s.period != want.period || s.interval != want.interval || s.window != nil || s.past != nil || s.part != "" || s.bare != nil || !s.day.IsZero() ||
		s.weekdays != 0 || s.except != 0 || s.rules != nil || s.months != 0 || s.step != 0 || s.count > 1 || s.after != want.after ||
		!s.anchor.IsZero() && want.anchor.IsZero() || !s.moment.IsZero() && want.moment.IsZero() {
		p.fail(near(p.words), "says more than one thing: make a job for each")
	}
}

// later adds a span to now.
func (p *parser) later(s span) time.Time {
	days := s.days + 7*s.weeks
	switch {
	case s.clock == 0 && days == 0 && s.months == 0:
		p.fail([]string{"in 5 minutes"}, "is for now, not for later")
	case days > maxDays || s.months > maxDays/30 || s.clock > maxDays*24*time.Hour:
		p.fail([]string{"2030-06-01T09:00:00Z"}, "is more than ten years away")
	}
	local := p.now.In(p.zone)
	at := local.AddDate(0, s.months, days)
	if s.months > 0 && days == 0 && local.Day() != at.Day() {
		p.fail([]string{"in 30 days", "last day of the month at 9am"}, "means a day that the month does not have")
	}
	return at.Add(s.clock)
}

// dayAt returns the schedule of a single time.
func (p *parser) dayAt() *Schedule {
	s := p.said
	times, weekdays, day := s.times, s.weekdays, s.day
	p.said.bare, p.said.weekdays, p.said.day, p.said.part = nil, 0, time.Time{}, ""
	p.only(phrase{})
	date := "on " + day.Format(time.DateOnly)
	switch {
	case len(times) == 0:
		p.fail([]string{date + " at 9am", date + " at 18:30"}, "does not say at what time")
	case len(times) > 1:
		p.fail([]string{"every day at 6:30 and 18:30"}, "is one day with more than one time: make a job for each")
	}
	at := func() time.Time { return instant(day.Add(time.Duration(times[0])*time.Second), p.zone) }
	for n := 0; !s.dayOnly && !at().After(p.now) && n < 8; n++ { // the next of this date
		for day = day.AddDate(1, 0, 0); day.Day() != s.day.Day(); {
			day = time.Date(day.Year()+1, s.day.Month(), s.day.Day(), 0, 0, 0, 0, time.UTC)
		}
	}
	if weekdays != 0 && weekdays != 1<<day.Weekday() {
		p.fail([]string{date + " at 9am"}, "names a date that is a %s", day.Weekday())
	}
	return atMoment(at(), p.zone)
}

func midnight(n time.Time) time.Time { return n.Truncate(24 * time.Hour) }

// repeats returns an interval: by itself it counts from now, and on some days or in some hours it begins with these.
func (p *parser) repeats() *Schedule {
	s := &p.said
	if s.bare != nil {
		p.fail([]string{"every 2 hours", "every hour from 9am to 5pm", "every day at 9am"}, "has both an interval and a time")
	}
	if s.window == nil && s.past == nil && s.weekdays == 0 && s.except == 0 && s.rules == nil && s.months == 0 && s.period == "" && s.step == 0 {
		p.only(phrase{calendar: calendar{anchor: s.anchor}, interval: s.interval, moment: s.moment})
		switch {
		case !s.moment.IsZero() && s.anchor.IsZero():
			return every(s.interval, s.moment, p.zone)
		case !s.anchor.IsZero() && s.moment.IsZero():
			return every(s.interval, instant(s.anchor, p.zone), p.zone)
		case !s.anchor.IsZero():
			p.fail(near(p.words), "has a begin twice")
		}
		return every(s.interval, p.now.Truncate(time.Second), p.zone)
	}
	step := clock(s.interval / time.Second)
	from, to := clock(0), clock(24*3600-1)
	switch {
	case s.past != nil && s.interval != time.Hour:
		p.fail([]string{"every hour at minute 15"}, "has a minute of the hour, but no interval of an hour")
	case s.window != nil && s.past == nil:
		from, to = s.window[0], s.window[1]
		if from >= to {
			p.fail([]string{"every hour from 9am to 5pm"}, "has a range of times that ends before it begins")
		}
	case s.window != nil:
		p.fail([]string{"every hour from 9:15 to 17:15"}, "has both minutes of the hour and a range of times")
	case s.past != nil:
		from = *s.past
	case step == 0 || 24*3600%step != 0:
		p.fail([]string{"every 10 minutes from 9am to 5pm"}, "has an interval that does not divide a day")
	}
	if !s.moment.IsZero() {
		p.fail([]string{"every 2 hours from 2026-12-24T18:00:00Z"}, "begins at a moment, which only an interval by itself does")
	}
	if (to-from)/max(step, 1) > 1440 {
		p.fail([]string{"every 30 seconds"}, "fires more often in a day than every minute")
	}
	c := p.days()
	for t := from; t <= to; t += step {
		c.times = append(c.times, t)
	}
	if len(c.times) > 1 {
		c.interval = step
	}
	return c.schedule(p.zone)
}

// every returns the schedule of an interval.
func every(interval time.Duration, anchor time.Time, zone *time.Location) *Schedule {
	return &Schedule{
		zone:      zone,
		canonical: fmt.Sprintf("every %s from %s", interval, anchor.UTC().Format(time.RFC3339)),
		words:     fmt.Sprintf("every %s, counted from %s", spoken(interval), anchor.In(zone).Format("2006-01-02 15:04:05 MST")),
		next: func(after time.Time) time.Time {
			n := time.Duration(0)
			if since := after.Sub(anchor); since > 0 {
				n = since / interval
			} else if since < 0 {
				return anchor.In(zone)
			}
			return anchor.Add((n + 1) * interval).In(zone)
		},
	}
}

// days returns the calendar of the days that the clauses name.
func (p *parser) days() *calendar {
	s := &p.said
	c := &s.calendar
	dated := slices.ContainsFunc(c.rules, func(r rule) bool { return r.month != 0 })
	if s.quarter {
		c.months = 1<<time.January | 1<<time.April | 1<<time.July | 1<<time.October
		if c.rules[0].n < 0 {
			c.months = 1<<time.March | 1<<time.June | 1<<time.September | 1<<time.December
		}
		for _, r := range c.rules {
			if r.n != c.rules[0].n || r.weekdays != 0 || r.n != 1 && r.n != -1 {
				p.fail([]string{"first day of the quarter at 9am", "0 9 15 1,4,7,10 *"}, "names a day of a quarter that is neither its first nor its last")
			}
		}
	}
	switch {
	case s.scoped && c.rules == nil && s.period != "month":
		if c.weekdays == 0 {
			p.fail([]string{"every january 1 at 9am", "every day in january at 9am"}, "does not say on which day of the month")
		}
	case s.period == "week" && (c.weekdays == 0 || c.rules != nil || c.step != 0):
		p.fail([]string{"every monday at 9am"}, "does not say on which day of the week")
	case (s.period == "month" || c.unit == "month") && (c.rules == nil || dated):
		p.fail([]string{"first day of the month at 9am", "every 3 months on the 15th at 9am"}, "does not say on which day of the month")
	case s.period == "year" && !dated && c.months == 0:
		p.fail([]string{"every year on december 24 at 6pm"}, "does not say on which day of the year")
	case c.rules != nil && (c.weekdays != 0 || c.except != 0 || s.period == "day" || c.step != 0 && c.unit != "month"):
		p.fail(near(p.words), "has days of the month and of the week: make a job for each")
	case dated && (c.months != 0 || c.step != 0 || s.period == "month"):
		p.fail(near(p.words), "has a date and a month")
	case c.rules != nil && !dated && !s.scoped && s.period != "month" && c.unit != "month":
		p.fail([]string{"first day of the month at 10am", "last friday of the month at 5pm"}, `does not say of what: "of the month" may stand there`)
	case c.step != 0 && (s.period != "" || c.months != 0 || c.except != 0):
		p.fail([]string{"every 3 days at 9am", "every other monday at 9am"}, "has an interval of days and more: make a job for each")
	case c.unit == "day" && c.weekdays != 0:
		p.fail([]string{"every other monday at 9am", "every 2 weeks on monday at 9am"}, "has an interval of days and a day of the week")
	case c.weekdays != 0 && !s.repeated && s.period == "" && c.unit != "week" && s.interval == 0:
		day := midnight(naive(p.now.In(p.zone)))
		for day = day.AddDate(0, 0, 1); c.weekdays&(1<<day.Weekday()) == 0; {
			day = day.AddDate(0, 0, 1)
		}
		p.fail([]string{"every " + strings.ToLower(day.Weekday().String()) + " at 9am", day.Format("on "+time.DateOnly) + " at 9am"}, "may mean one day or every week")
	case s.period == "" && c.weekdays == 0 && c.rules == nil && c.step == 0 && s.interval == 0:
		p.confused("every, on, in, at or a date")
	}
	all := c.weekdays
	if all == 0 {
		all = 127
	}
	if all&^c.except == 0 {
		p.fail([]string{"every day except sunday at 8am"}, "never fires: all its days are left out")
	}
	if c.unit == "week" && c.weekdays == 0 { // as many days
		c.unit, c.step = "day", 7*c.step
	}
	if c.step > maxDays {
		p.fail([]string{"every 3 days at 9am"}, "has an interval that is not between a day and ten years")
	}
	if c.step != 0 {
		p.anchor(c)
	}
	return c
}

// anchor sets the day from which an interval of days, weeks or months counts: today, or the first day that it may
// fire.
func (p *parser) anchor(c *calendar) {
	after := naive(p.now.In(p.zone))
	if c.unit == "day" {
		if c.anchor.IsZero() {
			c.anchor = midnight(after)
		}
		return
	}
	first := *c
	first.step = 0
	if first.times == nil {
		first.times = []clock{0}
	}
	if !c.anchor.IsZero() {
		after = c.anchor.Add(-time.Second)
	}
	if c.anchor = midnight(first.next(after)); c.anchor.Year() < firstYear {
		p.fail([]string{"last day of the month at 9am"}, "never fires: there is no such date within %d years", maxYears)
	}
}

func spoken(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if d == u.size {
			return u.name
		}
		if d%u.size == 0 {
			return fmt.Sprintf("%d %ss", d/u.size, u.name)
		}
	}
	return d.String()
}
