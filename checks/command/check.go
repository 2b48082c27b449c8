// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package command judges arguments that are commands: one command line, or the words of
// one (an argv array), by their text alone.
//
// A command line must be one plain command that needs no shell: whatever a shell would
// act on must stand in quotes. The words of an array reach the program as they are. In
// both, the program must be allowed, and no word may make it start another program, run
// code, or touch what no tool should. Package commandstate asks whether the program exists.
package command

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/workdir"
)

//go:embed README.md
var doc string

// Demand is the demand of this check and of package commandstate. An array is one
// command, not a list of them.
var Demand = &check.Demand{Name: "command", Options: func() any { return new(Options) }, Lists: true, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports commands that need a shell, forbidden programs, and words that make an allowed
// program do more than its name says.
var Check = &check.Check{
	Name:    "command",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     run,
}

// run judges each command in each directory in which it may begin.
func run(ctx context.Context, pass *check.Pass) error {
	begins := workdir.Finder{Base: pass.World.Base, Call: pass.Call}
	for _, t := range pass.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := check.OptionsOf[Options](t)
		if err != nil {
			return err
		}
		j := &judge{}
		dirs := begins.In(t.Pointer)
		if len(dirs) == 0 {
			j.fail(-1, "too many arguments beside it may be its working directory", "")
		}
		for _, dir := range dirs {
			for _, f := range o.judgeAt(pass.World, dir, t.Value) {
				j.once(f)
			}
		}
		for _, f := range j.faults {
			f.Pointer = t.Pointer + f.Pointer
			pass.Report(f)
		}
	}
	return nil
}
