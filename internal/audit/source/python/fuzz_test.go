// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/python"
)

// FuzzAnalyze holds that any file is analysed within the budget, without a panic, and that the same
// file has the same result.
func FuzzAnalyze(f *testing.F) {
	cases, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range cases {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(file.Data)
		}
	}
	f.Add([]byte("@mcp.tool()\ndef f(a):\n  while True:\n    a = [a, *a, f(a)]\n    f = lambda: f(a)\n"))
	f.Add([]byte("class A(A):\n  def __init__(self): self.x = A(); self.x.x = self\n@mcp.tool\ndef f(a: A): return super().x.y(**a)\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<14 {
			t.Skip()
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "server.py"), src, 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := python.Analyze(ctx, dir, source.Options{Steps: 20_000}); err != nil {
			t.Fatal(err)
		}
		if ctx.Err() != nil {
			t.Fatal("a minute was not enough for 20,000 steps")
		}
	})
}
