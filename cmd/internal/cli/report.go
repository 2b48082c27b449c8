// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/terminal"
)

// writeReport writes a result for a terminal: a line with the verdict, then each finding with its
// place, its check and a fix. The label, such as a file's name, comes first; it may be "".
//
//	call.json: write_text_file: no-go
//	  error: /mode: must be one of "create", "overwrite", "append" [input-schema]
//	    fix: use "append"
func writeReport(w io.Writer, label string, r *protocol.Result) error {
	b := bufio.NewWriter(w)
	for _, s := range []string{label, r.Tool} {
		if s != "" {
			terminal.Fprintf(b, "%s: ", s)
		}
	}
	fmt.Fprintln(b, verdictWord(r))
	for i := range r.Findings {
		writeFinding(b, &r.Findings[i])
	}
	if len(r.Findings) == 0 {
		for _, e := range r.Errors {
			terminal.Fprintf(b, "  error: %s\n", e)
		}
	}
	if r.Method == protocol.MethodSchemaOnly {
		fmt.Fprintln(b, "  judged by the tool's schema alone (schema-only)")
	}
	for _, s := range r.Skipped {
		terminal.Fprintf(b, "  not looked: %s [%s]\n", strings.TrimPrefix(s.Why, "not looked: "), s.Check)
	}
	return b.Flush()
}

func verdictWord(r *protocol.Result) string {
	switch {
	case r.Valid:
		return "go"
	case r.Ask:
		return "ask"
	}
	return "no-go"
}

func writeFinding(w io.Writer, f *check.Finding) {
	mark := f.Severity.String()
	if f.Observed {
		mark = check.Warning.String() + " (only observed)"
	}
	place := ""
	if f.Pointer != "" {
		place = f.Pointer + ": "
	}
	terminal.Fprintf(w, "  %s: %s%s [%s]\n", mark, place, f.Message, f.Check)
	if f.Suggestion != "" {
		terminal.Fprintf(w, "    fix: %s\n", f.Suggestion)
	}
}
