// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package path judges arguments that name a file or a directory, by their text alone.
//
// A path must stay within the allowed directories however a server may come to read
// it: as it stands, percent-decoded, with its look-alike characters folded, with a
// backslash as a separator. Package pathstate asks the file system what the text
// cannot tell: where symbolic links lead, and whether there is such a file.
package path

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Demand is the demand that this check and that of package pathstate answer.
var Demand = &check.Demand{Name: "path", Options: func() any { return new(Options) }}

// Check reports paths that leave the allowed directories, and paths of a form that
// is not allowed.
var Check = &check.Check{
	Name:    "path",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: true,
	Demand:  Demand,
	Run:     run,
}

// OptionsOf returns what is demanded of a target: nothing but what holds for every path
// if it has no options.
func OptionsOf(t check.Target) (*Options, error) {
	switch o := t.Options.(type) {
	case *Options:
		return o, nil
	case nil:
		return new(Options), nil
	}
	return nil, fmt.Errorf("the options at %q are a %T, not those of the rule path", t.Pointer, t.Options)
}

func run(ctx context.Context, pass *check.Pass) error {
	for _, t := range pass.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := OptionsOf(t)
		if err != nil {
			return err
		}
		value, ok := t.Value.(string)
		if !ok {
			pass.Report(check.Finding{Pointer: t.Pointer, Level: check.SyntaxLevel, Message: "must be a string: the path of a file or directory"})
			continue
		}
		for _, f := range o.judge(pass.World, value) {
			pass.Report(check.Finding{Pointer: t.Pointer, Severity: f.severity, Level: f.level, Message: f.message, Suggestion: f.mend})
		}
	}
	return nil
}
