// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package knowntool checks that the server lists the called tool.
package knowntool

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/schema"
)

//go:embed README.md
var doc string

// Check reports calls of unlisted tools, and of tools with an unusable definition.
var Check = &check.Check{
	Name:    "known-tool",
	Doc:     doc,
	Stage:   check.Schema,
	Level:   check.SyntaxLevel,
	Bounded: bounded.Promised(),
	Run:     run,
}

func run(_ context.Context, pass *check.Pass) error {
	c := pass.Call
	switch {
	case c.Tool == nil:
		f := check.Finding{Message: "the server lists no tool of this name"}
		if near := schema.Nearest(c.Name, c.Known.Names()); near != "" {
			f.Suggestion, f.Source = "did you mean the tool "+near+"?", near
		}
		pass.Report(f)
	case c.Tool.Fault != nil:
		pass.Reportf("", "the tool cannot be judged: %v", c.Tool.Fault)
	}
	return nil
}
