// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package identifier judges arguments that name something in a form that programs agree
// on: a UUID, a slug, a git reference, a host, a version …
package identifier

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Rule is the rule that the check answers.
var Rule = &check.Rule{Name: "identifier", Options: func() any { return new(Options) }}

// Check reports identifiers that are not of the form that is asked for.
var Check = &check.Check{
	Name:    "identifier",
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
			o = new(Options) // no demands but those that hold everywhere
		}
		value, ok := t.Value.(string)
		if !ok {
			pass.Reportf(t.Pointer, "must be a string: an identifier")
			continue
		}
		for _, f := range o.judge(value) {
			f.Pointer = t.Pointer
			pass.Report(f)
		}
	}
	return nil
}
