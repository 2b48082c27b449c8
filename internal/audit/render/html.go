// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

//go:embed report.html
var page string

// HTML writes a report as a self-contained page: no script, and no style or picture from
// elsewhere. The error is that of w.
func HTML(w io.Writer, r *audit.Report) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"sure":     sure,
		"sentence": sentence,
		"badge": func() (template.HTML, error) {
			var b strings.Builder
			err := Badge(&b, r)
			return template.HTML(b.String()), err // it contains only the grade
		},
		"proven": func() []audit.Assessment { list, _ := r.Guards(); return list },
		"read":   func() []audit.Assessment { _, list := r.Guards(); return list },
	}).Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}
