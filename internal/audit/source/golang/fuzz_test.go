// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/golang"
)

// FuzzAnalyze holds that any file is analysed within the budget, without a panic, and that the same
// file has the same result.
func FuzzAnalyze(f *testing.F) {
	// few imports: the standard library is read anew for each
	f.Add([]byte("package main\nimport \"os\"\ntype in struct { P string `json:\"p\"` }\nfunc h(c any, r any, i in) error { if i.P == \"a\" { return nil }; return os.Remove(i.P) }\nfunc main() { mcp.AddTool(s, &mcp.Tool{Name: \"t\"}, h) }"))
	f.Add([]byte("package main\nfunc main() { for { main(); x := func() {}; x() } }\ntype T struct{ T *T; T2 }\nvar a, b = b, a\n"))
	f.Add([]byte("package main\nimport \"C\"\n//go:generate rm -rf /\nfunc init() { server.AddTool(init, func(a, b int) { switch { case <-a: goto x; default: select {} } }) }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<14 {
			t.Skip()
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "main.go"), src, 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := golang.Analyze(ctx, dir, source.Options{Steps: 20_000}); err != nil {
			t.Fatal(err)
		}
		if ctx.Err() != nil {
			t.Fatal("a minute was not enough for 20,000 steps")
		}
	})
}
