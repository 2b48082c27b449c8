// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package url checks where a URL leads, without asking the network. Package urlstate asks.
package url

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
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

	Bounded: true, // by max_length
	Run:     run,
}

// OptionsOf returns the options of a target of the rule, the zero Options if it has none.
func OptionsOf(target check.Target) *Options {
	if o, ok := target.Options.(*Options); ok && o != nil {
		return o
	}
	return new(Options)
}

func run(ctx context.Context, pass *check.Pass) error {
	for _, target := range pass.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, ok := target.Value.(string)
		if !ok {
			pass.Report(check.Finding{Pointer: target.Pointer, Level: check.SyntaxLevel, Message: "must be a string that holds a URL"})
			continue
		}
		_, findings := OptionsOf(target).Judge(raw)
		for _, f := range findings {
			f.Pointer = target.Pointer
			pass.Report(f)
		}
	}
	return nil
}
