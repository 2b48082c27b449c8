// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package text judges arguments that are text for people or models: how long it is, which
// characters it holds, and whether some of them cannot be seen.
package text

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Rule is the rule that the check answers.
var Rule = &check.Rule{Name: "text", Options: func() any { return new(Options) }}

// Check reports text that is not as the policy demands, or holds characters that cannot be
// seen.
var Check = &check.Check{
	Name:    "text",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SyntaxLevel,
	Bounded: true,
	Rule:    Rule,
	Run:     run,
}

func run(ctx context.Context, pass *check.Pass) error {
	for _, t := range pass.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, ok := t.Options.(*Options)
		if !ok {
			o = new(Options) // no demands but those that hold for every text
		}
		value, ok := t.Value.(string)
		if !ok {
			pass.Reportf(t.Pointer, "must be a string")
			continue
		}
		for _, f := range o.judge(value) {
			f.Pointer = t.Pointer
			pass.Report(f)
		}
	}
	return nil
}
