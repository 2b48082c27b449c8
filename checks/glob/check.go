// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package glob judges arguments that are patterns of file names: their syntax, and that
// they neither leave the directory that they start in nor stand for too many names.
package glob

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Rule is the rule that the check answers.
var Rule = &check.Rule{Name: "glob", Options: func() any { return new(Options) }}

// Check reports patterns that do not parse, leave their directory, or cost too much.
var Check = &check.Check{
	Name:  "glob",
	Doc:   doc,
	Stage: check.Semantic,
	Level: check.SecurityLevel,
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
			o = new(Options) // no demands but those that hold everywhere
		}
		value, ok := t.Value.(string)
		if !ok {
			pass.Reportf(t.Pointer, "must be a string: a pattern of file names")
			continue
		}
		for _, f := range o.judge(value) {
			f.Pointer = t.Pointer
			pass.Report(f)
		}
	}
	return nil
}
