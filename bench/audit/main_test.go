// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	p := pair{class: "path"}
	for _, test := range []struct{ report, want string }{
		{`{"findings":[{"class":"path","severity":"high","confidence":"proven","rules":["symlink"]},{"class":"path","severity":"high","confidence":"proven","rules":["symlink"]},{"class":"url","severity":"high","confidence":"proven","rules":["ssrf"]}]}`, "symlink: proven (2)"},
		{`{"cells":[{"class":"path","verdict":"guarded"},{"class":"path","verdict":"no-evidence"}]}`, "guarded (1)"},
		{`{"findings":[{"class":"path","severity":"info","confidence":"metadata","rules":["x"]}],"grade":{"incomplete":true,"coverage":{"percent":26}}}`, "–, 26 % assessed"},
	} {
		var r report
		if err := json.Unmarshal([]byte(test.report), &r); err != nil {
			t.Fatal(err)
		}
		if got := p.words(r); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestProgramOf(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]string{
		`{"bin":"dist/a.js"}`:               "dist/a.js",
		`{"bin":{"z":"z.js","b":"dist/b"}}`: "dist/b",
		`{"name":"x"}`:                      "",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(manifest), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := programOf(dir)
		if want == "" {
			if err == nil {
				t.Errorf("%s: %s", manifest, got)
			}
			continue
		}
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%s: %s, %v", manifest, got, err)
		}
	}
}
