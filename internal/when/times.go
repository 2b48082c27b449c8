// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A bare is a time as it is written.
type bare struct {
	hour, minute, second int
	half, part           string // am, pm; morning
	exact                bool   // on a clock of 24 hours
	minutes              bool   // the minutes are written
}

// partOfDay reads morning, mornings and so on. It reports whether it is a plural.
func (p *parser) partOfDay() (plural bool) {
	part, plural := strings.CutSuffix(p.peek(), "s")
	if _, ok := parts[part]; !ok {
		return false
	}
	p.i++
	p.setPart(part)
	return plural
}

func (p *parser) setPart(part string) {
	p.once(p.said.part != "", "a part of the day")
	p.said.part = part
}

// time reads 9am, 18:30, noon, half past nine pm, or 9 in the morning.
func (p *parser) time() (b bare, ok bool) {
	ok = p.try(func() bool {
		if p.seq("12 noon") || p.took("noon") {
			b = bare{hour: 12, exact: true}
			return true
		}
		if p.seq("12 midnight") || p.took("midnight") {
			b = bare{exact: true}
			return true
		}
		shift, minutes := 0, false
		p.try(func() bool { // half past, ten to
			p.took("a")
			switch {
			case p.took("half"):
				shift = 30
			case p.took("quarter"):
				shift = 15
			default:
				n, ok := p.number()
				if shift = n; !ok || n < 1 || n > 59 {
					return false
				}
				if !p.took("minute") && p.peek() == "to" && (p.i < 2 || p.at(-2) != "at") {
					return false // a range of times
				}
			}
			minutes = p.took("past", "after")
			if !minutes && shift != 30 && p.at(1) != "" && p.at(2) != "" && p.took("to", "before") {
				shift, minutes = -shift, true
			}
			return minutes
		})
		if !minutes {
			shift = 0
		}
		text := p.peek()
		if strings.ContainsAny(text, ":.") && text[0] != ':' && len(text) > 2 {
			parts := strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == '.' })
			if minutes || len(parts) < 2 || len(parts[1]) != 2 {
				return false
			}
			b = bare{hour: atoi(parts[0]), minute: atoi(parts[1]), minutes: true, exact: text[0] == '0'}
			if len(parts) == 3 {
				b.second = atoi(parts[2])
			}
			p.i++
			dotted := strings.Contains(text, ".")
			if b.half = p.take("am", "pm"); dotted && b.half == "" {
				return false // a number, for all that is known
			}
		} else {
			n, ok := p.number()
			if !ok {
				return false
			}
			b = bare{hour: n}
			switch {
			case len(text) == 4 && text[0] >= '0' && text[0] <= '9':
				if !p.took("hour", "h") {
					return false
				}
				b = bare{hour: n / 100, minute: n % 100, minutes: true, exact: true}
			case p.took("h"):
				b.exact = true
				if m, ok := p.number(); ok {
					b.minute, b.minutes = m, true
				}
			default:
				p.took("o'clock")
				b.half = p.take("am", "pm")
			}
		}
		if minutes {
			total := b.hour*60 + shift
			if b.hour == 1 && shift < 0 && b.half != "" {
				return false // twelve, of the other half
			}
			if b.hour == 12 && b.half != "" && shift < 0 {
				b.half = map[string]string{"am": "pm", "pm": "am"}[b.half]
			}
			b.hour, b.minute = (total+1440)%1440/60, (total+60)%60
		}
		p.try(func() bool {
			if p.seq("in the") {
				b.part = p.take("morning", "afternoon", "evening")
			} else if p.seq("at night") {
				b.part = "night"
			}
			return b.part != ""
		})
		return true
	})
	return b, ok
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // of the lexer, or of the user and then too large
	return n
}

// parts are the hours of the parts of a day, from and to before.
var parts = map[string][2]int{"morning": {1, 12}, "afternoon": {12, 18}, "evening": {16, 24}, "night": {18, 30}}

// resolve returns the time of day. A whole hour without am or pm, or with a part of the day, may have two.
func (p *parser) resolve(b bare, part string) clock {
	if b.part != "" {
		part = b.part
	}
	h, written := b.hour, strconv.Itoa(b.hour)
	if b.half != "" && (h < 1 || h > 12) || h > 23 || b.minute > 59 || b.second > 59 {
		p.fail([]string{"at 9:30am", "at 18:30"}, "has a time that no clock shows")
	}
	hours := []int{h}
	switch {
	case b.half == "am":
		hours = []int{h % 12}
	case b.half == "pm":
		hours = []int{h%12 + 12}
	case b.exact || h > 12:
	case part != "":
		hours = []int{h % 12, h%12 + 12}
	case !b.minutes:
		near := []string{"at " + written + "am", "at " + written + "pm", "at " + written + ":00"}
		if h == 0 {
			near = []string{"at midnight", "at 0:00"}
		}
		p.fail(near, "has a time that may be in the morning or in the evening")
	}
	if part != "" {
		hours = slices.DeleteFunc(hours, func(h int) bool {
			in := func(h int) bool { return h >= parts[part][0] && h < parts[part][1] }
			return !in(h) && !in(h+24)
		})
		if len(hours) != 1 {
			p.fail([]string{"every day at 9:30am", "every day at 18:30"}, "has a time that does not go with %q", part)
		}
	}
	return clock(hours[0]*3600 + b.minute*60 + b.second)
}

// times reads a list of times, or a window.
func (p *parser) times() bool {
	var list []bare
	if !p.list(func() bool {
		if len(list) > 0 {
			p.took("at")
		}
		b, ok := p.time()
		if !ok || clockUnits[p.peek()] != 0 || monthNames[p.peek()] != 0 || slices.Contains([]string{"past", "st", "nd", "rd", "th"}, p.peek()) {
			return false // a number of something else
		}
		list = append(list, b)
		return true
	}) {
		return false
	}
	if p.try(func() bool { return len(list) == 1 && p.windowEnd(list[0], "to", "until", "-") }) {
		return true
	}
	p.once(p.said.bare != nil, "times")
	p.said.bare = list
	return true
}

func (p *parser) windowEnd(from bare, separators ...string) bool {
	if !p.took(separators...) {
		return false
	}
	p.took("at")
	to, ok := p.time()
	if !ok {
		return false
	}
	p.once(p.said.window != nil, "a range of times")
	if from.half == "" && !from.minutes && (to.hour > 12 && to.half == "") { // 9 to 17 is on a clock of 24 hours
		from.exact = true
	}
	p.said.window = []clock{p.resolve(from, ""), p.resolve(to, "")}
	return true
}

// pastHour reads a minute of each hour: on the hour, :15, minute 15, 10 past every hour.
func (p *parser) pastHour() bool {
	return p.try(func() bool {
		minute := clock(-1)
		hourly := p.said.interval == time.Hour
		switch {
		case p.seq("the hour"):
			minute, hourly = 0, true
		case strings.HasPrefix(p.peek(), ":"):
			minute = clock(atoi(p.peek()[1:]))
			p.i++
		case p.took("minute"):
			n, ok := p.number()
			if !ok {
				return false
			}
			minute = clock(n)
		default:
			n, ok := 0, true
			p.took("a")
			if p.took("half") {
				n = 30
			} else if p.took("quarter") {
				n = 15
			} else if n, ok = p.number(); !ok {
				return false
			}
			p.took("minute")
			if n < 1 {
				return false
			}
			switch p.take("past", "after", "before", "to") {
			case "past", "after":
				minute = clock(n)
			case "before", "to":
				minute = clock(60 - n)
			default:
				return false
			}
		}
		if p.try(func() bool {
			p.took("of")
			return p.took("every", "the") && p.took("hour")
		}) {
			hourly = true
		}
		if !hourly || minute < 0 || minute > 59 {
			return false
		}
		if _, ok := p.time(); ok {
			return false // half past nine
		}
		p.once(p.said.past != nil, "minutes of the hour")
		minute *= 60
		p.said.past = &minute
		if p.said.interval == 0 {
			p.said.interval = time.Hour
		}
		return true
	})
}
