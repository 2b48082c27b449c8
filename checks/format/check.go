// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package format checks the formats that a tool's inputSchema declares.
package format

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/violation"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Check reports strings without the format from the schema.
var Check = &check.Check{
	Name:     "format",
	Doc:      doc,
	Stage:    check.Schema,
	Level:    check.SyntaxLevel,
	Severity: check.Warning,
	Bounded:  bounded.Promised(),
	Requests: true,
	Run:      run,
}

func run(_ context.Context, pass *check.Pass) error {
	evaluation, err := pass.Evaluate()
	if err != nil {
		pass.Skipf("the arguments were not judged by the tool's schema")
		return nil
	}
	violation.Report(pass, evaluation.Formats)
	return nil
}
