// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package ambiguousargument checks for arguments that some servers take for others.
package ambiguousargument

import (
	"context"
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/violation"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Check reports undeclared properties that differ from a declared one in case alone.
var Check = &check.Check{
	Name:     "ambiguous-argument",
	Doc:      doc,
	Stage:    check.Schema,
	Level:    check.SecurityLevel,
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
	violation.Report(pass, evaluation.Ambiguous)
	return nil
}
