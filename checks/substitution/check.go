// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package substitution finds text for a shell in strings that are not command lines.
package substitution

import (
	_ "embed"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Options of the demand: it has none.
type Options struct{ _ byte } // not empty: pointers to nothing may be equal

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "substitution", Options: func() any { return new(Options) }}

// Check reports strings with text that a shell would run, and strings with a NUL.
var Check = &check.Check{
	Name:    "substitution",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     check.Each(judge),
}

func judge(_ *check.Pass, _ *Options, value any) []check.Finding {
	s, _ := value.(string) // the schema judges values of other types
	switch {
	case strings.ContainsRune(s, 0):
		return []check.Finding{{Message: "must not hold a NUL character: some programs stop reading there", Suggestion: "leave it out"}}
	case substitutes(s):
		return []check.Finding{{
			Message:    "must not hold $(…), <(…), >(…) or a text between backticks: a shell would run it",
			Suggestion: "give the value itself; where the characters are meant, a policy must speak of the argument",
		}}
	}
	return nil
}

// substitutes reports whether a shell that reads s would run a part of it (POSIX,
// XCU 2.6.3, and the process substitution of bash).
func substitutes(s string) bool {
	if strings.Count(s, "`") > 1 {
		return true
	}
	for _, begin := range []string{"$(", "<(", ">("} {
		if _, rest, found := strings.Cut(s, begin); found && strings.Contains(rest, ")") {
			return true
		}
	}
	return false
}
