// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"io"

	"github.com/toolvet/toolvet/internal/audit"
)

// JSON writes a report in the form of docs/audit-report.schema.json. The error is that of w.
func JSON(w io.Writer, r *audit.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
