// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/schema"
)

var tokens = lazyregexp.New(`^(?:\d{4}-\d\d-\d\dt[0-9:.]+(?:z|[+-]\d\d:\d\d)|\d{4}[-/]\d\d[-/]\d\d|\d{1,2}[:.]\d\d(?::\d\d)?|\d+(?:\.\d+)?|:\d\d|o'clock|[a-z]+|[,&/-])`)

var spelling = strings.NewReplacer("a.m.", "am", "p.m.", "pm", "&", " and ")

// synonyms are words that mean the same as another wherever they stand.
var synonyms = map[string]string{
	"each": "every", "alternate": "other", "everyday": "every day", "midday": "noon", "plus": "and", "through": "to", "thru": "to", "till": "until",
	"workday": "weekday", "workdays": "weekday", "weekdays": "weekday", "weekends": "weekend", "beginning": "starting",
	"excluding": "except", "annually": "yearly", "mins": "minute", "min": "minute", "minutes": "minute", "hrs": "hour", "hr": "hour",
	"hours": "hour", "secs": "second", "sec": "second", "seconds": "second", "days": "day", "weeks": "week", "months": "month",
	"years": "year", "quarters": "quarter", "fortnights": "fortnight",
}

// lex splits a text into words, numbers and signs; false if it has anything else.
func lex(text string) ([]string, bool) {
	var list []string
	for text = spelling.Replace(text); ; {
		if text = strings.TrimLeft(text, " "); text == "" {
			return list, true
		}
		t := tokens.FindString(text)
		if t == "" {
			return nil, false
		}
		text = text[len(t):]
		if same := synonyms[t]; same != "" {
			list = append(list, strings.Fields(same)...)
		} else {
			list = append(list, t)
		}
	}
}

var cardinals = map[string]int{}

var ordinalWords = map[string]int{"last": -1, "penultimate": -2}

var dayNames = map[string]time.Weekday{}

var monthNames = map[string]time.Month{}

var clockUnits = map[string]time.Duration{
	"s": time.Second, "second": time.Second, "m": time.Minute, "minute": time.Minute, "h": time.Hour, "hour": time.Hour,
}

var vocabulary = func() []string {
	list := strings.Fields(`every day weekday weekend week month year quarter second minute hour except and at on in of the from to
		between until starting today tomorrow tonight noon midnight daily weekly monthly yearly hourly am pm other morning evening`)
	for i, word := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen") {
		cardinals[word] = i
	}
	for i, word := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		cardinals[word] = 10*i + 20
	}
	for i, word := range strings.Fields(`first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
		fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`) {
		ordinalWords[word] = i + 1
	}
	ordinalWords["thirtieth"] = 30
	for d := range time.Weekday(7) {
		name := strings.ToLower(d.String())
		dayNames[name], dayNames[name+"s"], dayNames[name[:3]] = d, d, d
		list = append(list, name)
	}
	dayNames["tues"], dayNames["thur"], dayNames["thurs"] = time.Tuesday, time.Thursday, time.Thursday
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		monthNames[name], monthNames[name[:3]] = m, m
		list = append(list, name)
	}
	monthNames["sept"] = time.September
	return list
}()

// A span is a duration of clocks and calendars.
type span struct {
	clock               time.Duration
	days, weeks, months int
}

// A parser reads a text from the left.
type parser struct {
	words []string
	i     int
	far   int // the last word that was looked at
	zone  *time.Location
	now   time.Time
	said  phrase
}

// A stop is the panic with which a parser gives up, as package encoding/json does.
type stop struct{ err error }

func (p *parser) fail(near []string, format string, args ...any) {
	panic(stop{wrong(near, format, args...)})
}

func (p *parser) at(n int) string {
	if p.i+n < 0 || p.i+n >= len(p.words) {
		return ""
	}
	return p.words[p.i+n]
}

func (p *parser) peek() string { return p.at(0) }

// take consumes the next word if it is one of the given ones, and returns it.
func (p *parser) take(words ...string) string {
	if w := p.peek(); w != "" && slices.Contains(words, w) {
		p.i++
		return w
	}
	return ""
}

func (p *parser) took(words ...string) bool { return p.take(words...) != "" }

// seq consumes all words of a text, or none.
func (p *parser) seq(text string) bool {
	want := strings.Fields(text)
	if p.i+len(want) > len(p.words) || !slices.Equal(p.words[p.i:p.i+len(want)], want) {
		return false
	}
	p.i += len(want)
	return true
}

// try consumes what f reads if f says so, and else nothing.
func (p *parser) try(f func() bool) bool {
	saved, said := p.i, p.said
	if f() {
		return true
	}
	p.far = max(p.far, min(p.i, len(p.words)))
	p.i, p.said = saved, said
	return false
}

// once fails if a field is filled a second time.
func (p *parser) once(filled bool, what string) {
	if filled {
		p.fail(near(p.words), "has %s twice: make a job for each", what)
	}
}

// confused names the word at which the parser stopped.
func (p *parser) confused(expected string) {
	all := strings.Join(p.words, " ")
	p.i = max(p.i, p.far)
	for i, w := range p.words { // a word that is not English explains more than the place
		if w[0] < 'a' || w[0] > 'z' || slices.Contains(vocabulary, w) {
			continue
		}
		if meant := schema.Nearest(w, vocabulary); meant != "" && meant != w && !known(w) {
			p.fail(near(strings.Fields(strings.Replace(all, w, meant, 1))), "is not understood at word %d: did you mean %q?", i+1, meant)
		}
	}
	if slices.ContainsFunc(p.words, func(w string) bool { return zoneNames[w] }) {
		p.fail(near(p.words), "names a time zone: give it as the job's zone")
	}
	if last := len(p.words) - 1; p.i > last && last >= 0 && !known(p.words[last]) && !slices.Contains(vocabulary, p.words[last]) {
		p.i = last // a word that some clause looked at in vain
	}
	if p.peek() == "" {
		p.fail(near(p.words), "ends where %s must follow", expected)
	}
	p.fail(near(p.words), "is not understood from word %d on, where %s may stand", p.i+1, expected)
}

var zoneNames = map[string]bool{"utc": true, "gmt": true, "cet": true, "cest": true, "est": true, "edt": true, "pst": true, "pdt": true, "bst": true}

func known(w string) bool {
	_, day := dayNames[w]
	_, month := monthNames[w]
	return day || month || cardinals[w] != 0 || ordinalWords[w] != 0 || clockUnits[w] != 0
}

// number reads 5, five or twenty-five.
func (p *parser) number() (int, bool) {
	n, ok := 0, false
	p.try(func() bool {
		if v, err := strconv.Atoi(p.peek()); err == nil {
			p.i++
			n, ok = v, true
			return true
		}
		if n, ok = cardinals[p.peek()]; !ok {
			return false
		}
		p.i++
		if n >= 20 {
			p.try(func() bool {
				p.took("-")
				v, more := cardinals[p.peek()]
				if !more || v < 1 || v > 9 {
					return false
				}
				p.i++
				n += v
				return true
			})
		}
		return true
	})
	return n, ok
}

// ordinal reads 1st, first, twenty-first, last, or second to last.
func (p *parser) ordinal() (n int, ok bool) {
	ok = p.try(func() bool {
		if v, err := strconv.Atoi(p.peek()); err == nil {
			p.i++
			n = v
			return v > 0 && ordinal(v) == strconv.Itoa(v)+p.take("st", "nd", "rd", "th")
		}
		if tens := cardinals[p.peek()]; tens == 20 || tens == 30 {
			p.i++
			p.took("-")
			n = tens + ordinalWords[p.peek()]
			p.i++
			return n > tens && n < tens+10
		}
		n = ordinalWords[p.peek()]
		p.i++
		return n != 0
	})
	if ok && n > 0 && (p.seq("to last") || p.seq("last")) {
		n = -n
	}
	return n, ok
}

// unit reads hour, day, week and so on, n times.
func (p *parser) unit(n int, s *span) bool {
	switch u := p.peek(); {
	case clockUnits[u] != 0:
		s.clock += time.Duration(n) * clockUnits[u]
	case u == "day":
		s.days += n
	case u == "week":
		s.weeks += n
	case u == "fortnight":
		s.weeks += 2 * n
	case u == "month":
		s.months += n
	default:
		return false
	}
	p.i++
	return true
}

// duration reads 5 minutes, 1h30m, an hour and a half, or half an hour.
func (p *parser) duration() (s span, ok bool) {
	ok = p.try(func() bool {
		switch {
		case p.seq("half an hour"), p.seq("half hour"):
			s.clock = 30 * time.Minute
			return true
		case p.seq("quarter of an hour"), p.seq("quarter hour"):
			s.clock = 15 * time.Minute
			return true
		}
		if f, err := strconv.ParseFloat(p.peek(), 64); err == nil && strings.Contains(p.peek(), ".") && f < 1e6 && p.at(1) == "hour" {
			p.i += 2
			s.clock = time.Duration(f * float64(time.Hour)).Round(time.Second)
			return true
		}
		for first := true; ; first = false {
			if !p.try(func() bool {
				if !first {
					p.took("and")
				}
				n, counted := p.number()
				if !counted && first {
					if p.took("a", "an") && p.at(-2) == "every" {
						return false
					}
					n = 1
				} else if !counted {
					return false
				}
				if n > 1e6 {
					p.fail([]string{"every 90m", "in 2 weeks"}, "has a number that is too large")
				}
				if counted && p.seq("and a half hour") {
					s.clock = time.Duration(n)*time.Hour + 30*time.Minute
					return true
				}
				return p.unit(n, &s)
			}) {
				return !first
			}
			if s.clock == time.Hour && p.seq("and a half") {
				s.clock += 30 * time.Minute
			}
		}
	})
	return s, ok
}

// list reads members with commas, "and" or both between them.
func (p *parser) list(member func() bool) bool {
	if !p.try(member) {
		return false
	}
	for p.try(func() bool {
		if comma := p.took(","); !p.took("and") && !comma && !p.took("/") {
			return false
		}
		return member()
	}) {
	}
	return true
}
