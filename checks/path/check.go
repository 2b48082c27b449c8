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

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/workdir"
)

//go:embed README.md
var doc string

// Demand is the demand of this check and of package pathstate.
var Demand = &check.Demand{Name: "path", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports paths out of the allowed directories, and paths of a forbidden form.
var Check = &check.Check{
	Name:    "path",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     run,
}

func run(ctx context.Context, pass *check.Pass) error {
	for _, t := range pass.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := check.OptionsOf[Options](t)
		if err != nil {
			return err
		}
		for _, f := range o.judgeAll(pass, t) {
			f.Pointer = t.Pointer + f.Pointer
			pass.Report(f)
		}
	}
	return nil
}

// judgeAll judges a path in each directory in which it may begin, up to the first in which it is refused.
func (o *Options) judgeAll(pass *check.Pass, t check.Target) (faults []check.Finding) {
	path, ok := t.Value.(string)
	if !ok {
		return []check.Finding{{Level: check.SyntaxLevel, Message: "must be a string: the path of a file or directory"}}
	}
	if !workdir.Chosen(pass.Call) {
		return o.judge(pass.World, path)
	}
	worlds := o.worlds(pass.World, pass.Call, t.Pointer, path)
	if len(worlds) == 0 {
		return []check.Finding{{Message: "too many arguments beside it may be the directory in which it begins"}}
	}
	for _, world := range worlds {
		if faults = o.judge(world, path); refused(faults) {
			if f := &faults[len(faults)-1]; world.Base != pass.World.Base && f.Suggestion != "" {
				f.Suggestion = "give an absolute path: an argument beside it may say where relative ones start" // and never what it says
			}
			break
		}
	}
	return faults
}
