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
	"strconv"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Demand is the demand that this check and that of package commandstate answer. An array is
// one command, not a list of them.
var Demand = &check.Demand{Name: "command", Options: func() any { return new(Options) }, Lists: true}

// Check reports commands that need a shell, programs that are not allowed, and words that
// make an allowed program do what its name does not say.
var Check = &check.Check{
	Name:    "command",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: true,
	Demand:  Demand,
	Run:     run,
}

func run(ctx context.Context, pass *check.Pass) error {
	for _, t := range pass.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, ok := t.Options.(*Options)
		if !ok {
			o = new(Options) // no demands but those that hold for every command
		}
		for _, f := range o.judge(t.Value) {
			pointer := t.Pointer
			if f.element >= 0 {
				pointer += "/" + strconv.Itoa(f.element)
			}
			pass.Report(check.Finding{Pointer: pointer, Severity: f.severity, Message: f.message, Suggestion: f.mend})
		}
	}
	return nil
}
