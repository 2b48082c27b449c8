// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package checktest runs a check over its cases, and holds it to what every check
// promises. The test of a check is one line:
//
//	func TestCheck(t *testing.T) { checktest.Run(t, known.Check, "testdata") }
//
// A case file is a txtar archive (*.txtar): prose that says what it shows, the
// definition of a tool, then calls of it and what the check finds in them.
//
//	A path that the tool needs is missing.
//
//	-- tool --
//	{"name": "read", "inputSchema": {"type": "object", "required": ["path"]}}
//	-- call no-path --
//	{}
//	-- want no-path --
//	error /path: required property is missing
//	→ add "path"
//	-- call fine --
//	{"path": "notes.txt"}
//
// The sections are
//
//   - tool, a definition as in tools/list, or tools, the result of tools/list;
//   - call NAME, the arguments of a call of the tool;
//   - params NAME, the whole params of a tools/call, to call any tool;
//   - want NAME, the findings in order. Each is "severity pointer: message", below
//     it "→ suggestion" and "= value" if there are any. "skip: why" stands for a
//     check that could not look. Without the section nothing must be found.
//
// "go test -update" rewrites the want sections.
package checktest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/check"
)

var update = flag.Bool("update", false, "rewrite the want sections of the cases of checks")

// Run tests c over the case files of a directory. Besides surplus, missing and other
// findings it fails if
//
//   - check.Validate refuses c, or its documentation lacks a section, or shows in its
//     example (the indented lines) what no case finds;
//   - there is no file, no case with a finding or no case without one;
//   - a file has a section of another kind or name, or one twice;
//   - a finding repeats a value of the arguments that the tool's definition does not
//     hold;
//   - the check changes the call, or finds the same things in another order when it
//     runs again.
func Run(t *testing.T, c *check.Check, dir string) {
	t.Helper()
	for _, fault := range docFaults(c) {
		t.Error(fault)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %s has no *.txtar file", dir)
	}
	seen := tally{lines: make(map[string]bool)}
	whole := true // unless -run leaves something out
	for _, path := range paths {
		ran := false
		t.Run(filepath.Base(path), func(t *testing.T) { ran = runFile(t, c, path, &seen) })
		whole = whole && ran
	}
	if !whole {
		return
	}
	for _, fault := range append(seen.faults(), exampleFaults(c.Doc, seen.lines)...) {
		t.Error(fault)
	}
}

// runFile runs the cases of a file, and reports whether it ran all of them.
func runFile(t *testing.T, c *check.Check, path string, seen *tally) bool {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, faults := readFile(archive)
	if len(faults) > 0 {
		t.Fatal(strings.Join(faults, "\n"))
	}
	got := make(map[string]string)
	for _, tc := range f.cases {
		t.Run(tc.name, func(t *testing.T) {
			r := f.judge(t.Context(), c, tc)
			for _, fault := range r.faults {
				t.Error(fault)
			}
			seen.add(r)
			got[tc.name] = r.text
			if want := tc.wanted(); want != r.text && !*update {
				t.Errorf("findings differ; go test -update accepts them:\n%s",
					diff.Diff("want", []byte(want), "got", []byte(r.text)))
			}
		})
	}
	whole := len(got) == len(f.cases)
	if *update && whole && !t.Failed() {
		if err := os.WriteFile(path, txtar.Format(renew(archive, got)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return whole
}

// A tally knows which kinds of cases a check has, and what they find.
type tally struct {
	positive, negative bool
	lines              map[string]bool // of findings, without their severity
}

func (s *tally) add(r result) {
	s.positive = s.positive || r.findings > 0
	s.negative = s.negative || r.text == ""
	for line := range strings.Lines(r.text) {
		line = strings.TrimSpace(line)
		s.lines[line] = true
		for _, severity := range []check.Severity{check.Error, check.Warning} {
			if rest, ok := strings.CutPrefix(line, severity.String()); ok {
				s.lines[strings.TrimLeft(rest, ": ")] = true
			}
		}
	}
}

func (s *tally) faults() []string {
	var faults []string
	if !s.positive {
		faults = append(faults, "no case in which the check finds something: it may never do")
	}
	if !s.negative {
		faults = append(faults, "no case in which the check finds nothing: it may refuse everything")
	}
	return faults
}
