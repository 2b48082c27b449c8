// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package moment judges arguments that are dates or times: their form, and whether they
// lie where the policy wants them. The demand is named "time".
package moment

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "time", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports dates and times of another form, that do not exist, or outside the allowed range.
var Check = New(time.Now)

// New makes the check with a clock of the caller's.
func New(now func() time.Time) *check.Check {
	return &check.Check{
		Name:    "time",
		Doc:     doc,
		Stage:   check.Semantic,
		Level:   check.SemanticLevel,
		Bounded: bounded.Promised(),
		Demand:  Demand,
		Run: check.Each(func(pass *check.Pass, o *Options, value any) []check.Finding {
			pass.Fleeting() // the findings depend on the time
			return o.judge(value, now())
		}),
	}
}

// judge returns what is wrong with a value.
func (o *Options) judge(value any, now time.Time) []check.Finding {
	text, isString := value.(string)
	if number, ok := value.(json.Number); ok && o.format() == unix {
		text, isString = number.String(), true
	}
	if !isString {
		return []check.Finding{{Message: "must be " + o.form(), Suggestion: o.example(now)}}
	}
	t, zoned, err := o.read(text)
	if err != nil {
		return []check.Finding{{Level: check.SyntaxLevel, Message: "must be " + o.form(), Suggestion: o.example(now)}}
	}
	if o.TimezoneRequired && !zoned {
		return []check.Finding{{Message: "must name its time zone, as Z or an offset", Suggestion: o.example(now)}}
	}
	var findings []check.Finding
	current := "; the current " + o.noun() + " is " + o.write(now)
	for _, message := range o.place(t, now) {
		findings = append(findings, check.Finding{Message: message + current, Suggestion: cmp.Or(o.example(now), "give another "+o.noun())})
	}
	return findings
}

// place says what is wrong with where a time lies.
func (o *Options) place(t, now time.Time) (faults []string) {
	limit := func(bound time.Time) time.Time { return bound }
	if o.isDay() { // a day is compared with a day: today is neither past nor future
		limit = func(bound time.Time) time.Time { return bound.UTC().Truncate(24 * time.Hour) }
	}
	fail := func(message string) { faults = append(faults, message) }
	if o.Future && !t.After(limit(now)) {
		fail("must be in the future")
	}
	if o.Past && !t.Before(limit(now)) {
		fail("must be in the past")
	}
	if bound, err := boundOf(o.After, now); o.After != "" && (err != nil || !t.After(limit(bound))) {
		fail("must be after " + o.write(bound))
	}
	if bound, err := boundOf(o.Before, now); o.Before != "" && (err != nil || !t.Before(limit(bound))) {
		fail("must be before " + o.write(bound))
	}
	return faults
}
