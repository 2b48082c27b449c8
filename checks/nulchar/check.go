// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package nulchar finds the character at which programs written in C stop reading.
package nulchar

import (
	_ "embed"
	"strings"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Options of the demand: it has none.
type Options struct{ _ byte } // not empty: pointers to nothing may be equal

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "nul", Options: func() any { return new(Options) }}

// Check reports strings that hold a NUL.
var Check = &check.Check{
	Name:    "nul",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: true,
	Demand:  Demand,
	Run:     check.Each(judge),
}

func judge(_ *check.Pass, _ *Options, value any) []check.Finding {
	// The schema judges values of other types.
	if s, ok := value.(string); !ok || !strings.ContainsRune(s, 0) {
		return nil
	}
	return []check.Finding{{Message: "must not hold a NUL character: some programs stop reading there", Suggestion: "leave it out"}}
}
