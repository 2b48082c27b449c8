// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package violation turns what is found against a schema into findings.
package violation

import (
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/schema"
)

// Report reports what was found against a schema.
func Report(pass *check.Pass, violations []schema.Violation) {
	for _, v := range violations {
		pass.Report(check.Finding{Pointer: v.Pointer, Message: v.Message, Suggestion: v.Suggestion, Value: v.Value})
	}
}
