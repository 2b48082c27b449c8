// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package json judges strings that must hold JSON.
package json

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "json", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports strings without the demanded JSON.
var Check = &check.Check{
	Name:    "json",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SyntaxLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     check.EachText("must be a string: a JSON text", (*Options).judge),
}
