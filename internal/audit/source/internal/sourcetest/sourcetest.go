// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sourcetest runs cases for the readers of source code. Cases of the classes pin the
// facts that are found; cases of a reader pin how its language is read.
package sourcetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source"
)

// An Analyze is a reader.
type Analyze func(ctx context.Context, dir string, opts source.Options) (source.Result, error)

// Run runs the cases of the classes in a language, and those in testdata: the files of a server,
// and "want", a line for each fact.
func Run(t *testing.T, language string, analyze Analyze, update bool) {
	t.Helper()
	for _, s := range Servers(t, language) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			s.Check(t, analyzed(t, analyze, s.Files), true)
		})
	}
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range cases {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, want := Split(a)
			res := analyzed(t, analyze, files)
			got := Lines(res)
			if update {
				a.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("found otherwise (-want +got):\n%s", d)
			}
			Explained(t, res.Facts)
		})
	}
}

func analyzed(t *testing.T, analyze Analyze, files []txtar.File) source.Result {
	t.Helper()
	dir := t.TempDir()
	if err := Write(dir, files); err != nil {
		t.Fatal(err)
	}
	res, err := analyze(t.Context(), dir, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Lines are the telling facts of a result, one a line: tool, parameter, class, verdict, kind, and
// where the flow ends.
func Lines(res source.Result) string {
	var b strings.Builder
	for _, f := range res.Facts {
		if f.Verdict == audit.NoEvidence {
			continue
		}
		b.WriteString(InShort(f))
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
