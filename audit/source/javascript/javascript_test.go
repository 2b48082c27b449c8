// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/toolvet/toolvet/audit"
	"github.com/toolvet/toolvet/audit/source"
)

// TestServers analyses the small servers of testdata: each section is one, and its "// want:" lines
// are all facts that there are. Each is read as it is, and minified.
func TestServers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no servers in testdata: %v", err)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			t.Run(filepath.Base(name)+"/"+f.Name, func(t *testing.T) {
				t.Parallel()
				want := wanted(string(f.Data))
				check(t, "server.ts", f.Data, want)
				check(t, "server.js", minified(t, f.Data), want)
			})
		}
	}
}

func wanted(text string) []string {
	want := []string{}
	for _, line := range strings.Split(text, "\n") {
		if w, ok := strings.CutPrefix(line, "// want: "); ok {
			want = append(want, w)
		}
	}
	sort.Strings(want)
	return want
}

func minified(t *testing.T, text []byte) []byte {
	t.Helper()
	r := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderTS, MinifyIdentifiers: true, MinifySyntax: true, MinifyWhitespace: true, Format: api.FormatESModule, Target: api.ES2022})
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors[0].Text)
	}
	return r.Code
}

func check(t *testing.T, name string, text []byte, want []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Analyze(t.Context(), file, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tools) == 0 || len(r.Unread) > 0 {
		t.Errorf("%s: tools: %d, unread: %v", name, len(r.Tools), r.Unread)
	}
	if diff := cmp.Diff(want, lines(r.Facts)); diff != "" {
		t.Errorf("%s: facts (-want +got):\n%s", name, diff)
	}
	for _, f := range r.Facts {
		if f.Rule == "nothing" {
			continue
		}
		if f.Why == "" || len(f.Flow) == 0 || f.Flow[len(f.Flow)-1].Line < 1 || f.Method != audit.Static {
			t.Errorf("%s: an incomplete fact: %+v", name, f)
		}
	}
}

func lines(facts []audit.Fact) []string {
	got := []string{}
	for _, f := range facts {
		if f.Rule == "nothing" {
			continue
		}
		words := []string{string(f.Class), f.Tool}
		if f.Param != "" {
			words = append(words, f.Param)
		}
		v := string(f.Verdict)
		if f.Confidence != "" {
			v += "/" + string(f.Confidence)
		}
		got = append(got, strings.Join(append(words, v, f.Rule), " "))
	}
	sort.Strings(got)
	return got
}
