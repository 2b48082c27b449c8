// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package unread lists the code of a server in languages without a reader. Nothing is known of such code.
package unread

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/internal/files"
)

// languages are those with an SDK of MCP, by the suffixes of their files.
var languages = map[string]string{
	".go": "Go", ".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".cs": "C#", ".rb": "Ruby", ".php": "PHP", ".swift": "Swift",
}

func skip(dir string) bool { return files.Aside(dir) || dir == "vendor" || dir == "testdata" }

// Analyze lists the first file of each language in dir, and the number of the others. It reads no file.
func Analyze(ctx context.Context, dir string, opts source.Options) (source.Result, error) {
	opts = opts.WithDefaults()
	ctx, cancel := opts.Within(ctx)
	defer cancel()
	found := map[string]int{}
	first := []string{} // of each language
	set, err := files.Read(ctx, dir, opts, func(name string) bool {
		language := languages[path.Ext(name)]
		if language == "" || strings.HasSuffix(name, "_test.go") {
			return false
		}
		if found[language]++; found[language] == 1 {
			first = append(first, name)
		}
		return false
	}, skip)
	if err != nil {
		return source.Result{}, fmt.Errorf("unread: list %s: %w", dir, err)
	}
	out := source.Result{Unread: set.Unread}
	for _, name := range first {
		language := languages[path.Ext(name)]
		what := name
		if n := found[language] - 1; n > 0 {
			what = fmt.Sprintf("%s and %d more", name, n)
		}
		out.Unread = append(out.Unread, source.Unread{What: what, Why: "no reader for " + language, Code: true})
	}
	return out, nil
}
