// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package url checks where a URL leads, without asking the network. Package urlstate asks.
package url

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is "url: {…}" in a policy.
var Demand = &check.Demand{Name: "url", Options: func() any { return new(Options) }}

// Check reports URLs that the options do not allow.
var Check = &check.Check{
	Name:   "url",
	Doc:    doc,
	Stage:  check.Semantic,
	Level:  check.SecurityLevel,
	Demand: Demand,

	Bounded: bounded.Promised(), // by max_length
	Run:     check.Each(judge),
}

// OptionsOf returns the options of a target of the demand, the zero Options if it has none.
func OptionsOf(target check.Target) *Options {
	if o, ok := target.Options.(*Options); ok && o != nil {
		return o
	}
	return new(Options)
}

func judge(_ *check.Pass, o *Options, value any) []check.Finding {
	raw, ok := value.(string)
	if !ok {
		return []check.Finding{{Level: check.SyntaxLevel, Message: "must be a string with a URL"}}
	}
	_, findings := o.Judge(raw)
	return findings
}
