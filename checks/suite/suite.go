// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package suite lists the checks that a Gate runs by default, in order.
package suite

//go:generate go run github.com/toolvet/toolvet/internal/checkdocs ../../docs/checks.md

import (
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/ambiguousargument"
	"github.com/toolvet/toolvet/checks/format"
	"github.com/toolvet/toolvet/checks/inputschema"
	"github.com/toolvet/toolvet/checks/knowntool"
	"github.com/toolvet/toolvet/checks/numberprecision"
	"github.com/toolvet/toolvet/checks/unknownargument"
)

// Default returns the default checks in the order in which their findings are told.
// The slice is the caller's own.
//
// Left out on purpose: a check of the tool's annotations. They are hints that a
// server gives of itself (MCP, server/tools), so nothing may rest on them.
func Default() []*check.Check {
	return []*check.Check{
		knowntool.Check,
		inputschema.Check,
		format.Check,
		unknownargument.Check,
		ambiguousargument.Check,
		numberprecision.Check,
	}
}
