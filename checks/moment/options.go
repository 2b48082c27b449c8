// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package moment

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/check"
)

// Options are what a policy demands of a date or time. The zero Options demand a date and
// time as RFC 3339 has it, with its zone.
type Options struct {
	Format           string `policy:"format" doc:"date (2026-01-31), date-time (RFC 3339), time (09:30:00), rfc1123, unix (seconds since 1970), or a layout of Go's package time (02.01.2006 15:04); default: date-time"`
	After            string `policy:"after" doc:"the earliest time, which is excluded: RFC 3339, a date, now, or now+24h, now-30m"`
	Before           string `policy:"before" doc:"the latest time, which is excluded: of the same forms"`
	Future           bool   `policy:"future" doc:"true: it must be in the future"`
	Past             bool   `policy:"past" doc:"true: it must be in the past"`
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
	return "a date or time of the form " + o.Format
}

// noun says what a value is.
func (o *Options) noun() string {
	switch o.format() {
	case date:
		return "date"
	case clock:
		return "time of day"
	}
	return "time"
}

// layout is how messages write a time.
func (o *Options) layout() string {
	if o.format() == date {
		return time.DateOnly
	}
	return time.RFC3339
}

// example is a time of the form that is meant.
func (o *Options) example(now time.Time) string {
	now = now.UTC().Truncate(time.Second)
	if o.format() == unix {
		return strconv.FormatInt(now.Unix(), 10)
	}
	if o.format() == rfc1123 {
		return now.Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
	if f, ok := formats[o.format()]; ok {
		return now.Format(f.layouts[0])
	}
	return now.Format(o.Format)
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
	layouts := []string{o.Format}
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

// Problems reports what is wrong with the options.
func (o *Options) Problems() []check.Problem {
	var list []check.Problem
	fail := func(field, message string, args ...any) {
		list = append(list, check.Problem{Field: field, Message: fmt.Sprintf(message, args...)})
	}
	sample := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)
	if _, known := formats[o.format()]; !known && sample.AddDate(3, 4, 5).Format(o.Format) == o.Format {
		fail("format", "must be date, date-time, time, rfc1123, unix, or a layout that writes 2 January 2006, 15:04:05, such as 02.01.2006")
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
