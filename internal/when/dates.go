// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"strconv"
	"strings"
	"time"
)

// daysOfWeek reads a list of weekdays: names, ranges, weekday and weekend. Plain says that it is one name in the
// singular.
func (p *parser) daysOfWeek() (mask uint8, plain, ok bool) {
	members := 0
	plain = true
	ok = p.list(func() bool {
		if p.took("on", "every") && members == 0 {
			return false
		}
		members++
		if p.took("weekday") || p.seq("week day") || p.seq("working day") || p.seq("business day") || p.seq("work day") {
			mask, plain = mask|weekdayMask, false
			return true
		}
		if p.took("weekend") {
			mask, plain = mask|weekendMask, false
			return true
		}
		from, ok := dayNames[p.peek()]
		if !ok {
			return false
		}
		if members > 1 || p.peek() == strings.ToLower(from.String())+"s" {
			plain = false
		}
		p.i++
		to := from
		if p.try(func() bool {
			if !p.took("to", "-") {
				return false
			}
			day, ok := dayNames[p.peek()]
			if ok {
				to = day
				p.i++
			}
			return ok
		}) {
			plain = false
		}
		for d := from; ; d = (d + 1) % 7 {
			mask |= 1 << d
			if d == to {
				return true
			}
		}
	})
	return mask, plain, ok
}

// weekdays reads the clause of the weekdays.
func (p *parser) weekdays(repeated bool) bool {
	mask, plain, ok := p.daysOfWeek()
	if ok {
		p.once(p.said.weekdays != 0, "days of the week")
		p.said.weekdays = mask
		p.said.repeated = p.said.repeated || repeated || !plain
		p.said.repeated = p.partOfDay() || p.said.repeated
	}
	return ok
}

// months reads a list or a range of months.
func (p *parser) months() (mask uint16, ok bool) {
	ok = p.list(func() bool {
		from, ok := monthNames[p.peek()]
		if !ok {
			return false
		}
		p.i++
		to := from
		p.try(func() bool {
			if !p.took("to", "-") || monthNames[p.peek()] == 0 {
				return false
			}
			to = monthNames[p.peek()]
			p.i++
			return true
		})
		if _, number := p.number(); number {
			return false // a date
		}
		for m := from; ; m = m%12 + 1 {
			mask |= 1 << m
			if m == to {
				return true
			}
		}
	})
	return mask, ok
}

func (p *parser) setMonths(mask uint16) {
	p.once(p.said.months != 0, "months")
	p.said.months = mask
}

// yearly reads a list of dates without a year: december 24, 24 december, the 24th of december.
func (p *parser) yearly() (list []rule, ok bool) {
	ok = p.list(func() bool {
		p.took("the")
		day := func() (n int, ok bool) {
			p.took("the")
			if n, ok = p.ordinal(); !ok {
				n, ok = p.number()
			}
			return n, ok && n >= 1 && n <= 31
		}
		month, first := monthNames[p.peek()]
		if first {
			p.i++
		}
		n, ok := day()
		if !first {
			p.took("of")
			month = monthNames[p.peek()]
			p.i++
		}
		if ok = ok && month != 0; ok {
			list = append(list, rule{month: month, n: n})
		}
		return ok
	})
	return list, ok
}

// date reads a single day: today, 2026-12-24, december 24, next monday.
func (p *parser) date() (day time.Time, certain, ok bool) {
	today := midnight(naive(p.now.In(p.zone)))
	ok = p.try(func() bool {
		certain = true
		if p.seq("the day after tomorrow") || p.seq("day after tomorrow") {
			day = today.AddDate(0, 0, 2)
			return true
		}
		switch p.peek() {
		case "today":
			day = today
		case "tomorrow":
			day = today.AddDate(0, 0, 1)
		case "next":
			weekday, ok := dayNames[p.at(1)]
			if !ok {
				return false
			}
			// the next of its name, unless the next week has another
			ahead := (int(weekday-today.Weekday())+6)%7 + 1
			sunday := 7 - int(today.Weekday()) + int(weekday)
			monday := 7 - int(today.Weekday()+6)%7 + int(weekday+6)%7
			if ahead != sunday || ahead != monday {
				form := "on " + today.AddDate(0, 0, ahead).Format(time.DateOnly) + " at 9am"
				p.fail([]string{form}, "may mean the coming %s or the one of the next week", weekday)
			}
			p.i++
			day = today.AddDate(0, 0, ahead)
		default:
			date, err := time.Parse(time.DateOnly, strings.ReplaceAll(p.peek(), "/", "-"))
			if err == nil {
				day = date
				break
			}
			saved := p.i
			list, ok := p.yearly()
			if !ok || len(list) != 1 {
				p.i = saved
				return false
			}
			certain = false
			year := today.Year()
			p.try(func() bool {
				p.took(",")
				n, err := strconv.Atoi(p.peek())
				if err != nil || n < firstYear || n > 9999 || len(p.peek()) != 4 {
					return false
				}
				year, certain = n, true
				p.i++
				if u := p.peek(); u == "hour" || u == "h" || u == "am" || u == "pm" {
					year, certain = today.Year(), false
					return false
				}
				return true
			})
			for last := year + 8; ; year++ {
				day = time.Date(year, list[0].month, list[0].n, 0, 0, 0, 0, time.UTC)
				if day.Day() == list[0].n && (certain || !day.Before(today)) {
					return true
				}
				if certain || year == last {
					p.fail([]string{"last day of the month at 9am"}, "names a date that the calendar does not have")
				}
			}
		}
		p.i++
		return true
	})
	return day, certain, ok
}

// single sets the day of a single time.
func (p *parser) single(day time.Time, certain bool) {
	p.once(!p.said.day.IsZero(), "a date")
	p.said.day, p.said.dayOnly = day, certain
}

// ordinals reads days of a month by number: the 1st and 15th, first monday, last day of the month.
func (p *parser) ordinals(repeated bool) bool {
	var list []rule
	group := func() bool {
		var ns []int
		if p.try(func() bool {
			n, ok := 0, p.took("day")
			if ok {
				n, ok = p.number()
			}
			ns = []int{n}
			return ok && n >= 1 && n <= 31
		}) {
			list = append(list, rule{n: ns[0]})
			return true
		}
		ns = nil
		if !p.list(func() bool {
			p.took("the")
			n, ok := p.ordinal()
			if ok = ok && n <= 31 && n >= -31; ok {
				ns = append(ns, n)
			}
			return ok
		}) {
			return false
		}
		nth := func(mask uint8, working bool) {
			for _, n := range ns {
				if n > 5 || n < -5 {
					p.fail([]string{"last friday of the month at 5pm"}, "names a day of the week that no month has so often")
				}
				for d := range time.Weekday(7) {
					if !working && mask&(1<<d) != 0 {
						list = append(list, rule{n: n, weekdays: 1 << d})
					}
				}
				if working {
					list = append(list, rule{n: n, weekdays: weekdayMask})
				}
			}
		}
		switch {
		case p.took("day"):
		case p.took("weekday") || p.seq("week day"):
			nth(weekdayMask, true)
			return true
		case p.peek() == "working" || p.peek() == "business":
			p.fail([]string{"first weekday of the month at 9am"}, "asks for a business day, but knows no holidays")
		case p.peek() == "weekend":
			p.fail([]string{"first saturday of the month at 9am", "last sunday of the month at 9am"}, "names a weekend, whose two days may lie in two months")
		default:
			var mask uint8
			if p.list(func() bool {
				d, ok := dayNames[p.peek()]
				p.i++
				if _, ranged := dayNames[p.at(1)]; !ok || ranged && (p.peek() == "-" || p.peek() == "to") {
					return false
				}
				mask |= 1 << d
				return true
			}) {
				nth(mask, false)
				return true
			}
		}
		for _, n := range ns {
			list = append(list, rule{n: n})
		}
		return true
	}
	return p.try(func() bool {
		if !p.list(group) {
			return false
		}
		p.try(func() bool {
			in := p.peek() == "in"
			if !p.took("of", "in") {
				return false
			}
			every := p.took("every")
			p.took("the")
			if in && p.peek() != "month" { // every second monday in december
				return false
			}
			mask, ok := uint16(0), true
			switch {
			case p.took("month"):
			case p.took("quarter"):
				p.said.quarter = true
			default:
				if mask, ok = p.months(); !ok {
					return false
				}
				if !every && !repeated && p.said.period != "year" {
					p.fail([]string{"every january 1 at 9am", "first monday of every january at 9am"}, "may mean one day or every year")
				}
				p.setMonths(mask)
			}
			p.said.scoped = true
			return ok
		})
		p.once(p.said.rules != nil, "days of the month")
		p.said.rules = list
		return true
	})
}

func (p *parser) dated(list []rule) bool {
	p.once(p.said.rules != nil, "days of the month")
	p.said.rules, p.said.repeated = list, true
	return true
}

// start reads the first day of a schedule, or the moment from which an interval counts.
func (p *parser) start() bool {
	said := &p.said
	p.took("from")
	p.took("on")
	if at, err := time.Parse(time.RFC3339, strings.ToUpper(p.peek())); err == nil {
		p.once(!said.moment.IsZero(), "a begin")
		if at.Year() < firstYear {
			p.fail([]string{"every hour from 2026-12-24T00:00:00Z"}, "is counted from a time before %d", firstYear)
		}
		said.moment = at
		p.i++
		return true
	}
	day, _, ok := p.date()
	if !ok {
		weekday, named := dayNames[p.peek()]
		if !named {
			return false
		}
		p.i++
		day = midnight(naive(p.now.In(p.zone)))
		if weekday == day.Weekday() {
			p.fail([]string{day.Format("every day at 9am from " + time.DateOnly), day.AddDate(0, 0, 7).Format("every day at 9am from " + time.DateOnly)}, "begins on a %s, which may be today or in a week", weekday)
		}
		day = day.AddDate(0, 0, int(weekday-day.Weekday()+7)%7)
	}
	p.once(!said.anchor.IsZero(), "a first day")
	if day.Year() < firstYear {
		p.fail([]string{"every 3 days from 2026-12-24 at 9am"}, "is counted from a time before %d", firstYear)
	}
	said.anchor = day
	return true
}
