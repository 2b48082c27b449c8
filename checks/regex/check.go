// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package regex judges arguments that are regular expressions: whether the tool's engine
// compiles them, and whether they can take exponential time.
//
// The expression is never run. A parser reads it as the engine would, and builds an automaton
// that shows ambiguity: where one text can be matched in two ways within a loop, a backtracking
// engine tries them all.
package regex

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "regex", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports regular expressions that do not compile, or can explode.
var Check = &check.Check{
	Name:   "regex",
	Doc:    doc,
	Stage:  check.Semantic,
	Level:  check.SyntaxLevel,
	Demand: Demand,
	Run:    check.EachText("must be a string: a regular expression", judge),
}

func judge(o *Options, text string) []check.Finding {
	if f, bad := o.judge(text); bad {
		return []check.Finding{f}
	}
	return nil
}
