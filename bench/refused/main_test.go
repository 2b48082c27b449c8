// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain plays a server, as the program does, and proxies: one that only passes bytes and one that ends at each call.
func TestMain(m *testing.M) {
	switch i := slices.Index(os.Args, "-serve"); {
	case i < 0:
		os.Exit(m.Run())
	case os.Args[1] == "die":
		os.Exit(dieAt(os.Args[i+1]))
	default:
		_ = serve(os.Stdin, os.Stdout, os.Args[i+1])
	}
}

// dieAt serves until a line has a call.
func dieAt(texts string) int {
	var lines bytes.Buffer
	b := make([]byte, 1)
	for {
		if n, err := os.Stdin.Read(b); n == 0 || err != nil {
			return 0
		}
		lines.WriteByte(b[0])
		if b[0] != '\n' {
			continue
		}
		if strings.Contains(lines.String(), "tools/call") {
			return 0
		}
		_ = serve(&lines, os.Stdout, texts)
		lines.Reset()
	}
}

// TestRun plays a corpus of four rows of each kind through no proxy, which stops nothing, and through one that dies.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for _, k := range kinds {
		bad, good := "reject", "accept"
		if k.result {
			bad, good = "flag", "clean"
		}
		var file bytes.Buffer
		z := gzip.NewWriter(&file)
		for _, line := range []string{`"a", "expect": "` + bad + `"`, `"b\n<b>", "expect": "` + good + `"`, `"c", "expect": "` + good + `"`, `"d", "expect": "unsure"`, `["a", "b"], "expect": "` + good + `"`} {
			_, _ = z.Write([]byte(`{"input": ` + line + "}\n"))
		}
		_ = z.Close()
		if err := os.WriteFile(filepath.Join(dir, k.corpus+".jsonl.gz"), file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		proxy []string
		want  string
	}{
		"none": {nil, "| 0 of 1 (0.0 %) | 0 of 2 (0.0 %) |"},
		"dies": {[]string{self, "die"}, "| 1 of 1 (100.0 %) | 2 of 2 (100.0 %) |"},
	} {
		var out bytes.Buffer
		if err := run(&out, dir, 500, test.proxy); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[2:] {
			if diff := cmp.Diff("| "+kinds[i].corpus+" "+test.want, line); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	if err := run(&bytes.Buffer{}, t.TempDir(), 1, nil); err == nil {
		t.Error("a missing corpus is no error")
	}
	if err := run(&bytes.Buffer{}, dir, 1, []string{filepath.Join(dir, "missing")}); err == nil {
		t.Error("a missing proxy is no error")
	}
}

func TestSpread(t *testing.T) {
	if diff := cmp.Diff([]string{"a", "c"}, spread([]string{"a", "b", "c", "d"}, 2)); diff != "" {
		t.Error(diff)
	}
}
