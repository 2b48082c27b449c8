// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/test/race"
)

// TestBundle holds that servers are read to their end when they are bundled with all that they depend
// on, and that the same tools are found as without the bundle.
func TestBundle(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for _, name := range []string{"filesystem", "everything", "memory"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := bundle(t, "@modelcontextprotocol/server-"+name+"/dist/index.js")
			bundled := read(t, file)
			for _, u := range bundled.Unread {
				t.Errorf("%s: %s", u.What, u.Why)
			}
			apart := map[string]bool{}
			for _, tool := range read(t, npm.Program(t, "@modelcontextprotocol/server-"+name+"/package.json")[1]).Tools {
				apart[tool.Name] = true
			}
			for _, tool := range bundled.Tools {
				delete(apart, tool.Name)
			}
			if len(apart) > 0 {
				t.Errorf("not found in the bundle: %v", apart)
			}
		})
	}
}

// BenchmarkBundle reads a server that is bundled with all that it depends on, and minified.
func BenchmarkBundle(b *testing.B) {
	for _, name := range []string{"@modelcontextprotocol/server-everything/dist/index.js", "@cyanheads/git-mcp-server/dist/index.js"} {
		b.Run(name, func(b *testing.B) {
			file := bundle(b, name)
			info, err := os.Stat(file)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			for b.Loop() {
				read(b, file)
			}
		})
	}
}

func read(t testing.TB, name string) source.Result {
	t.Helper()
	if filepath.Base(name) == "package.json" {
		name = filepath.Dir(name)
	}
	r, err := Analyze(t.Context(), name, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bundle makes one minified file of a program of node_modules.
func bundle(t testing.TB, program string) string {
	t.Helper()
	entry := npm.Program(t, program)[1]
	out := filepath.Join(t.TempDir(), "bundle.js")
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{entry}, Outfile: out, Bundle: true, Write: true, Platform: api.PlatformNode, Format: api.FormatESModule,
		MinifyIdentifiers: true, MinifySyntax: true, MinifyWhitespace: true, LogLevel: api.LogLevelSilent,
	})
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors[0].Text)
	}
	return out
}
