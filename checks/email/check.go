// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package email judges arguments that are e-mail addresses (RFC 5321, RFC 6531).
package email

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Rule is the rule that the check answers.
var Rule = &check.Rule{Name: "email", Options: func() any { return new(Options) }}

// Check reports what is not one e-mail address, or one that is not allowed.
var Check = &check.Check{
	Name:    "email",
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
			pass.Reportf(t.Pointer, "must be a string: an e-mail address")
			continue
		}
		for _, f := range o.judge(value) {
			f.Pointer = t.Pointer
			pass.Report(f)
		}
	}
	return nil
}
