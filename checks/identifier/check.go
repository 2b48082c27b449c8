// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package identifier judges names in forms that programs agree on: a UUID, a slug, a git
// reference, a host, a version …
package identifier

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "identifier", Options: func() any { return new(Options) }}

// Check reports identifiers that lack the demanded form.
var Check = &check.Check{
	Name:    "identifier",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SyntaxLevel,
	Bounded: true,
	Demand:  Demand,
	Run:     check.EachText("must be a string: an identifier", (*Options).judge),
}
