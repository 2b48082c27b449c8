// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package corpora reads the test data beside the module, in ../shared/corpora: attacks and harmless
// data, with labels. The variable TOOLVET_CORPORA names another directory, with data that nobody tuned on.
package corpora

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"
)

// longest line, in bytes.
const longest = 64 << 20

// Read returns the rows of a corpus: "paths" is in paths.jsonl.gz. Without the corpora it skips the
// test.
func Read[T any](t testing.TB, name string) []T {
	t.Helper()
	var rows []T
	Lines(t, name, func(line []byte) {
		var row T
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("the corpus %s, row %d: %v", name, len(rows)+1, err)
		}
		rows = append(rows, row)
	})
	return rows
}

// Lines is like [Read], but calls do with each line of a corpus. Do must not keep the line.
func Lines(t testing.TB, name string, do func(line []byte)) {
	t.Helper()
	f, err := open(name)
	if errors.Is(err, fs.ErrNotExist) {
		need.Corpora.Skip(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, err := scan(f, do)
	if err != nil || n == 0 {
		t.Fatalf("the corpus %s, after %d lines: %v", name, n, err)
	}
}

func open(name string) (*os.File, error) {
	if dir := os.Getenv("TOOLVET_CORPORA"); dir != "" {
		return os.Open(filepath.Join(dir, name+".jsonl.gz"))
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for { // a test runs in the directory of its package
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return os.Open(filepath.Join(filepath.Dir(dir), "shared", "corpora", name+".jsonl.gz"))
		}
		above := filepath.Dir(dir)
		if above == dir {
			return nil, errors.New("the test does not run in a module")
		}
		dir = above
	}
}

func scan(zipped io.Reader, do func(line []byte)) (n int, err error) {
	z, err := gzip.NewReader(zipped)
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		n++
		do(lines.Bytes())
	}
	return n, lines.Err()
}

// A Score counts what a check does with labelled rows.
type Score struct{ attacks, passed, harmless, refused int }

// Add counts a row with its label: "reject" for attacks, "accept" for harmless data. Others do not count.
func (s *Score) Add(label string, refused bool) {
	switch {
	case label == "reject" && refused:
		s.attacks++
	case label == "reject":
		s.attacks, s.passed = s.attacks+1, s.passed+1
	case label == "accept" && refused:
		s.harmless, s.refused = s.harmless+1, s.refused+1
	case label == "accept":
		s.harmless++
	}
}

func (s *Score) String() string {
	return fmt.Sprintf("%d of %d attacks pass (%.2f %%), %d of %d harmless rows are refused (%.2f %%)",
		s.passed, s.attacks, percent(s.passed, s.attacks), s.refused, s.harmless, percent(s.refused, s.harmless))
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
