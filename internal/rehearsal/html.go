// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

//go:embed report.html
var page string

// WriteHTML writes a report as a self-contained page, without scripts and without styles or pictures from elsewhere.
// The error is that of w.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"join":  func(list []string) string { return strings.Join(list, " ") },
		"lines": func(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") },
		"mark": func(line string) string {
			switch {
			case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
				return "head"
			case strings.HasPrefix(line, "+"):
				return "added"
			case strings.HasPrefix(line, "-"):
				return "removed"
			}
			return ""
		},
		"words":   func(c Called) string { return shownLines(c.words()) },
		"verdict": func(c Called) string { return c.verdict() },
		"about":   func(c Change) string { return c.about() },
		"attempt": func(a Attempt) string { return a.words() },
		"text":    text,
		"items":   func(r *Report) []item { return r.items() },
		"below":   func(i item) string { return i.words() },
		"start":   func(i item) bool { return i.atStart() },
		"ran":     func(r *Report) []string { return r.programs() },
		"bounds":  func(r *Report) string { return r.bounds() },
		"shown":   func(s string) string { return strictjson.Printable(s, maxURL) },
	}).Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}

// shownLines removes characters that move a cursor or turn the direction of writing.
func shownLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\t", "    "), "\n")
	for i, l := range lines {
		lines[i] = strictjson.Printable(l, maxURL)
	}
	return strings.Join(lines, "\n")
}
