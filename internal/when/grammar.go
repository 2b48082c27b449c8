// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// calendar reads days and times, in either order: "every weekday at 9am", "at 9am on
// weekdays".
func (p *parser) calendar() (*calendar, error) {
	c := new(calendar)
	var err error
	if p.peek() == "at" || p.peek() == "noon" || p.peek() == "midnight" {
		if c.times, err = p.times(); err != nil {
			return nil, err
		}
	}
	if err := p.days(c); err != nil {
		return nil, err
	}
	if c.times == nil {
		if p.peek() == "" {
			return nil, wrong([]string{c.days() + " at 9am", c.days() + " at 18:30"}, "does not say at what time")
		}
		if c.times, err = p.times(); err != nil {
			return nil, err
		}
	}
	if len(p.words) > 0 && c.plain() && p.take("on", "from", "every") { // "weekly at 9am on monday"
		p.take("from")
		if c.weekdays, err = p.weekdays(); err != nil {
			return nil, err
		}
	}
	if err := p.exception(c); err != nil {
		return nil, err
	}
	if len(p.words) > 0 {
		return nil, p.confused("nothing more")
	}
	return c, nil
}

// plain reports whether c has every day, as far as it has been read.
func (c *calendar) plain() bool {
	return c.weekdays == 0 && c.except == 0 && len(c.monthDays) == 0 && c.step == 0
}

// days reads the days.
func (p *parser) days(c *calendar) error {
	switch {
	case p.take("daily"):
		return nil
	case p.take("weekly"):
		if !p.take("on") {
			return wrong([]string{"every monday at 9am"}, "does not say on which day of the week")
		}
		return p.onWeekdays(c)
	case p.take("monthly"):
		if !p.phrase("on the") {
			return wrong([]string{"first day of the month at 9am", "on the 15th day of every month at 9am"}, "does not say on which day of the month")
		}
		return p.ordinals(c, false)
	}
	on := p.take("on")
	the := p.take("the")
	every := p.take("every", "each")
	if every && p.phrase("year on") || every && monthOf(p.peek()) != 0 {
		return p.yearly(c)
	}
	if every && p.phrase("month on the") {
		return p.ordinals(c, false)
	}
	if every && p.phrase("week on") {
		return p.onWeekdays(c)
	}
	if every && (p.peek() == "other" || isNumber(p.peek())) {
		return p.steps(c)
	}
	if _, ok := ordinalOf(p.peek()); ok {
		return p.ordinals(c, true)
	}
	if the {
		return p.confused("a day such as first, last or 15th")
	}
	if p.take("day") && every {
		return p.exception(c)
	}
	if !on && !every && !strings.HasSuffix(p.peek(), "s") {
		return p.confused("every, on, in, at or a date")
	}
	if _, ok := weekday(p.peek()); ok && !every && !strings.HasSuffix(p.peek(), "s") {
		return wrong([]string{"every " + p.peek() + " at 9am", p.now.AddDate(0, 0, 7).Format("on "+time.DateOnly) + " at 9am"}, "may mean one day or every week")
	}
	return p.onWeekdays(c)
}

func (p *parser) onWeekdays(c *calendar) (err error) {
	if c.weekdays, err = p.weekdays(); err == nil {
		err = p.exception(c)
	}
	return err
}

func (p *parser) exception(c *calendar) (err error) {
	if !p.take("except") {
		return nil
	}
	p.take("on", "for")
	if c.nth != 0 || c.except != 0 || c.step != 0 || len(c.monthDays) > 0 {
		return wrong(near("every day except sunday at 8am"), "has an exception where none is understood")
	}
	if c.except, err = p.weekdays(); err != nil {
		return err
	}
	if all := c.weekdays; all == 0 && c.except == 127 || all != 0 && all&^c.except == 0 {
		return wrong([]string{"every day except sunday at 8am"}, "never fires: all its days are left out")
	}
	return nil
}

var dayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// weekday returns the day that a word names, also in the plural or abbreviated.
func weekday(word string) (time.Weekday, bool) {
	word = strings.TrimSuffix(word, ".")
	for i, name := range dayNames {
		if word == name || word == name+"s" || word == name[:3] ||
			i == 2 && word == "tues" || i == 4 && (word == "thur" || word == "thurs") {
			return time.Weekday(i), true
		}
	}
	return 0, false
}

// weekdays reads days of the week: a list of names, ranges, weekday and weekend.
func (p *parser) weekdays() (mask uint8, err error) {
	for {
		p.take("every", "each", "on")
		first, last, _ := strings.Cut(p.peek(), "-") // mon-fri
		from, ok := weekday(first)
		switch {
		case p.take("weekday", "weekdays"):
			mask |= weekdayMask
		case p.take("weekend", "weekends"):
			mask |= weekendMask
		case ok:
			p.words = p.words[1:]
			if last == "" && p.take("to", "through") {
				last = p.peek()
				p.words = p.words[min(1, len(p.words)):]
			}
			to := from
			if last != "" {
				if to, ok = weekday(last); !ok {
					return 0, wrong([]string{"every monday to friday at 9am"}, "has a range of days that does not end with a day")
				}
			}
			for d := from; ; d = (d + 1) % 7 {
				mask |= 1 << d
				if d == to {
					break
				}
			}
		default:
			return 0, p.confused("a day of the week")
		}
		if !p.more(func(w string) bool {
			first, _, _ := strings.Cut(w, "-")
			_, ok := weekday(first)
			return ok || strings.HasPrefix(w, "weekend") || strings.HasPrefix(w, "weekday") || w == "every" || w == "on"
		}) {
			return mask, nil
		}
	}
}

// more consumes a separator if another member of the list follows.
func (p *parser) more(member func(word string) bool) bool {
	n := 0
	for n < len(p.words) && n < 2 && (p.words[n] == "," || p.words[n] == "and") {
		n++
	}
	if n == 0 || n >= len(p.words) || !member(p.words[n]) {
		return false
	}
	p.words = p.words[n:]
	return true
}

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

func monthOf(word string) time.Month {
	for i, name := range monthNames {
		if word == name || word == name[:3] {
			return time.Month(i + 1)
		}
	}
	return 0
}

// yearly reads "december 24", "24 december", "the 24th of december".
func (p *parser) yearly(c *calendar) error {
	p.take("the")
	first := p.peek()
	if c.month = monthOf(first); c.month != 0 {
		p.words = p.words[1:]
		p.take("the")
	}
	day, err := strconv.Atoi(strings.TrimRight(p.peek(), "sthnrd"))
	if err != nil || day < 1 || day > 31 {
		return p.confused("a day of the month")
	}
	p.words = p.words[1:]
	if c.month == 0 {
		p.take("of")
		if c.month = monthOf(p.peek()); c.month == 0 {
			return p.confused("a month")
		}
		p.words = p.words[1:]
	}
	c.monthDays = []int{day}
	return nil
}

func isNumber(word string) bool {
	_, err := strconv.Atoi(word)
	return err == nil
}

// steps reads "every 3 days", "every other day", with "from DATE".
func (p *parser) steps(c *calendar) error {
	if p.take("other") {
		c.step = 2
		if !p.take("day") {
			return wrong([]string{"every other day at 9am", "every 14 days at 9am"}, "is only understood for days after %q", "every other")
		}
	} else {
		_, days, months, ok := p.duration()
		switch {
		case months > 0:
			return wrong([]string{"first day of the month at 9am", "every 30 days at 9am", "0 9 1 */3 *"}, "counts months, which are not alike")
		case !ok:
			return p.confused("days or weeks")
		case days < 1 || days > maxDays:
			return wrong([]string{"every 3 days at 9am"}, "has an interval that is not between a day and ten years")
		}
		c.step = days
	}
	c.anchor = midnight(naive(p.now.In(p.zone)))
	if p.take("from") {
		date, err := time.Parse(time.DateOnly, p.peek())
		if err != nil {
			return p.confused("a date such as 2026-12-24")
		}
		p.words = p.words[1:]
		c.anchor = date
	}
	return nil
}

var ordinalWords = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}

var ordinalNumber = lazyregexp.New(`^(\d{1,2})(st|nd|rd|th)$`)

func ordinalOf(word string) (int, bool) {
	if n, ok := ordinalWords[word]; ok {
		return n, true
	}
	m := ordinalNumber.FindStringSubmatch(word)
	if m == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(m[1]) // digits
	return n, n >= 1 && n <= 31
}

// ordinals reads "first day of the month", "1st and 15th of every month", "last friday of the month". With ofMonth,
// the text has to name the month.
func (p *parser) ordinals(c *calendar, ofMonth bool) error {
	isOrdinal := func(w string) bool { _, ok := ordinalOf(w); return ok || w == "the" }
	var list []int
	for {
		p.take("the")
		n, ok := ordinalOf(p.peek())
		if !ok {
			return p.confused("a day such as 1st, 15th or last")
		}
		p.words = p.words[1:]
		list = append(list, n)
		if !p.more(isOrdinal) {
			break
		}
	}
	if _, ok := weekday(p.peek()); ok || p.peek() == "weekday" || p.peek() == "weekend" {
		if len(list) > 1 || list[0] > 5 {
			return wrong([]string{"last friday of the month at 5pm", "0 17 * * 5#1,5#3"}, "names more than one of the month's weekdays")
		}
		mask, err := p.weekdays()
		if err != nil {
			return err
		}
		c.weekdays, c.nth = mask, list[0]
	} else {
		p.take("day", "days")
		slices.Sort(list)
		if list[0] < 0 { // said last
			list = append(list[1:], -1)
		}
		c.monthDays = slices.Compact(list)
	}
	if p.take("of") {
		if !p.take("the", "every", "each") || !p.take("month") {
			return p.confused("the month, or every month")
		}
		return nil
	}
	if ofMonth {
		return p.confused(`"of the month"`)
	}
	return nil
}

var timeOfDay = lazyregexp.New(`^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?(am|pm)?$`)

// times reads "at 9am", "at 6:30 and 18:30".
func (p *parser) times() ([]clock, error) {
	p.take("at")
	var list []clock
	for {
		p.take("at")
		t, err := p.time()
		if err != nil {
			return nil, err
		}
		list = append(list, t)
		if len(list) > 1440 {
			return nil, wrong(nil, "has too many times")
		}
		if !p.more(func(w string) bool {
			return w == "noon" || w == "midnight" || w == "at" || timeOfDay.MatchString(w)
		}) {
			return list, nil
		}
	}
}

func (p *parser) time() (clock, error) {
	switch {
	case p.take("noon"):
		return 12 * 3600, nil
	case p.take("midnight"):
		return 0, nil
	}
	m := timeOfDay.FindStringSubmatch(p.peek())
	if m == nil {
		return 0, p.confused("a time such as 9am or 18:30")
	}
	p.words = p.words[1:]
	if m[4] == "" {
		for _, half := range []string{"am", "pm"} {
			if p.take(half) {
				m[4] = half
			}
		}
	}
	h, _ := strconv.Atoi(m[1]) // digits, or nothing
	minute, _ := strconv.Atoi(m[2])
	second, _ := strconv.Atoi(m[3])
	switch {
	case m[4] == "" && m[2] == "" && h <= 12:
		return 0, wrong([]string{"at " + m[1] + "am", "at " + m[1] + "pm", "at " + m[1] + ":00"}, "has a time that may be in the morning or in the evening")
	case m[4] == "" && m[2] == "":
		return 0, wrong([]string{"at " + m[1] + ":00"}, "has a time without minutes")
	case m[4] != "" && (h < 1 || h > 12), h > 23, minute > 59, second > 59:
		return 0, wrong([]string{"at 9:30am", "at 18:30"}, "has a time that no clock shows")
	case m[4] == "am" && h == 12:
		h = 0
	case m[4] == "pm" && h != 12:
		h += 12
	}
	return clock(h*3600 + minute*60 + second), nil
}
