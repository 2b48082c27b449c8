// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"slices"
	"strings"
	"time"
)

// The grammar: a text is a list of clauses in any order, with commas between them if the writer likes. Each clause
// fills fields of [phrase] that no other clause may fill; [phrase.schedule] judges what they mean together.
//
//	clause   = every | adverb | [ "at" ] times | window | days | date | start | months | exception | "in" duration
//	every    = ( "every" | "each" | "once a" ) ( period | n unit | ordinal unit | weekdays | date | ordinals )
//	times    = time { ( "," | "and" ) time }
//	window   = [ "from" | "between" ] time ( "to" | "until" | "and" ) time
//	ordinals = [ "the" ] ordinal { "and" ordinal } [ "day" | weekdays ] { "and" ordinals } [ "of" months ]
//	start    = ( "from" | "starting" ) ( date | weekday | moment )

// A phrase is what the clauses of a text have said. A zero field was not said.
type phrase struct {
	calendar
	period   string        // every "day", "week", "month" or "year"
	count    int           // times in the period: twice a day
	repeated bool          // the weekdays or dates are meant again and again
	scoped   bool          // the ordinals are said to be of a month
	quarter  bool          // of a quarter
	interval time.Duration // between two times
	window   []clock       // its begin and end
	past     *clock        // the minute of each hour
	part     string        // of the day: morning
	bare     []bare        // times, before the part of the day is known
	day      time.Time     // of a single time, a naive midnight
	dayOnly  bool          // day is certain, not the next of this date
	after    *span         // from now
	moment   time.Time     // at which an interval begins
}

// every reads a clause behind "every".
func (p *parser) every() bool {
	p.took("single")
	said := &p.said
	period := func(name string) bool {
		p.once(said.period != "", "a period")
		said.period = name
		return true
	}
	step := func(n int, unit string) {
		p.once(said.step != 0, "an interval")
		if n < 1 || n > maxDays {
			p.fail([]string{"every 3 days at 9am"}, "has an interval that is not between a day and ten years")
		}
		if n == 1 {
			period(unit)
			return
		}
		said.step, said.unit = n, unit
	}
	measured := func(s span) bool {
		switch kinds := btoi(s.clock != 0) + btoi(s.days != 0) + btoi(s.weeks != 0) + btoi(s.months != 0); {
		case kinds > 1:
			p.fail([]string{"every 90m", "every 3 days at 9am"}, "mixes hours, days, weeks or months in one interval")
		case s.days != 0:
			step(s.days, "day")
		case s.weeks != 0:
			step(s.weeks, "week")
		case s.months != 0:
			step(s.months, "month")
		default:
			p.once(said.interval != 0, "an interval")
			if said.interval = s.clock; s.clock < time.Second || s.clock > 366*24*time.Hour {
				p.fail([]string{"every 90m", "every 2 hours"}, "has an interval that is not between a second and a year")
			}
		}
		return true
	}
	if _, ok := parts[p.peek()]; ok {
		p.partOfDay()
		return period("day")
	}
	if (p.peek() == "day" || p.peek() == "month" || p.peek() == "year" || p.peek() == "week" && p.at(1) != "day") && p.took(p.peek()) {
		return period(p.words[p.i-1])
	}
	if p.peek() == "fortnight" {
		p.i++
		step(2, "week")
		return true
	}
	if p.try(func() bool { // every other, every third
		n := 2
		if !p.took("other") {
			var ok bool
			if n, ok = p.ordinal(); !ok || n < 2 {
				return false
			}
		}
		var s span
		switch {
		case p.unit(n, &s):
			if p.peek() == "of" {
				return false // every third day of the month
			}
			measured(s)
		case p.peek() == "weekday" || p.peek() == "weekend":
			p.fail([]string{"every 2 weeks on saturday and sunday at noon", "every other day at 9am"}, "counts weekdays or weekends: name the days")
		case p.weekdays(true):
			if p.peek() == "of" || p.peek() == "in" {
				return false // every second tuesday of the month
			}
			step(n, "week")
		default:
			return false
		}
		return true
	}) {
		return true
	}
	if p.try(func() bool { list, ok := p.yearly(); return ok && p.dated(list) }) {
		return true
	}
	if p.try(func() bool { return p.ordinals(true) && said.scoped }) {
		return true
	}
	if p.try(func() bool {
		s, ok := p.duration()
		return ok && measured(s)
	}) {
		return true
	}
	if p.weekdays(true) {
		return true
	}
	if mask, ok := p.months(); ok {
		p.setMonths(mask)
		said.scoped = true
		return true
	}
	if p.ordinals(true) {
		p.fail([]string{"first day of the month at 10am", "on the 15th of every month at 9am"}, "does not say of which month")
	}
	return false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// clause reads one clause.
func (p *parser) clause() bool {
	said := &p.said
	period := func(name string) bool {
		p.once(said.period != "", "a period")
		said.period = name
		return true
	}
	word := p.peek()
	switch word {
	case "every", "all":
		p.i++
		return p.every()
	case "daily", "weekly", "monthly", "yearly", "nightly":
		p.i++
		if word == "nightly" {
			p.setPart("night")
			word = "daily"
		}
		return period(map[string]string{"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}[word])
	case "hourly":
		p.i++
		p.once(said.interval != 0, "an interval")
		said.interval = time.Hour
		return true
	case "fortnightly":
		p.i++
		p.once(said.step != 0, "an interval")
		said.step, said.unit = 2, "week"
		return true
	case "biweekly", "bimonthly":
		p.fail([]string{"every 2 weeks on monday at 9am", "every 2 months on the 1st at 9am"}, "has a word that may mean twice in one or once in two: %s", word)
	case "quarterly":
		p.fail([]string{"first day of the quarter at 9am"}, "does not say on which day of the quarter")
	case "from", "starting", "counted":
		p.i++
		if word == "from" && p.try(func() bool {
			b, ok := p.time()
			return ok && p.windowEnd(b, "to", "until", "-")
		}) {
			return true
		}
		if word == "from" && p.try(func() bool {
			mask, plain, ok := p.daysOfWeek()
			if !ok || plain {
				return false
			}
			p.once(said.weekdays != 0, "days of the week")
			said.weekdays, said.repeated = mask, true
			return true
		}) {
			return true
		}
		if word == "from" && monthNames[p.peek()] != 0 && (p.at(1) == "to" || p.at(1) == "-") {
			mask, ok := p.months()
			if ok {
				p.setMonths(mask)
			}
			return ok
		}
		return p.start()
	case "between":
		p.i++
		b, ok := p.time()
		return ok && p.windowEnd(b, "and", "to")
	case "except", "but", "apart", "not":
		p.i++
		if word == "not" && (p.i == 1 || p.peek() != "on") {
			return false
		}
		if word == "but" {
			p.took("not")
		} else if word == "apart" && !p.took("from") {
			return false
		}
		p.took("on", "for")
		mask, _, ok := p.daysOfWeek()
		if ok {
			p.once(said.except != 0, "an exception")
			said.except = mask
		}
		return ok
	case "until":
		p.fail([]string{"every day at 9am"}, "has an end: give it as the job's end_date")
	case "in":
		p.i++
		if p.seq("the") {
			part := p.take("morning", "afternoon", "evening")
			if part != "" {
				p.setPart(part)
			}
			return part != ""
		}
		if mask, ok := p.months(); ok {
			p.setMonths(mask)
			return true
		}
		s, ok := p.duration()
		if ok {
			said.after = &s
		}
		return ok
	case "this", "tonight":
		p.i++
		part := "night"
		if word == "this" {
			part = p.take("morning", "afternoon", "evening")
		}
		if part == "" {
			return false
		}
		p.setPart(part)
		p.single(midnight(naive(p.now.In(p.zone))), true)
		if word == "tonight" {
			said.part = "tonight"
		}
		return true
	}
	if p.try(func() bool { // once a day, twice daily, three times a week, once every
		n := 0
		switch {
		case p.took("once"):
			n = 1
		case p.took("twice"):
			n = 2
		default:
			var ok bool
			if n, ok = p.number(); !ok || p.peek() != "time" && p.peek() != "times" {
				return false
			}
			p.i++
		}
		p.took(",")
		if !p.took("a", "an", "per") {
			return p.peek() == "every" && n == 1 || p.peek() == "daily" && p.count(n) || n == 1 && (p.peek() == "on" || strings.Count(p.peek(), "-") == 2)
		}
		if n == 1 && p.took("hour") {
			said.interval = time.Hour
			return true
		}
		if !slices.Contains([]string{"day", "week", "month", "year"}, p.peek()) {
			return false
		}
		p.i++
		return p.count(n) && period(p.words[p.i-1])
	}) {
		return true
	}
	if p.try(func() bool {
		s, ok := p.duration()
		if ok = ok && p.seq("from now"); ok {
			said.after = &s
		}
		return ok
	}) {
		return true
	}
	at, on := p.took("at"), false
	if !at {
		on = p.took("on")
	}
	if on && p.took("every") {
		return p.every()
	}
	if p.pastHour() {
		return true
	}
	if !at && p.try(func() bool { // dates before times: 24 december
		saved := p.i
		if day, certain, ok := p.date(); ok {
			if p.peek() == "and" || p.peek() == "every" || said.period == "year" {
				p.i = saved
				list, ok := p.yearly()
				return ok && (p.peek() == "every" || said.period == "year") && p.dated(list)
			}
			p.single(day, certain)
			return !p.partOfDay()
		}
		list, ok := p.yearly()
		return ok && (p.peek() == "every" || said.period == "year") && p.dated(list)
	}) {
		return true
	}
	if !on && p.times() {
		return true
	}
	if !at && p.ordinals(false) {
		return true
	}
	return (!at || p.peek() == "weekend") && p.weekdays(false)
}

func (p *parser) count(n int) bool {
	p.said.count = n
	return true
}
