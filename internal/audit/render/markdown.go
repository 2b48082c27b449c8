// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// maxRows bounds the weaknesses of a summary.
const maxRows = 50

// Markdown writes a summary for a pull request. The error is that of w.
func Markdown(w io.Writer, r *audit.Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "## toolvet audit: %s\n\n%s: %s\n\n", plain(r.Grade.String()), plain(r.Target.Name), plain(r.Summary()))
	for _, p := range r.Purposes() {
		fmt.Fprintf(b, "**%s.**\n\n", plain(p))
	}
	if len(r.Weaknesses) > 0 {
		fmt.Fprintf(b, "| | where | what | kind |\n|---|---|---|---|\n")
	}
	for i := range r.Weaknesses[:min(len(r.Weaknesses), maxRows)] {
		f := &r.Weaknesses[i]
		severity := fmt.Sprintf("%s, %s", f.Severity, sure(f))
		if f.Suppressed != nil {
			severity += " (suppressed)"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", severity, plain(f.Name())+place(f), plain(f.Why), plain(strings.Join(f.KindNames(), ", ")))
	}
	if more := len(r.Weaknesses) - maxRows; more > 0 {
		fmt.Fprintf(b, "\n%d more weaknesses are in the report.\n", more)
	}
	markdownFixes(b, r)
	fmt.Fprintf(b, "\n<details><summary>How the grade comes about</summary>\n\n100 points")
	for _, p := range r.Grade.Points {
		fmt.Fprintf(b, "\n* %+d %s: %s", p.Points, p.Class, plain(p.Why))
	}
	for _, c := range r.Grade.Caps {
		fmt.Fprintf(b, "\n* at most %s: %s", c.Letter, plain(c.Why))
	}
	fmt.Fprintf(b, "\n\n%d of %d relevant places are not known.\n</details>\n", r.Grade.Coverage.Relevant-r.Grade.Coverage.Assessed, r.Grade.Coverage.Relevant)
	return b.Flush()
}

// markdownFixes gives the advice for each class of weakness that counts, once.
func markdownFixes(b *bufio.Writer, r *audit.Report) {
	told := map[string]bool{}
	for i := range r.Weaknesses {
		f := &r.Weaknesses[i]
		if !f.Graded() || told[f.Fix] {
			continue
		}
		if len(told) == 0 {
			fmt.Fprintf(b, "\nWhat to do:\n\n")
		}
		told[f.Fix] = true
		fmt.Fprintf(b, "* %s: %s\n", f.Class, plain(f.Fix))
	}
}

// place is the weakness's place in the code, or "".
func place(f *audit.Weakness) string {
	for _, e := range f.Evidence {
		if n := len(e.Flow); n > 0 {
			return " (" + plain(e.Flow[n-1].String()) + ")"
		}
	}
	return ""
}

// plain escapes everything with a meaning in Markdown or HTML.
func plain(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '@', r == '#': // a mention, an issue
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]()>|~!", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n', r == '\r':
			b.WriteByte(' ')
		case r == ':':
			b.WriteString("&#58;") // so that addresses do not become links
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
