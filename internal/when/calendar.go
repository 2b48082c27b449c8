// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A clock is a time of day in seconds.
type clock int

func (c clock) String() string {
	if c%60 == 0 {
		return fmt.Sprintf("%02d:%02d", c/3600, c/60%60)
	}
	return fmt.Sprintf("%02d:%02d:%02d", c/3600, c/60%60, c%60)
}

// A calendar is a set of days, and of times on these days. A field with the zero value excludes nothing.
type calendar struct {
	weekdays uint8     // bit time.Sunday and so on
	except   uint8     // weekdays to leave out
	months   uint16    // bit time.January and so on
	rules    []rule    // days of the month, any of them
	step     int       // days, weeks or months between two, counted from anchor
	unit     string    // of step: day, week, month
	anchor   time.Time // the first day, a naive midnight
	times    []clock
	interval clock // seconds between two times, if they are so regular
}

// A rule is a day of a month: the nth day, or, with weekdays, the nth of the days that are among these.
type rule struct {
	month    time.Month // of a yearly date
	n        int        // from 1, or from the last day, -1
	weekdays uint8
}

const weekdayMask, weekendMask = uint8(0b0111110), uint8(0b1000001)

// on reports whether a day (a naive midnight) belongs to the calendar.
func (c *calendar) on(day time.Time) bool {
	weekday := uint8(1) << day.Weekday()
	if c.weekdays != 0 && c.weekdays&weekday == 0 || c.except&weekday != 0 || c.months != 0 && c.months&(1<<day.Month()) == 0 || day.Before(c.anchor) {
		return false
	}
	if c.step > 0 {
		passed := int(day.Sub(c.anchor).Hours() / 24)
		switch c.unit {
		case "week": // from Monday
			passed = (passed + (int(c.anchor.Weekday())+6)%7) / 7
		case "month":
			passed = 12*(day.Year()-c.anchor.Year()) + int(day.Month()-c.anchor.Month())
		}
		if passed%c.step != 0 {
			return false
		}
	}
	return c.rules == nil || slices.ContainsFunc(c.rules, func(r rule) bool { return r.on(day) })
}

func (r rule) on(day time.Time) bool {
	if r.month != 0 && r.month != day.Month() || r.weekdays != 0 && r.weekdays&(1<<day.Weekday()) == 0 {
		return false
	}
	from, to := 1, day.Day()
	if r.n < 0 {
		from, to = day.Day(), day.AddDate(0, 1, -day.Day()).Day()
	}
	count := 0
	for d := from; d <= to; d++ {
		if r.weekdays == 0 || r.weekdays&(1<<day.AddDate(0, 0, d-day.Day()).Weekday()) != 0 {
			count++
		}
	}
	return count == max(r.n, -r.n)
}

// next is a [wall].
func (c *calendar) next(after time.Time) time.Time {
	day := midnight(after)
	if day.Before(c.anchor) {
		day = c.anchor
	}
	for range maxYears * 366 {
		if c.on(day) {
			for _, t := range c.times {
				if at := day.Add(time.Duration(t) * time.Second); at.After(after) {
					return at
				}
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}
}

func (c *calendar) schedule(zone *time.Location) *Schedule {
	slices.Sort(c.times)
	c.times = slices.Compact(c.times)
	slices.SortFunc(c.rules, func(a, b rule) int { return a.order() - b.order() })
	c.rules = slices.Compact(c.rules)
	s := &Schedule{zone: zone, next: wall(c.next).fixed(zone)}
	s.words = c.clocks() + ", " + c.days()
	s.canonical = strings.ToLower(c.days() + " " + c.clocks())
	if c.interval > 0 {
		s.canonical = strings.ToLower(c.clocks() + " " + c.days())
		s.next = wall(c.next).elapsed(zone)
	}
	if c.weekdays == weekdayMask { // in other words
		s.words = strings.Replace(s.words, "every weekday", "every Monday to Friday", 1)
	}
	return s
}

// order sorts dates by month, days by number, the last after the first, and days of the week after them.
func (r rule) order() int {
	n := r.n
	if n < 0 {
		n += 64
	}
	return (int(r.weekdays)<<8+int(r.month))<<8 + n
}

// clocks describes the times of a day.
func (c *calendar) clocks() string {
	if c.interval == 0 {
		return "at " + join(c.times)
	}
	return fmt.Sprintf("every %s from %s to %s", spoken(time.Duration(c.interval)*time.Second), c.times[0], c.times[len(c.times)-1])
}

// days describes the days in words that [readEnglish] understands.
func (c *calendar) days() string {
	text := c.which()
	if !c.anchor.IsZero() {
		text += " from " + c.anchor.Format(time.DateOnly)
	}
	return text
}

func (c *calendar) which() string {
	ofMonths := "every month"
	if c.months != 0 {
		ofMonths = "every " + and(c.monthNames())
	}
	switch {
	case c.step > 0 && c.unit == "day":
		return fmt.Sprintf("every %d days", c.step)
	case c.step > 0 && c.unit == "week":
		return fmt.Sprintf("every %d weeks on %s", c.step, and(weekdayNames(c.weekdays)))
	case c.step > 0:
		return fmt.Sprintf("every %d months on %s", c.step, c.ruleNames())
	case len(c.rules) > 0 && c.rules[0].month != 0:
		return "every year on " + c.ruleNames()
	case len(c.rules) > 0:
		return "on " + c.ruleNames() + " of " + ofMonths
	}
	text := "every day"
	if c.weekdays != 0 {
		text = "every " + names(c.weekdays)
	}
	if c.months != 0 {
		text += " in " + and(c.monthNames())
	}
	if c.except != 0 {
		text += " except " + and(weekdayNames(c.except))
	}
	return text
}

func (c *calendar) monthNames() (list []string) {
	for m := time.January; m <= time.December; m++ {
		if c.months&(1<<m) != 0 {
			list = append(list, m.String())
		}
	}
	return list
}

// ruleNames describes the rules, first the numbers of days together.
func (c *calendar) ruleNames() string {
	var list, numbers []string
	for _, r := range c.rules {
		switch {
		case r.month != 0:
			list = append(list, fmt.Sprintf("%s %d", r.month, r.n))
		case r.weekdays != 0:
			list = append(list, "the "+ordinal(r.n)+" "+names(r.weekdays))
		default:
			numbers = append(numbers, ordinal(r.n))
		}
	}
	if numbers != nil {
		list = append([]string{"the " + and(numbers) + " day"}, list...)
	}
	return and(list)
}

func names(mask uint8) string {
	switch mask {
	case weekdayMask:
		return "weekday"
	case weekendMask:
		return "weekend"
	}
	return and(weekdayNames(mask))
}

func weekdayNames(mask uint8) []string {
	var list []string
	for i := range 7 {
		if d := time.Weekday((i + 1) % 7); mask&(1<<d) != 0 {
			list = append(list, d.String())
		}
	}
	return list
}

func ordinal(n int) string {
	if n == -1 {
		return "last"
	}
	if n < 0 {
		return ordinal(-n) + " to last"
	}
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

func join(times []clock) string {
	list := make([]string, len(times))
	for i, t := range times {
		list[i] = t.String()
	}
	return and(list)
}

func and(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
