// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"io"

	"github.com/toolvet/toolvet/internal/audit"
)

var colours = map[audit.Letter]string{"A": "#1a7f37", "B": "#57802c", "C": "#9a6700", "D": "#bc4c00", "F": "#cf222e", audit.Ungraded: "#6e7781"}

// Badge writes the grade as a small picture (SVG). The error is that of w.
func Badge(w io.Writer, r *audit.Report) error {
	mark := string(r.Grade.Letter)
	if r.Grade.Incomplete && r.Grade.Letter != audit.Ungraded {
		mark += "?"
	}
	if r.Grade.Suppressed > 0 {
		mark += fmt.Sprintf(" (−%d)", r.Grade.Suppressed)
	}
	title := mark
	if r.Grade.ByDesign != nil {
		title += ", and a policy must bound what the server does by design"
	}
	left, right := 92, 20+8*len([]rune(mark))
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="toolvet audit: %s"><title>toolvet audit: %s</title>`+
		`<rect width="%d" height="20" rx="3" fill="#444c56"/><rect x="%d" width="%d" height="20" rx="3" fill="%s"/><rect x="%d" width="6" height="20" fill="%s"/>`+
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="8" y="14">toolvet audit</text><text x="%d" y="14" font-weight="bold" text-anchor="middle">%s</text></g></svg>`+"\n",
		left+right, title, title, left+right, left, right, colours[r.Grade.Letter], left, colours[r.Grade.Letter], left+right/2, mark)
	return err
}
