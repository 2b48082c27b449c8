// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package moment judges arguments that are dates or times: their form, and whether they
// lie where the policy wants them. The demand is named "time".
package moment

import (
	_ "embed"
	"encoding/json"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "time", Options: func() any { return new(Options) }}

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
		return []check.Finding{{Message: "must be " + o.form(), Suggestion: "such as " + o.example(now)}}
	}
	t, zoned, err := o.read(text)
	if err != nil {
		return []check.Finding{{Level: check.SyntaxLevel, Message: "must be " + o.form(), Suggestion: "such as " + o.example(now)}}
	}
	if o.TimezoneRequired && !zoned {
		return []check.Finding{{Message: "must name its time zone, as Z or an offset", Suggestion: "such as " + now.UTC().Format(time.RFC3339)}}
	}
	return o.place(t, now)
}

// place judges where a time lies.
func (o *Options) place(t, now time.Time) []check.Finding {
	var findings []check.Finding
	current := "the current time is " + now.UTC().Format(time.RFC3339)
	limit := func(bound time.Time) time.Time { return bound }
	if o.format() == date { // a day is compared with a day: today is neither past nor future
		current = "the current date is " + now.UTC().Format(time.DateOnly)
		limit = func(bound time.Time) time.Time { return bound.UTC().Truncate(24 * time.Hour) }
	}
	fail := func(message string) {
		findings = append(findings, check.Finding{Message: message + "; " + current, Suggestion: "give another " + o.noun()})
	}
	if o.Future && !t.After(limit(now)) {
		fail("must be in the future")
	}
	if o.Past && !t.Before(limit(now)) {
		fail("must be in the past")
	}
	if bound, err := boundOf(o.After, now); o.After != "" && (err != nil || !t.After(limit(bound))) {
		fail("must be after " + bound.Format(o.layout()))
	}
	if bound, err := boundOf(o.Before, now); o.Before != "" && (err != nil || !t.Before(limit(bound))) {
		fail("must be before " + bound.Format(o.layout()))
	}
	return findings
}
