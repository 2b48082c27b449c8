// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package unknownargument checks for arguments that the tool does not declare.
package unknownargument

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Check reports properties that the schema neither declares nor forbids.
var Check = &check.Check{
	Name:     "unknown-argument",
	Doc:      doc,
	Stage:    check.Schema,
	Level:    check.SyntaxLevel,
	Severity: check.Warning,
	Bounded:  true,
	Run:      run,
}

func run(_ context.Context, pass *check.Pass) error {
	evaluation, err := pass.Evaluate()
	if err != nil {
		pass.Skipf("the arguments were not judged by the tool's schema")
		return nil
	}
	check.ReportViolations(pass, evaluation.Unknown)
	return nil
}
