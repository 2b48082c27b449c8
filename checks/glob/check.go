// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package glob judges arguments that are patterns of file names: their syntax, that they stay in
// their directory, and that they stand for few names.
package glob

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "glob", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports patterns that do not parse, leave their directory, or cost too much.
var Check = &check.Check{
	Name:   "glob",
	Doc:    doc,
	Stage:  check.Semantic,
	Level:  check.SecurityLevel,
	Demand: Demand,
	Run:    check.EachText("must be a string: a pattern of file names", (*Options).judge),
}
