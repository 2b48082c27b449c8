// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package moment

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// messages runs the check over one value.
func messages(t *testing.T, o *Options, value any) []string {
	t.Helper()
	c := New(func() time.Time { return now })
	pass := check.NewPass(c, &call.Call{}, nil)
	pass.Targets = []check.Target{{Pointer: "/due", Value: value, Options: o}}
	if err := c.Run(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range pass.Findings() {
		got = append(got, f.Severity.String()+" "+f.String())
	}
	return got
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options Options
		value   any
		want    string // part of the message; "" for none
	}{
		"date-time":            {Options{}, "2026-01-31T09:30:00Z", ""},
		"fraction":             {Options{}, "2026-01-31T09:30:00.25+01:00", ""},
		"lower case":           {Options{}, "2026-01-31t09:30:00Z", ""},
		"no zone":              {Options{}, "2026-01-31T09:30:00", "with its zone (RFC 3339)"},
		"words":                {Options{}, "tomorrow", "must be a date and time"},
		"number":               {Options{}, json.Number("12"), "must be a date and time"},
		"boolean":              {Options{Format: "unix"}, true, "must be a number of seconds"},
		"date":                 {Options{Format: "date"}, "2026-01-31", ""},
		"no such date":         {Options{Format: "date"}, "2026-02-30", "must be a date such as"},
		"leap day":             {Options{Format: "date"}, "2028-02-29", ""},
		"time":                 {Options{Format: "time"}, "09:30:00", ""},
		"time, no such":        {Options{Format: "time"}, "25:00:00", "must be a time of day"},
		"time with zone":       {Options{Format: "time", TimezoneRequired: true}, "09:30:00Z", ""},
		"time needs zone":      {Options{Format: "time", TimezoneRequired: true}, "09:30:00", "must name its time zone"},
		"rfc1123":              {Options{Format: "rfc1123", TimezoneRequired: true}, "Sat, 21 Nov 2026 09:30:00 GMT", ""},
		"rfc1123, zone unread": {Options{Format: "rfc1123", TimezoneRequired: true}, "Sat, 21 Nov 2026 09:30:00 XYZ", "must name its time zone"},
		"unix":                 {Options{Format: "unix", Past: true}, json.Number("1700000000"), ""},
		"unix as text":         {Options{Format: "unix"}, "1700000000", ""},
		"unix in milliseconds": {Options{Format: "unix"}, json.Number("1700000000000"), "must be a number of seconds"},
		"unix with fraction":   {Options{Format: "unix"}, json.Number("1.5"), "must be a number of seconds"},
		"layout":               {Options{Format: "02.01.2006"}, "31.12.2026", ""},
		"layout, other":        {Options{Format: "02.01.2006"}, "2026-12-31", "of the form 02.01.2006"},
		"future":               {Options{Future: true}, "2026-11-21T09:30:01Z", ""},
		"not future":           {Options{Future: true}, "2026-11-21T09:30:00Z", "must be in the future; the current time is 2026-11-21T09:30:00Z"},
		"not future, by zone":  {Options{Future: true}, "2026-11-21T10:00:00+01:00", "must be in the future"},
		"future date":          {Options{Format: "date", Future: true}, "2026-11-22", ""},
		"today is not future":  {Options{Format: "date", Future: true}, "2026-11-21", "must be in the future; the current date is 2026-11-21"},
		"today is not past":    {Options{Format: "date", Past: true}, "2026-11-21", "must be in the past"},
		"after now+24h":        {Options{After: "now+24h"}, "2026-11-22T09:30:01Z", ""},
		"not after now+24h":    {Options{After: "now+24h"}, "2026-11-22T09:30:00Z", "must be after 2026-11-22T09:30:00Z"},
		"before a date":        {Options{Format: "date", Before: "2027-01-01"}, "2026-12-31", ""},
		"not before a date":    {Options{Format: "date", Before: "2027-01-01"}, "2027-01-01", "must be before 2027-01-01"},
		"a bound that is none": {Options{Before: "soon"}, "2020-01-01T00:00:00Z", "must be before"},
		"long":                 {Options{}, strings.Repeat("2", 1<<20), "must be a date and time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := messages(t, &tt.options, tt.value)
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
				t.Errorf("got %q, want one with %q", got, tt.want)
			}
		})
	}
}

// TestExample holds that the README shows what the check says.
func TestExample(t *testing.T) {
	t.Parallel()
	for _, line := range messages(t, &Options{Format: "date", Future: true}, "2025-11-21") {
		if !strings.Contains(doc, "    "+line+"\n") {
			t.Errorf("the README does not show %q", line)
		}
	}
	if err := check.Validate([]*check.Check{Check}); err != nil {
		t.Error(err)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options Options
		want    []string // fields
	}{
		"zero":             {Options{}, nil},
		"all fine":         {Options{Format: "02.01.2006", After: "now-30m", Before: "2027-01-01T00:00:00Z", Future: true}, nil},
		"no layout":        {Options{Format: "iso"}, []string{"format"}},
		"bounds":           {Options{After: "soon", Before: "now24h"}, []string{"after", "before"}},
		"past and future":  {Options{Past: true, Future: true}, []string{"past"}},
		"time has no date": {Options{Format: "time", Past: true}, []string{"format"}},
		"date has no zone": {Options{Format: "date", TimezoneRequired: true}, []string{"timezone_required"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range tt.options.Problems() {
				got = append(got, p.Field)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzJudge holds that the check never lets a time through that is not in the future, and
// that it never fails.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"2026-11-21T09:30:00Z", "2027-11-21T09:30:00-23:59", "tomorrow", "", "9999-12-31T23:59:59Z", "2026-02-30T00:00:00Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := messages(t, &Options{Future: true}, text)
		read, err := time.Parse(time.RFC3339, strings.ToUpper(text))
		if len(got) == 0 && (err != nil || !read.After(now)) {
			t.Errorf("%q passes as a time in the future", text)
		}
	})
}
