// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sourcetest runs cases of the readers of source code: a txtar archive with the files of a
// server, and what is to be found in them.
package sourcetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/toolvet/toolvet/audit"
	"github.com/toolvet/toolvet/audit/source"
)

// Lines are the facts of a result that say something, one a line: tool, parameter, class, verdict,
// rule, and where the flow ends.
func Lines(res source.Result) string {
	var b strings.Builder
	for _, f := range res.Facts {
		if f.Verdict == audit.NoEvidence {
			continue
		}
		verdict := string(f.Verdict)
		if f.Confidence != "" {
			verdict = string(f.Confidence)
		}
		fmt.Fprintf(&b, "%s %s %s %s", f.Tool, f.Param, f.Class, verdict)
		if f.Rule != "" {
			fmt.Fprintf(&b, " %s", f.Rule)
		}
		if len(f.Flow) > 0 {
			last := f.Flow[len(f.Flow)-1]
			fmt.Fprintf(&b, " %s:%d", last.File, last.Line)
		}
		b.WriteByte('\n')
	}
	for _, u := range res.Unread {
		fmt.Fprintf(&b, "unread %s: %s\n", u.What, u.Why)
	}
	if len(res.Tools) == 0 {
		b.WriteString("no tools\n")
	}
	return b.String()
}

// Split takes the section "want" out of an archive.
func Split(a *txtar.Archive) (files []txtar.File, want string) {
	for _, f := range a.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		files = append(files, f)
	}
	return files, want
}

// Write puts files into a directory.
func Write(dir string, files []txtar.File) error {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
