// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package cron judges arguments that are cron expressions, and tells when they fire.
package cron

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "cron", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports unreadable expressions, and expressions that never fire, fire too often, or
// change their meaning when clocks are put forward or back.
var Check = New(time.Now)

// New makes the check with a clock of the caller's.
func New(now func() time.Time) *check.Check {
	return &check.Check{
		Name:   "cron",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.SemanticLevel,
		Demand: Demand,
		Run: check.Each(func(pass *check.Pass, o *Options, value any) []check.Finding {
			text, ok := value.(string)
			if !ok {
				return []check.Finding{{Message: "must be a string: a cron expression such as 0 9 * * 1-5"}}
			}
			pass.Fleeting() // the findings depend on the time
			return o.judge(text, now())
		}),
	}
}

// judge returns what is wrong with an expression.
func (o *Options) judge(text string, now time.Time) []check.Finding {
	zone, err := o.zone()
	if err != nil {
		return []check.Finding{{Message: "cannot be judged: the policy's time zone is unknown here"}}
	}
	e, fault := o.read(text)
	if fault != nil {
		return []check.Finding{*fault}
	}
	now = now.In(zone)
	first := e.after(now)
	if first.IsZero() {
		return []check.Finding{{Message: "never fires: there is no such date", Suggestion: "give days that exist, such as 28 for February"}}
	}
	if o.MaxHorizon > 0 && first.After(now.Add(o.MaxHorizon)) {
		return []check.Finding{{Message: fmt.Sprintf("does not fire within %v from now", o.MaxHorizon), Suggestion: "give an earlier date"}}
	}
	var findings []check.Finding
	if interval := o.interval(); e.fasterThan(first, interval) {
		message := fmt.Sprintf("fires faster than every %v", interval)
		if interval == time.Minute {
			message = "fires faster than a minute"
		}
		findings = append(findings, check.Finding{Severity: check.Warning, Message: message, Suggestion: fmt.Sprintf("leave at least %v between two times", interval)})
	}
	return append(findings, e.shifts(now)...)
}
