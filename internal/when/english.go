// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/schema"
)

// forms are the forms of a schedule, with one example each.
var forms = []string{
	"every day at 9am", "every weekday at 9am", "every weekend at noon", "every monday and thursday at 9:30",
	"every day except sunday at 8am", "every day at 6:30 and 18:30", "every 2 hours", "every 3 days at 9am",
	"in 5 minutes", "tomorrow at noon", "on 2026-12-24 at 18:00", "every year on december 24 at 6pm",
	"first day of the month at 10am", "last friday of the month at 5pm", "on the 15th day of every month at 9am",
}

var vocabulary = strings.Fields(`every each day days weekday weekdays weekend weekends week weeks month months year
	second seconds minute minutes hour hours monday tuesday wednesday thursday friday saturday sunday january february
	march april may june july august september october november december except and at on in of the from to through
	today tomorrow noon midnight first second third fourth fifth last daily weekly monthly yearly am pm other`)

// A parser reads the words of an English schedule from the left.
type parser struct {
	words []string
	total int // number of words at the beginning
	zone  *time.Location
	now   time.Time
}

var token = lazyregexp.New(`[a-z0-9:.+\-]+|,`)

func readEnglish(text string, zone *time.Location, now time.Time) (*Schedule, error) {
	p := &parser{words: token.FindAllString(text, -1), zone: zone, now: now}
	p.total = len(p.words)
	if strings.Join(p.words, "") != strings.ReplaceAll(text, " ", "") {
		return nil, wrong(near(text), "holds signs that are not understood")
	}
	if s, err := p.relative(); s != nil || err != nil {
		return s, err
	}
	if s, err := p.interval(); s != nil || err != nil {
		return s, err
	}
	c, err := p.calendar()
	if err != nil {
		return nil, err
	}
	return c.schedule(zone), nil
}

// near returns at most three forms that share words with a text.
func near(text string) []string {
	have := map[string]bool{}
	for _, w := range token.FindAllString(text, -1) {
		have[w] = true
	}
	type scored struct {
		form  string
		score int
	}
	var best [3]scored
	for _, f := range forms {
		s := scored{f, 0}
		for _, w := range strings.Fields(f) {
			if have[w] && w != "at" && w != "every" {
				s.score += 2
			} else if have[w] {
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

// peek returns the next word, "" at the end.
func (p *parser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

// take consumes the next word if it is the given one.
func (p *parser) take(words ...string) bool {
	for _, w := range words {
		if p.peek() == w {
			p.words = p.words[1:]
			return true
		}
	}
	return false
}

// phrase consumes all of the given words, or none.
func (p *parser) phrase(text string) bool {
	want := strings.Fields(text)
	if len(p.words) < len(want) || strings.Join(p.words[:len(want)], " ") != text {
		return false
	}
	p.words = p.words[len(want):]
	return true
}

// confused names the word at which the parser stopped.
func (p *parser) confused(expected string) error {
	all := strings.Join(p.words, " ")
	if p.peek() == "" {
		return wrong(near(all+" "+expected), "ends where %s must follow", expected)
	}
	word := p.words[0]
	if meant := schema.Nearest(word, vocabulary); meant != "" && meant != word {
		return wrong(near(strings.Replace(all, word, meant, 1)), "is not understood at word %d: did you mean %q?", p.total-len(p.words)+1, meant)
	}
	return wrong(near(all), "is not understood from word %d on, where %s may stand", p.total-len(p.words)+1, expected)
}

var units = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second, "m": time.Minute, "min": time.Minute,
	"minute": time.Minute, "h": time.Hour, "hour": time.Hour,
}

var compact = lazyregexp.New(`^(\d+h)?(\d+m)?(\d+s)?$`)

// duration reads "5 minutes", "90m" or "1h30m", and returns days, weeks and months separately.
func (p *parser) duration() (d time.Duration, days, months int, ok bool) {
	if len(p.words) > 0 && compact.MatchString(p.words[0]) {
		d, err := time.ParseDuration(p.words[0])
		if err == nil {
			p.words = p.words[1:]
			return d, 0, 0, true
		}
	}
	n, used := 1, 0
	if len(p.words) > 1 {
		if v, err := strconv.Atoi(p.words[0]); err == nil && v >= 0 {
			n, used = v, 1
		} else if p.words[0] == "a" || p.words[0] == "an" || p.words[0] == "one" {
			used = 1
		}
	}
	if len(p.words) <= used || n > 1e6 {
		return 0, 0, 0, false
	}
	unit := strings.TrimSuffix(p.words[used], "s")
	switch {
	case units[unit] != 0:
		d = time.Duration(n) * units[unit]
	case unit == "day":
		days = n
	case unit == "week":
		days = 7 * n
	case unit == "month":
		months = n
	default:
		return 0, 0, 0, false
	}
	p.words = p.words[used+1:]
	return d, days, months, true
}

const maxDays = 3660

// relative reads "in 5 minutes", "tomorrow at noon", "on 2026-12-24 at 18:00".
func (p *parser) relative() (*Schedule, error) {
	if p.take("in") {
		d, days, months, ok := p.duration()
		switch {
		case !ok:
			return nil, p.confused("a number with seconds, minutes, hours, days, weeks or months")
		case d == 0 && days == 0 && months == 0:
			return nil, wrong([]string{"in 5 minutes"}, "is for now, not for later")
		case days > maxDays || months > maxDays/30 || d > maxDays*24*time.Hour:
			return nil, wrong([]string{"2030-06-01T09:00:00Z"}, "is more than ten years away")
		}
		at := p.now.In(p.zone).AddDate(0, months, days).Add(d)
		if months > 0 && p.now.In(p.zone).AddDate(0, 0, days).Day() != at.Day() && d == 0 {
			return nil, wrong([]string{"in 30 days", "last day of the month at 9am"}, "means a day that the month does not have")
		}
		return p.moment(at.Truncate(time.Second))
	}
	day := midnight(naive(p.now.In(p.zone)))
	saved := p.words
	switch {
	case p.take("today"):
	case p.take("tomorrow"):
		day = day.AddDate(0, 0, 1)
	default:
		p.take("on")
		date, err := time.Parse(time.DateOnly, p.peek())
		if err != nil {
			p.words = saved
			return nil, nil
		}
		p.words = p.words[1:]
		day = date
	}
	times, err := p.times()
	if err != nil {
		return nil, err
	}
	if len(times) > 1 {
		return nil, wrong([]string{"every day at 6:30 and 18:30"}, "is one day with more than one time: make a job for each")
	}
	return p.moment(instant(day.Add(time.Duration(times[0])*time.Second), p.zone))
}

func (p *parser) moment(at time.Time) (*Schedule, error) {
	if len(p.words) > 0 {
		return nil, p.confused("nothing more")
	}
	return atMoment(at, p.zone), nil
}

func midnight(n time.Time) time.Time { return n.Truncate(24 * time.Hour) }

// interval reads "every 90m", "every 2 hours from MOMENT".
func (p *parser) interval() (*Schedule, error) {
	saved := p.words
	if !p.take("every", "each") {
		return nil, nil
	}
	every, days, months, ok := p.duration()
	if !ok || days > 0 || months > 0 {
		p.words = saved
		return nil, nil
	}
	anchor := p.now.Truncate(time.Second)
	if p.take("from") {
		var err error
		if anchor, err = time.Parse(time.RFC3339, strings.ToUpper(p.peek())); err != nil {
			return nil, p.confused("a moment such as 2026-12-24T18:00:00Z")
		}
		if anchor.Year() < firstYear {
			return nil, wrong([]string{"every hour from 2026-12-24T00:00:00Z"}, "is counted from a time before %d", firstYear)
		}
		p.words = p.words[1:]
	}
	switch {
	case len(p.words) > 0:
		return nil, p.confused("nothing more, or from a moment")
	case every < time.Second || every > 366*24*time.Hour:
		return nil, wrong([]string{"every 90m", "every 2 hours"}, "has an interval that is not between a second and a year")
	}
	return &Schedule{
		zone:      p.zone,
		canonical: fmt.Sprintf("every %s from %s", every, anchor.UTC().Format(time.RFC3339)),
		words:     fmt.Sprintf("every %s, counted from %s", spoken(every), anchor.In(p.zone).Format("2006-01-02 15:04:05 MST")),
		next: func(after time.Time) time.Time {
			n := time.Duration(0)
			if since := after.Sub(anchor); since > 0 {
				n = since / every
			}
			return anchor.Add((n + 1) * every).In(p.zone)
		},
	}, nil
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
