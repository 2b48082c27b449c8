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
	weekdays  uint8      // bit time.Sunday and so on
	except    uint8      // weekdays to leave out
	monthDays []int      // 1 to 31; -1 is the last
	nth       int        // 1 to 5, or -1: only the nth of the weekdays in its month
	month     time.Month // of a yearly date
	step      int        // days between two, counted from anchor
	anchor    time.Time  // a naive midnight
	times     []clock
}

const weekdayMask, weekendMask = uint8(0b0111110), uint8(0b1000001)

// on reports whether a day (a naive midnight) belongs to the calendar.
func (c *calendar) on(day time.Time) bool {
	weekday := uint8(1) << day.Weekday()
	last := day.AddDate(0, 1, -day.Day()).Day()
	switch {
	case c.weekdays != 0 && c.weekdays&weekday == 0, c.except&weekday != 0,
		c.month != 0 && day.Month() != c.month,
		len(c.monthDays) > 0 && !slices.Contains(c.monthDays, day.Day()) && (day.Day() != last || !slices.Contains(c.monthDays, -1)),
		c.step > 0 && (day.Before(c.anchor) || int(day.Sub(c.anchor).Hours()/24)%c.step != 0):
		return false
	}
	return c.nth == 0 || c.nthOf(day, last)
}

// nthOf reports whether a day is the nth in its month, counting only the calendar's weekdays.
func (c *calendar) nthOf(day time.Time, last int) bool {
	count := 0
	from, to := 1, day.Day()
	if c.nth < 0 {
		from, to = day.Day(), last
	}
	for d := from; d <= to; d++ {
		if c.weekdays&(1<<day.AddDate(0, 0, d-day.Day()).Weekday()) != 0 {
			count++
		}
	}
	return count == max(c.nth, -c.nth)
}

// next is a [wall].
func (c *calendar) next(after time.Time) time.Time {
	day := after.Truncate(24 * time.Hour)
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
	text := c.days() + " at " + join(c.times)
	return &Schedule{zone: zone, canonical: strings.ToLower(text), words: text, next: wall(c.next).fixed(zone)}
}

// days describes the days in words that [readEnglish] understands.
func (c *calendar) days() string {
	switch {
	case c.step > 0:
		return fmt.Sprintf("every %d days from %s", c.step, c.anchor.Format(time.DateOnly))
	case c.month != 0:
		return fmt.Sprintf("every year on %s %d", c.month, c.monthDays[0])
	case c.nth != 0:
		return fmt.Sprintf("on the %s %s of every month", ordinal(c.nth), c.names(c.weekdays))
	case len(c.monthDays) > 0:
		var list []string
		for _, d := range c.monthDays {
			list = append(list, ordinal(d))
		}
		return fmt.Sprintf("on the %s day of every month", and(list))
	case c.except != 0:
		return c.every() + " except " + and(weekdayNames(c.except))
	}
	return c.every()
}

func (c *calendar) every() string {
	if c.weekdays == 0 {
		return "every day"
	}
	return "every " + c.names(c.weekdays)
}

func (c *calendar) names(mask uint8) string {
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
	if n < 0 {
		return "last"
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
