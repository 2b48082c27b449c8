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

// looksLikeCron reports whether a text is meant as cron: one name, or fields that do not begin like English.
func looksLikeCron(text string) bool {
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
	s := &Schedule{zone: zone, canonical: text, next: w.fixed(zone)}
	fields := strings.Fields(text)
	if text == "@hourly" || len(fields) > 1 && strings.Trim(fields[len(fields)-4], "*?") == "" {
		s.next = w.elapsed(zone)
	}
	s.words = cronWords(text, fields)
	return s, nil
}

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

// cronWords describes the fields one by one.
func cronWords(text string, fields []string) string {
	if said := cronNames[text]; said != "" {
		return said
	}
	names := []string{"second", "minute", "hour", "day of the month", "month", "day of the week"}
	if len(fields) == 5 {
		names = names[1:]
	}
	var parts []string
	for i, f := range fields {
		if f != "*" && f != "?" {
			parts = append(parts, names[i]+" "+f)
		}
	}
	days := len(fields) - 3
	either := ""
	if restricted(fields[days]) && restricted(fields[days+2]) {
		either = " (either of the days, as crontab(5) says)"
	}
	switch {
	case len(parts) == 0 && len(fields) == 6:
		return "every second"
	case len(parts) == 0:
		return "every minute"
	}
	return fmt.Sprintf("whenever the clock shows %s%s", strings.Join(parts, ", "), either)
}

func restricted(field string) bool { return field != "*" && field != "?" }
