// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package unread_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/internal/sourcetest"
	"github.com/toolvet/toolvet/internal/audit/source/unread"
)

func TestUnread(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files []string
		want  []source.Unread
	}{
		"languages with a reader": {files: []string{"a.py", "b.ts", "c.js"}},
		"code of others":          {files: []string{"vendor/a.go", "testdata/a.go", "node_modules/a.rs", "examples/a.cs", ".git/a.go", "a_test.go"}},
		"Go":                      {[]string{"go.mod", "cmd/main.go", "tool.go", "tool_test.go"}, []source.Unread{{What: "cmd/main.go and 1 more", Why: "no reader for Go", Code: true}}},
		"beside a language with a reader": {[]string{"server.py", "native/src/lib.rs", "Build.kt"}, []source.Unread{
			{What: "Build.kt", Why: "no reader for Kotlin", Code: true}, {What: "native/src/lib.rs", Why: "no reader for Rust", Code: true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var files []txtar.File
			for _, name := range test.files {
				files = append(files, txtar.File{Name: name})
			}
			if err := sourcetest.Write(dir, files); err != nil {
				t.Fatal(err)
			}
			got, err := unread.Analyze(t.Context(), dir, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(source.Result{Unread: test.want}, got); diff != "" {
				t.Error(diff)
			}
			if facts := got.Unknown(); len(test.want) > 0 != (len(facts) > 0) {
				t.Errorf("facts: %v", facts)
			}
		})
	}
}

func TestNoDirectory(t *testing.T) {
	t.Parallel()
	if _, err := unread.Analyze(t.Context(), t.TempDir()+"/none", source.Options{}); err == nil {
		t.Error("a directory that is missing gives no error")
	}
}
