// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package identifier judges names in forms that programs agree on: a UUID, a slug, a git
// reference, a host, a version …
package identifier

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "identifier", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports identifiers that lack the demanded form.
var Check = &check.Check{
	Name:    "identifier",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SyntaxLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     check.EachText("must be a string: an identifier", (*Options).judge),
}
