// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/checks/cron"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

var singleDay = lazyregexp.New(`^[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}\b`)

// looksLikeCron reports whether a text is meant as cron: one name, or fields that do not begin like English.
func looksLikeCron(text string) bool {
	if singleDay.MatchString(text) {
		return false
	}
	if text[0] == '@' || text[0] == '*' || strings.Contains(text, "=") {
		return true
	}
	first, rest, more := strings.Cut(text, " ")
	if !more || !strings.ContainsRune("0123456789", rune(first[0])) {
		return false
	}
	// "9am every day" is English, "0 9 * * mon" is not
	return strings.Trim(first, "0123456789*/,-") == "" && strings.ContainsRune("0123456789*?", rune(rest[0]))
}

var cronNear = []string{"0 9 * * 1-5", "@daily", "every weekday at 9am"}

func readCron(text string, zone *time.Location, now time.Time) (*Schedule, error) {
	if strings.Contains(text, "=") {
		return nil, wrong(cronNear, "names a time zone: give it as the job's zone")
	}
	if every, ok := strings.CutPrefix(strings.ToLower(text), "@every "); ok {
		if d, err := time.ParseDuration(strings.TrimSpace(every)); err == nil && d < time.Second {
			return nil, wrong([]string{"@every 90s", "every 2 hours"}, "has an interval that is not between a second and a year")
		}
		return readEnglish("every "+every, zone, now)
	}
	if from, to, ok := backward(strings.Fields(text)); ok {
		return nil, wrong(cronNear, "has a range that runs backward, %s-%s: write both parts of it, with a comma between them", from, to)
	}
	if _, err := cron.Next(text, time.UTC, time.Unix(0, 0), 1); err != nil {
		return nil, wrong(cronNear, "is no cron expression: %s", strings.TrimPrefix(err.Error(), "cron: "))
	}
	text = strings.ToLower(text)
	w := wall(func(after time.Time) time.Time {
		next, err := cron.Next(text, time.UTC, after, 1)
		if err != nil || len(next) == 0 {
			return time.Time{}
		}
		return next[0]
	})
	s := &Schedule{zone: zone, canonical: text, words: cronNames[text], next: w.fixed(zone)}
	fields := strings.Fields(text)
	if len(fields) == 5 {
		fields = append([]string{"0"}, fields...)
	}
	if text == "@hourly" || len(fields) == 6 && (star(fields[1]) || star(fields[2])) {
		s.next = w.elapsed(zone)
	}
	if s.words == "" {
		s.words = cronWords(fields)
	}
	return s, nil
}

// star reports whether a field begins with a star, as crontab(5) means it: */2, too.
func star(field string) bool { return field[0] == '*' || field[0] == '?' }

// quartz refuses a number for a day of the week beside signs that only Quartz has: it counts Sunday as 1.
func quartz(text string) error {
	fields := strings.Fields(strings.ToUpper(text))
	if len(fields) < 5 || !looksLikeCron(strings.Join(fields, " ")) {
		return nil
	}
	days := fields[len(fields)-1]
	if !strings.ContainsAny(stepless.ReplaceAllString(days, ""), "01234567") || !strings.ContainsAny(days, "#L") && !strings.Contains(text, "?") {
		return nil
	}
	if nth := ordinalDay.ReplaceAllString(days, ""); !strings.ContainsAny(stepless.ReplaceAllString(nth, ""), "01234567") {
		return nil // mon#1
	}
	return wrong([]string{"0 9 * * mon#1", "0 17 * * friL", "0 9 * * mon-fri"},
		"has a number for a day of the week beside ?, # or L, which are signs of Quartz: there Sunday is 1 and Monday 2, in crontab Monday is 1. Name the day")
}

var stepless, ordinalDay = lazyregexp.New(`/[0-9]+`), lazyregexp.New(`[A-Z]+#[0-9]`)

var numbers = lazyregexp.New(`\b([0-9]{1,9})-([0-9]{1,9})\b`)

// backward finds a range of numbers that ends before it begins: programs disagree on its meaning. Days of the week
// are a circle, and fri-mon has one meaning.
func backward(fields []string) (from, to string, found bool) {
	for _, f := range fields[:max(len(fields)-1, 0)] {
		for _, m := range numbers.FindAllStringSubmatch(f, -1) {
			a, errA := strconv.Atoi(m[1])
			b, errB := strconv.Atoi(m[2])
			if errA == nil && errB == nil && a > b {
				return m[1], m[2], true
			}
		}
	}
	return "", "", false
}

var cronNames = map[string]string{
	"@yearly": "every year on 1 January at 00:00", "@annually": "every year on 1 January at 00:00",
	"@monthly": "on the first day of every month at 00:00", "@weekly": "every Sunday at 00:00",
	"@daily": "every day at 00:00", "@midnight": "every day at 00:00", "@hourly": "every hour, at minute 0",
}

// cronWords describes six fields one by one.
func cronWords(fields []string) string {
	names := []string{"second", "minute", "hour", "day of the month", "month"}
	var parts []string
	add := func(i int) {
		if f := fields[i]; f != "*" && f != "?" && (i > 0 || f != "0") {
			parts = append(parts, names[i]+" "+f)
		}
	}
	for i := range 3 {
		add(i)
	}
	days, weekdays := fields[3], fields[5]
	switch on := cronWeekdays(weekdays); {
	case !restricted(weekdays):
		add(3)
	case !restricted(days):
		parts = append(parts, on)
	case star(days) || star(weekdays):
		parts = append(parts, fmt.Sprintf("day of the month %s and %s (both, as crontab(5) says of a field that begins with *)", days, on))
	default:
		parts = append(parts, fmt.Sprintf("day of the month %s or %s (either of the days, as crontab(5) says)", days, on))
	}
	add(4)
	switch {
	case len(parts) == 0 && fields[0] == "*":
		return "every second"
	case len(parts) == 0:
		return "every minute"
	}
	return "whenever the clock shows " + strings.Join(parts, ", ")
}

// cronWeekdays names the days of the week of a field. The expression is one that has been read.
func cronWeekdays(field string) string {
	var mask uint8
	var list []string
	for item := range strings.SplitSeq(field, ",") {
		if day, nth, ok := strings.Cut(strings.Replace(item, "#l", "l", 1), "#"); ok {
			list = append(list, "the "+ordinal(atoi(nth))+" "+cronDay(day).String()+" of the month")
			continue
		}
		if day, ok := strings.CutSuffix(strings.Replace(item, "#l", "l", 1), "l"); ok {
			list = append(list, "the last "+cronDay(day).String()+" of the month")
			continue
		}
		span, text, stepped := strings.Cut(item, "/")
		first, last, ranged := strings.Cut(span, "-")
		from, to, step := cronDay(first), cronDay(last), 1
		switch {
		case star(span):
			from, to = time.Sunday, time.Saturday
		case !ranged && stepped:
			to = time.Saturday
		case !ranged:
			to = from
		}
		if stepped {
			step = atoi(text)
		}
		if last == "7" && from <= time.Sunday {
			to = time.Saturday
		}
		for n := 0; n <= (int(to-from)+7)%7; n += step {
			mask |= 1 << ((int(from) + n) % 7)
		}
	}
	switch mask {
	case 0:
	case weekdayMask:
		list = append([]string{"Monday to Friday"}, list...)
	default:
		list = append(weekdayNames(mask), list...)
	}
	return and(list)
}

// cronDay returns the day of the week of a number, of which 7 is Sunday, or of a name.
func cronDay(text string) time.Weekday {
	if d, ok := dayNames[text]; ok {
		return d
	}
	return time.Weekday(atoi(text) % 7)
}

func restricted(field string) bool { return field != "*" && field != "?" }
