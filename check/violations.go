// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"strings"

	"github.com/toolvet/toolvet/schema"
)

// ReportViolations reports what was found against a schema.
func ReportViolations(pass *Pass, violations []schema.Violation) {
	for _, v := range violations {
		pass.Report(Finding{Pointer: v.Pointer, Message: v.Message, Suggestion: v.Suggestion, Value: v.Value})
	}
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// EscapePointer writes a property's name as a step of a JSON Pointer (RFC 6901,
// section 3).
func EscapePointer(name string) string { return pointerEscaper.Replace(name) }

// UnescapePointer reads a step of a JSON Pointer as the name that it stands for.
func UnescapePointer(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}
