// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// benchTexts are texts as tools return them: JSON of an API, and source code.
func benchTexts(b *testing.B, size int) map[string]string {
	b.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		b.Fatalf("%d Go files, %v", len(files), err)
	}
	var code, records strings.Builder
	for i := 0; code.Len() < size; i++ {
		if name := files[i%len(files)]; !strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			code.Write(text)
		}
	}
	for i := 0; records.Len() < size; i++ {
		n := strconv.Itoa(i)
		records.WriteString(`{"id": "786512e2-9e0d-44bd-8f29-` + strconv.Itoa(100000000000+i) + `", "number": ` + n +
			`, "title": "Retry when the token endpoint is slow", "state": "open", "author": {"login": "user` + n +
			`", "url": "https://api.example.org/users/` + n + `"}, "labels": ["bug", "auth"], "body": "The key is read ` +
			`from the environment; see the section on secrets.\nSteps to reproduce follow.", "created_at": "2026-01-03T10:22:11Z"}` + "\n")
	}
	return map[string]string{"json": records.String()[:size], "source": code.String()[:size]}
}

func BenchmarkScan10KB(b *testing.B) { benchmarkScan(b, 10_000) }

func BenchmarkScan1MB(b *testing.B) { benchmarkScan(b, 1_000_000) }

func benchmarkScan(b *testing.B, size int) {
	s := standard(b)
	for name, text := range benchTexts(b, size) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if list := s.Scan(text); len(list) > 0 {
					b.Fatalf("%v in a text without secrets", list)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
