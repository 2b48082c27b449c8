// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package knownmethod checks that MCP has the method of a request.
package knownmethod

import (
	"context"
	_ "embed"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Check reports requests and notifications that MCP does not have.
var Check = &check.Check{
	Name:     "known-method",
	Doc:      doc,
	Stage:    check.Schema,
	Level:    check.SyntaxLevel,
	Severity: check.Warning,
	Bounded:  bounded.Promised(),
	Requests: true,
	Run:      run,
}

func run(_ context.Context, pass *check.Pass) error {
	if c := pass.Call; !c.KnownMethod() {
		what := "request"
		if strings.HasPrefix(c.Method, "notifications/") {
			what = "notification"
		}
		pass.Report(check.Finding{Message: "MCP has no " + what + " of this name, so nothing is known of its params"})
	}
	return nil
}
