// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package inputschema checks arguments against the tool's inputSchema.
package inputschema

import (
	"context"
	_ "embed"
	"errors"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/violation"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/schema"
)

//go:embed README.md
var doc string

// Check reports every violation of the tool's inputSchema, and schemas that cannot
// be used. Formats are left to package format.
var Check = &check.Check{
	Name:     "input-schema",
	Doc:      doc,
	Stage:    check.Schema,
	Level:    check.SyntaxLevel,
	Bounded:  bounded.Promised(),
	Requests: true,
	Run:      run,
}

func run(_ context.Context, pass *check.Pass) error {
	if pass.Call.Tool == nil || pass.Call.Tool.Fault != nil {
		pass.Skipf("there is no schema: the tool is unknown or its definition unusable")
		return nil
	}
	evaluation, err := pass.Evaluate()
	var fault *schema.CompileError
	switch {
	case errors.As(err, &fault):
		pass.Reportf("", "the tool's inputSchema cannot be used, so its calls cannot be judged: %v", fault)
	case err != nil:
		pass.Reportf("", "the arguments could not be judged by the tool's inputSchema: %v", err)
	default:
		violation.Report(pass, evaluation.Violations)
	}
	return nil
}
