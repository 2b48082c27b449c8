// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/toolvet/toolvet/audit/source"
	"github.com/toolvet/toolvet/audit/source/golang"
	"github.com/toolvet/toolvet/audit/source/internal/sourcetest"
)

var update = flag.Bool("update", false, "write what is found into the cases")

// TestCases runs each server of testdata: the vulnerable ones, and beside each the one that is
// mended.
func TestCases(t *testing.T) {
	t.Parallel()
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
			files, want := sourcetest.Split(a)
			dir := t.TempDir()
			if err := sourcetest.Write(dir, files); err != nil {
				t.Fatal(err)
			}
			res, err := golang.Analyze(t.Context(), dir, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := sourcetest.Lines(res)
			if *update {
				a.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("found otherwise (-want +got):\n%s", d)
			}
		})
	}
}
