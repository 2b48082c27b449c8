// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package checkdoc reads the documentation of checks.
package checkdoc

import "strings"

// Summary is the first paragraph of a check's documentation, on one line.
func Summary(doc string) string {
	_, body, _ := strings.Cut(doc, "\n")
	paragraph, _, _ := strings.Cut(strings.TrimSpace(body), "\n\n")
	return strings.Join(strings.Fields(paragraph), " ")
}
