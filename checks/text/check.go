// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package text judges arguments that are text for people or models: how long it is, which
// characters it holds, and whether some of them cannot be seen.
package text

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "text", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports text against the policy's demands, and invisible characters.
var Check = &check.Check{
	Name:    "text",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SyntaxLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     check.EachText("must be a string", (*Options).judge),
}
