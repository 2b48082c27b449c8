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
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
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
	Run:     check.Each(func(pass *check.Pass, o *Options, value any) []check.Finding { return o.judgeIn(pass.World, value) }),
}
