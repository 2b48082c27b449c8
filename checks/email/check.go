// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package email judges arguments that are e-mail addresses (RFC 5321, RFC 6531).
package email

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "email", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports values other than one allowed e-mail address.
var Check = &check.Check{
	Name:    "email",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SyntaxLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     check.EachText("must be a string: an e-mail address", (*Options).judge),
}
