// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package moment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/check"
)

// Options are what a policy demands of a date or time. The zero Options demand a date and
// time as RFC 3339 has it, with its zone.
type Options struct {
	Format           string `policy:"format" doc:"date (2026-01-31), date-time (RFC 3339), time (09:30:00), rfc1123, unix (seconds since 1970), or a form such as DD.MM.YYYY hh:mm, or as a layout of Go's package time (02.01.2006 15:04); default: date-time"`
	After            string `policy:"after" doc:"the earliest time, which is excluded: RFC 3339, a date, now, or now+24h, now-30m"`
	Before           string `policy:"before" doc:"the latest time, which is excluded: of the same forms"`
	Future           bool   `policy:"future" doc:"true: it must be in the future; with format date, today is not"`
	Past             bool   `policy:"past" doc:"true: it must be in the past; with format date, today is not"`
	TimezoneRequired bool   `policy:"timezone_required" doc:"true: it must name its zone, as Z or an offset; a date-time must in any case"`
}

const (
	date     = "date"
	dateTime = "date-time"
	clock    = "time"
	rfc1123  = "rfc1123"
	unix     = "unix"
)

// A format is a form of its own, with what messages call it.
type format struct {
	layouts []string // that are read; the first one is written
	form    string
}

var formats = map[string]format{
	date:     {[]string{time.DateOnly}, "a date such as 2026-01-31"},
	dateTime: {[]string{time.RFC3339, "2006-01-02t15:04:05Z07:00", "2006-01-02T15:04:05z07:00"}, "a date and time with its zone (RFC 3339), such as 2026-01-31T09:30:00Z"},
	clock:    {[]string{time.TimeOnly, "15:04:05Z07:00", "15:04"}, "a time of day such as 09:30:00"},
	rfc1123:  {[]string{time.RFC1123, time.RFC1123Z}, "a date and time such as Sat, 31 Jan 2026 09:30:00 GMT"},
	unix:     {[]string{time.RFC3339}, "a number of seconds since 1970"},
}

func (o *Options) format() string {
	if o.Format == "" {
		return dateTime
	}
	return o.Format
}

// form says what a value must be.
func (o *Options) form() string {
	if f, ok := formats[o.format()]; ok {
		return f.form
	}
	return "a " + o.noun() + " of the form " + people.Replace(o.layout())
}

// people writes a layout of Go as people do.
var people = strings.NewReplacer("2006", "YYYY", "January", "MONTH", "Jan", "MON", "Monday", "WEEKDAY", "Mon", "DAY", "MST", "ZONE", "Z07:00", "±hh:mm", "Z0700", "±hhmm",
	"-07:00", "±hh:mm", "-0700", "±hhmm", "-07", "±hh", "01", "MM", "02", "DD", "_2", "D", "03", "hh", "04", "mm", "05", "ss", "06", "YY", "15", "hh", "PM", "AM|PM", "pm", "am|pm",
	"1", "M", "2", "D", "3", "h", "4", "m", "5", "s")

// machine writes a form of people as a layout of Go.
var machine = strings.NewReplacer("YYYY", "2006", "yyyy", "2006", "YY", "06", "yy", "06", "MM", "01", "DD", "02", "dd", "02", "hh", "15", "HH", "15", "mm", "04", "ss", "05")

// layout is the layout of Go for a form that has no name.
func (o *Options) layout() string {
	if strings.Contains(o.Format, "YY") || strings.Contains(o.Format, "yy") || strings.Contains(strings.ToLower(o.Format), "hh:mm") {
		return machine.Replace(o.Format)
	}
	return o.Format
}

// isDay reports whether the form has a date and no time of day.
func (o *Options) isDay() bool {
	if _, named := formats[o.format()]; named {
		return o.format() == date
	}
	morning := time.Date(2006, 1, 2, 3, 4, 5, 0, time.UTC)
	return morning.Format(o.layout()) == morning.Add(10*time.Hour+11*time.Minute).Format(o.layout())
}

// noun says what a value is.
func (o *Options) noun() string {
	switch {
	case o.isDay():
		return "date"
	case o.format() == clock:
		return "time of day"
	}
	return "time"
}

// write writes a time in the form that is meant.
func (o *Options) write(t time.Time) string {
	t = t.UTC().Truncate(time.Second)
	if o.format() == unix {
		return strconv.FormatInt(t.Unix(), 10)
	}
	if o.format() == rfc1123 {
		return t.Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
	layouts := []string{o.layout()}
	if f, ok := formats[o.format()]; ok {
		layouts = f.layouts
	}
	if i := slices.IndexFunc(layouts, hasZone); o.TimezoneRequired && i > 0 {
		return t.Format(layouts[i])
	}
	return t.Format(layouts[0])
}

// example suggests a time of the form that is meant, which the demand allows; "" if none is near now or a bound.
func (o *Options) example(now time.Time) string {
	near := []time.Time{now}
	for _, bound := range []string{o.After, o.Before} {
		if t, err := boundOf(bound, now); bound != "" && err == nil {
			near = append(near, t)
		}
	}
	for _, t := range near {
		for _, d := range []time.Duration{0, time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour, 48 * time.Hour, -48 * time.Hour} {
			text := o.write(t.Add(d))
			if read, zoned, err := o.read(text); err == nil && (zoned || !o.TimezoneRequired) && len(o.place(read, now)) == 0 {
				return "such as " + text
			}
		}
	}
	return ""
}

// maxLength bounds a date or time, in bytes.
const maxLength = 128

// The last second that is read from a number: the end of the year 9999.
const lastSecond = 253402300799

// read reads a value, and says whether it names its zone.
func (o *Options) read(text string) (t time.Time, zoned bool, err error) {
	if len(text) > maxLength {
		return t, false, errors.New("too long")
	}
	if o.format() == unix {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds < -lastSecond || seconds > lastSecond {
			return t, false, errors.New("no number of seconds")
		}
		return time.Unix(seconds, 0).UTC(), true, nil
	}
	layouts := []string{o.layout()}
	if f, ok := formats[o.format()]; ok {
		layouts = f.layouts
	}
	for _, layout := range layouts {
		if t, err = time.Parse(layout, text); err == nil {
			return t, hasZone(layout) && !madeUpZone(t), nil
		}
	}
	return t, false, err
}

// hasZone reports whether a layout reads a zone.
func hasZone(layout string) bool {
	return strings.Contains(layout, "Z07") || strings.Contains(layout, "z07") || strings.Contains(layout, "-07") || strings.Contains(layout, "MST")
}

// madeUpZone reports whether a time has a zone whose abbreviation Go does not know and
// takes for UTC.
func madeUpZone(t time.Time) bool {
	name, offset := t.Zone()
	return offset == 0 && name != "UTC" && name != "GMT" && name != ""
}

// boundOf reads a bound of a policy.
func boundOf(text string, now time.Time) (time.Time, error) {
	if rest, ok := strings.CutPrefix(text, "now"); ok {
		if rest == "" {
			return now.UTC(), nil
		}
		d, err := time.ParseDuration(rest)
		if err != nil || rest[0] != '+' && rest[0] != '-' {
			return time.Time{}, errors.New("must be now, or now and a duration such as now+24h")
		}
		return now.UTC().Add(d), nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, nil
	}
	return time.Parse(time.RFC3339, text)
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	fail := func(field, message string, args ...any) {
		list = append(list, check.Problem{Field: field, Message: fmt.Sprintf(message, args...)})
	}
	sample := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)
	if _, known := formats[o.format()]; !known && sample.AddDate(3, 4, 5).Format(o.layout()) == o.layout() {
		fail("format", "must be date, date-time, time, rfc1123, unix, or a form such as DD/MM/YYYY or 02/01/2006")
	}
	for _, bound := range [][2]string{{"after", o.After}, {"before", o.Before}} {
		if _, err := boundOf(bound[1], sample); bound[1] != "" && err != nil {
			fail(bound[0], "must be a date, a time such as 2026-01-31T09:30:00Z, now, or now+24h")
		}
	}
	if o.Future && o.Past {
		fail("past", "must not stand beside future: no time is both")
	}
	if o.format() == clock && (o.Future || o.Past || o.After != "" || o.Before != "") {
		fail("format", "must not be time beside future, past, after or before: a time of day has no date")
	}
	if o.TimezoneRequired && o.format() == date {
		fail("timezone_required", "must not stand beside format: date, which has no zone")
	}
	return list
}
