// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package packedtest holds packed texts to their plain ones.
package packedtest

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"
)

// Same compares the text of a package with the file that it was packed from. With TOOLVET_UPDATE set it writes file.gz first,
// for the next build.
func Same(t *testing.T, file, text string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text == string(want) {
		return
	}
	if os.Getenv("TOOLVET_UPDATE") == "" {
		t.Fatalf("%s.gz is not %[1]s packed: run this test with TOOLVET_UPDATE=1", file)
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(want); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".gz", b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
