// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package unknownargument checks for arguments that the tool does not declare.
package unknownargument

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/violation"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
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
	Bounded:  bounded.Promised(),
	Requests: true,
	Run:      run,
}

func run(_ context.Context, pass *check.Pass) error {
	for _, member := range pass.Call.Unknown {
		pass.Report(check.Finding{Message: fmt.Sprintf(`"params" has the member %q, which MCP does not know; a server may act on it`, strictjson.Printable(member, 64)),
			Suggestion: "give it as an argument, or leave it out"})
	}
	evaluation, err := pass.Evaluate()
	if err != nil {
		pass.Skipf("the arguments were not judged by the tool's schema")
		return nil
	}
	violation.Report(pass, evaluation.Unknown)
	return nil
}
