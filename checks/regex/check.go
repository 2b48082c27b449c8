// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package regex judges arguments that are regular expressions: whether the tool's engine
// compiles them, and whether they can take exponential time.
//
// The expression is never run. A parser reads it as the engine would, and of what it
// read an automaton is made in which ambiguity can be seen: where one text can be matched
// in two ways within a loop, a backtracking engine tries them all.
package regex

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Rule is the rule that the check answers.
var Rule = &check.Rule{Name: "regex", Options: func() any { return new(Options) }}

// Check reports regular expressions that do not compile, or can explode.
var Check = &check.Check{
	Name:  "regex",
	Doc:   doc,
	Stage: check.Semantic,
	Level: check.SyntaxLevel,
	Rule:  Rule,
	Run:   run,
}

func run(ctx context.Context, pass *check.Pass) error {
	for _, t := range pass.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, ok := t.Options.(*Options)
		if !ok {
			o = new(Options) // no demands but those that hold for every expression
		}
		value, ok := t.Value.(string)
		if !ok {
			pass.Reportf(t.Pointer, "must be a string: a regular expression")
			continue
		}
		if f, bad := o.judge(value); bad {
			f.Pointer = t.Pointer
			pass.Report(f)
		}
	}
	return nil
}
