// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package checktest runs a check over its cases, and tests the promises of every check.
// The test of a check is one line:
//
//	func TestCheck(t *testing.T) { checktest.Run(t, known.Check, "testdata") }
//
// A case file is a txtar archive (*.txtar). It opens with prose about its purpose. A case is a
// JSON value, with the expected findings indented below it:
//
//	The length of a text.
//
//	-- text: {min_length: 4, max_length: 8} --
//	"fine" "grüße"
//	    ok
//	# characters count, not bytes
//	"äöü"
//	    error: must have at least 4 characters
//	-- text: {min_length: -1} --
//	    policy: "min_length" of the demand text: must not be negative
//
// The name of the section is a demand as a user writes it in the policy. The values are tried
// one after the other, as the argument with the demand. Without a value, the demand applies to
// the tool as a whole, as below "requires". If a check has no demand, or its cases are whole
// calls, the sections name a tool:
//
//	-- tool --
//	{"name": "read", "inputSchema": {"type": "object", "required": ["path"]}}
//	-- call no-path --
//	{}
//	    error /path: required property is missing
//	    → add "path"
//	-- call fine --
//	{"path": "notes.txt"}
//	    ok
//
// The cases of a check of the stage output are results. Below the findings stand the changed
// result and the notes for the model. The name may give the method of the results. For a demand
// about results, they may stand below the demand, too:
//
//	-- result of resources/read: text --
//	{"contents": [{"uri": "file:///a", "text": "the key is AKIA…"}]}
//	    warning /contents/0/text: held a secret (aws-access-token), which was replaced
//	    becomes: {"contents": [{"uri": "file:///a", "text": "the key is [redacted:aws-access-token]"}]}
//	-- secrets: {action: report} --
//
// The sections are
//
//   - DEMAND: OPTIONS, values of an argument, or results, under this demand;
//   - tool, a definition as in tools/list, or tools, the result of tools/list;
//   - call NAME, the arguments of calls of the tool;
//   - result NAME or result of METHOD: NAME, results of the tool, or other messages of a server;
//   - params NAME, the whole params of a tools/call, to call any tool;
//   - server, the policy's settings of the server, for the sections below it: base, roots,
//     location; for call and params also tools, with addresses of arguments;
//   - files/NAME, a file below a new directory, which is written $WORK in all sections.
//     NAME/ is a directory, NAME* an executable file, "NAME -> TARGET" a symbolic link.
//
// The expectation for a value, or for several values beside or below each other, is "ok" or
//
//   - findings in order, "severity pointer: message", with "→ suggestion" and "= value"
//     below it if there are any. A level stands behind the severity if it differs from the
//     check's. In the section of a demand, the pointer is relative to the value;
//   - "note: text" for a note to the model beside a result, and "becomes: JSON" for a changed
//     result;
//   - "skip: why", if the check could not look;
//   - "policy: message", if the policy refuses the demand.
//
// No finding may repeat a value of its call. Names in the comment of a section are exempt, and so
// is the text of the policy: "-- time: {past: true} # today is 2026-11-21 --".
//
// Other lines that begin with # are comments, too. "go test -update" rewrites the expectations.
package checktest

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/check"
)

var update = flag.Bool("update", false, "rewrite what the cases of checks expect")

// Run tests c over the case files of a directory. Besides surplus, missing and other
// findings it fails if
//
//   - check.Validate refuses c, or its documentation lacks a section, or shows in its
//     example (the indented lines) what no case finds;
//   - there is no file, no case with a finding or no case without one;
//   - a file has a section of another kind or name, or one twice, or a case that expects
//     nothing, not even "ok";
//   - a finding repeats a value of the arguments that neither the tool's definition nor the
//     policy holds;
//   - the check changes the call, or finds the same things in another order when it
//     runs again.
func Run(t *testing.T, c *check.Check, dir string) {
	t.Helper()
	RunWith(t, func(string) *check.Check { return c }, dir)
}

// RunWith is Run for a check that is made for the files of its cases. It is given the
// directory that cases write as $WORK.
func RunWith(t *testing.T, newCheck func(work string) *check.Check, dir string) {
	t.Helper()
	c := newCheck(t.TempDir())
	for _, fault := range docFaults(c) {
		t.Error(fault)
	}
	survive(t, c)
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %s has no *.txtar file", dir)
	}
	seen := tally{lines: make(map[string]bool)}
	whole := true // unless -run leaves something out
	for _, path := range paths {
		ran := false
		t.Run(filepath.Base(path), func(t *testing.T) { ran = runFile(t, newCheck, path, &seen) })
		whole = whole && ran
	}
	if !whole {
		return
	}
	for _, fault := range append(seen.faults(), exampleFaults(c, seen.lines)...) {
		t.Error(fault)
	}
}

// Judge is for cases that do not fit a file, such as those with a server: it runs c over a value
// of which a policy demands something, such as "path: {exists: true}", and returns what it finds,
// as a case expects it. Without a value, which is nil, it is demanded of the tool as a whole.
func Judge(t testing.TB, c *check.Check, demand string, value any) string {
	t.Helper()
	text := ""
	if value != nil {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	f := &file{demand: c.Demand, work: workDir, names: make(map[string]bool)}
	if err := f.add(0, demand, text); err != nil {
		t.Fatal(err)
	}
	s := f.sections[0]
	if s.refused != "" {
		return s.refused
	}
	r := f.judge(t.Context(), c, s, s.cases[0])
	for _, fault := range r.faults {
		t.Error(fault)
	}
	return r.text
}

// runFile runs the cases of a file, and reports whether it ran all of them.
func runFile(t *testing.T, newCheck func(work string) *check.Check, path string, seen *tally) bool {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := newCheck(work)
	f, faults := readFile(archive, c.Demand, filepath.ToSlash(work))
	if len(faults) > 0 {
		t.Fatal(strings.Join(faults, "\n"))
	}
	got := make(map[int]string)
	for _, s := range f.sections {
		t.Run(s.name, func(t *testing.T) {
			got[s.at] = f.run(t, c, s, seen)
			if want := string(archive.Files[s.at].Data); want != got[s.at] && !*update {
				t.Errorf("findings differ; go test -update accepts them:\n%s",
					diff.Diff("want", []byte(want), "got", []byte(got[s.at])))
			}
		})
	}
	whole := len(got) == len(f.sections)
	if *update && whole && !t.Failed() {
		for at, text := range got {
			archive.Files[at].Data = []byte(text)
		}
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return whole
}

// run runs the cases of a section, and returns its text with what they find.
func (f *file) run(t *testing.T, c *check.Check, s *section, seen *tally) string {
	results := make([]string, len(s.cases))
	for i, tc := range s.cases {
		if s.refused != "" { // by the policy
			results[i] = s.refused
			continue
		}
		r := f.judge(t.Context(), c, s, tc)
		for _, fault := range r.faults {
			t.Errorf("%s: %s", strings.TrimSpace(tc.text), fault)
		}
		seen.add(r)
		results[i] = r.text
	}
	return s.render(results)
}

// A tally records the kinds of cases of a check, and their findings.
type tally struct {
	positive, negative bool
	lines              map[string]bool // of findings, without severity and level
}

func (s *tally) add(r outcome) {
	s.positive = s.positive || len(r.findings) > 0
	s.negative = s.negative || r.text == fine
	for _, f := range r.findings {
		s.lines[f.String()], s.lines[f.Message], s.lines["→ "+f.Suggestion] = true, true, true
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
