// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/internal/sourcetest"
)

// TestServers analyses the cases of the classes, and those of the forms in which programs are written.
// Each is read as it is, and minified.
func TestServers(t *testing.T) {
	t.Parallel()
	for _, s := range append(sourcetest.Servers(t, "javascript"), sourcetest.ServersIn(t, "testdata/forms.txtar", "forms")...) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			if len(s.Files) != 1 {
				t.Fatal("a server in JavaScript must be one file: it is read minified, too")
			}
			text := s.Files[0].Data
			s.Check(t, analyzed(t, "server.ts", text), true)
			s.Check(t, analyzed(t, "server.js", minified(t, text)), false)
		})
	}
}

func minified(t *testing.T, text []byte) []byte {
	t.Helper()
	r := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderTS, MinifyIdentifiers: true, MinifySyntax: true, MinifyWhitespace: true, Format: api.FormatESModule, Target: api.ES2022, TsconfigRaw: `{"compilerOptions": {"experimentalDecorators": true}}`})
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors[0].Text)
	}
	return r.Code
}

func analyzed(t *testing.T, name string, text []byte) source.Result {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Analyze(t.Context(), file, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
