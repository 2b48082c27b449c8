// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	lib "github.com/netresearch/go-cron"

	"github.com/toolvet/toolvet/check"
)

// maxYears is how far away a first time is looked for: 29 February is eight years away
// at most, around a year such as 2100.
const maxYears = 12

// maxLength bounds an expression, in bytes: with a list of every minute there is room left.
const maxLength = 512

// A day of month and a day of week that are both given fire on either, as crontab(5) says, and on both if one of the
// fields begins with a star.
var either, both = newParser(lib.DowOrDom), newParser(0)

func newParser(option lib.ParseOption) lib.Parser {
	return lib.MustNewParser(lib.Second | lib.Minute | lib.Hour | lib.Dom | lib.Month | lib.Dow | lib.Descriptor | lib.Extended | option).
		WithMaxSearchYears(maxYears)
}

// star reports whether a field begins with a star, as crontab(5) means it: */2, too.
func star(field string) bool { return field[0] == '*' || field[0] == '?' }

var fieldNames = []string{"seconds", "minutes", "hours", "days of the month", "months", "days of the week"}

var fieldForms = []string{"0-59", "0-59", "0-23", "1-31, L or 15W", "1-12 or jan-dec", "0-7 or sun-sat, friL or 5#3"}

var macroForms = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// An expression is one that has been read.
type expression struct {
	schedule lib.Schedule
	// fixed means a given hour: a shift of the clock changes when, or how often, it fires.
	fixed bool
	// fine says that it may fire more than once a minute.
	fine bool
}

// read reads an expression of the forms that the policy allows.
func (o *Options) read(text string) (*expression, *check.Finding) {
	fail := func(message, mend string) (*expression, *check.Finding) {
		return nil, &check.Finding{Level: check.SyntaxLevel, Message: message, Suggestion: mend}
	}
	if len(text) > maxLength {
		return fail(fmt.Sprintf("is longer than the allowed %d bytes", maxLength), "use ranges and steps")
	}
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "@every"):
		if !o.allows(every) {
			return fail("uses @every, which is not allowed", "write the fields, such as */5 * * * *")
		}
	case strings.HasPrefix(text, "@"):
		if !o.allows(macros) {
			return fail("uses a name instead of fields, which is not allowed", "write the fields, such as 0 0 * * * for every day")
		}
	case strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ="):
		return fail("names a time zone, which is not allowed", "leave it out: the times are in "+o.zoneName())
	default:
		if n, want := len(strings.Fields(text)), o.fields(); n != want {
			return fail(fmt.Sprintf("has %d fields; must have %d: %s", n, want, strings.Join(fieldNames[6-want:], ", ")), "such as "+o.example())
		}
	}
	e, err := parse(text)
	if err != nil {
		var bad *fieldError
		if errors.As(err, &bad) {
			return fail(fmt.Sprintf("the field of %s is wrong: allowed are %s, lists, ranges and steps", fieldNames[bad.field], fieldForms[bad.field]), "such as "+o.example())
		}
		return fail("is not a name known to cron; allowed are @yearly, @monthly, @weekly, @daily, @hourly and, where the policy says so, @every with a duration of at least 1s", "such as "+o.example())
	}
	return e, nil
}

func (o *Options) zoneName() string {
	if o.Timezone == "" {
		return "UTC"
	}
	return o.Timezone
}

func (o *Options) fields() int {
	if o.Seconds {
		return 6
	}
	return 5
}

func (o *Options) example() string {
	if o.Seconds {
		return "0 30 9 * * mon-fri"
	}
	return "30 9 * * mon-fri"
}

// A fieldError says which field is wrong; the library's own errors do not.
type fieldError struct{ field int }

func (e *fieldError) Error() string { return "the field of " + fieldNames[e.field] + " is wrong" }

// parse reads five or six fields, a macro or @every.
func parse(text string) (*expression, error) {
	if strings.HasPrefix(text, "@every ") {
		schedule, err := either.Parse(text)
		return &expression{schedule: schedule, fine: true}, err
	}
	if strings.HasPrefix(text, "@") {
		form, known := macroForms[strings.ToLower(text)]
		if !known {
			return nil, errors.New("the macro is unknown")
		}
		text = form
	}
	fields := strings.Fields(text)
	if len(fields) == 5 {
		fields = append([]string{"0"}, fields...)
	}
	if len(fields) != 6 {
		return nil, fmt.Errorf("an expression has 5 or 6 fields, not %d", len(fields))
	}
	parser := either
	if star(fields[3]) || star(fields[5]) {
		parser = both
	}
	fixed := !star(fields[1]) && !star(fields[2])
	for i, field := range fields {
		if !plainField(field) {
			return nil, &fieldError{i}
		}
		fields[i] = understood(i, field)
	}
	schedule, err := parser.Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, wrongField(fields)
	}
	spec, ok := schedule.(*lib.SpecSchedule)
	if ok {
		spec.Location = time.Local // of the time that it is asked for; see the library's Next
	}
	return &expression{schedule: schedule, fixed: fixed, fine: fields[0] != "0"}, nil
}

// plainField refuses what the library takes and other crons do not: an empty member of a
// list, and a zone in place of a field.
func plainField(field string) bool {
	return field[0] != ',' && field[len(field)-1] != ',' && !strings.Contains(field, ",,") && !strings.Contains(field, "=") && field[0] != '@'
}

// values are the numbers of values of the fields.
var values = []int{60, 60, 24, 31, 12, 7}

// understood writes a field as the library reads it. The library refuses a step that is larger than its range, which
// others read as the first value alone, and wants fri#L for friL.
func understood(i int, field string) string {
	list := strings.Split(field, ",")
	for n, item := range list {
		if i == 5 && len(item) == 4 && (item[3] == 'L' || item[3] == 'l') {
			list[n] = item[:3] + "#L"
		}
		values := values[i]
		span, text, _ := strings.Cut(item, "/")
		step, err := strconv.Atoi(text)
		if err != nil || step < 2 || step > values || readable(i, item) || !readable(i, span+"/1") {
			continue
		}
		if list[n], _, _ = strings.Cut(span, "-"); star(span) {
			list[n] = []string{"0", "0", "0", "1", "1", "0"}[i]
		}
	}
	return strings.Join(list, ",")
}

func readable(i int, field string) bool {
	alone := []string{"0", "*", "*", "*", "*", "*"}
	alone[i] = field
	_, err := either.Parse(strings.Join(alone, " "))
	return err == nil
}

// wrongField finds the first unreadable field among readable ones.
func wrongField(fields []string) error {
	for i, field := range fields {
		if !readable(i, field) {
			return &fieldError{i}
		}
	}
	return errors.New("the fields do not go together")
}
