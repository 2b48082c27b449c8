// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/cmd/internal/hook"
)

var trailing = regexp.MustCompile(` +\n`)

var update = flag.Bool("update", false, "write testdata/matrix.txt")

// TestMatrix holds what each host does when the installed hook fails: a change of a rule must be seen. The last column is ours: no host
// may run a call when toolvet itself is able to say that it cannot judge.
func TestMatrix(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s", "")
	for _, f := range Failures() {
		fmt.Fprintf(&b, " | %-17s", f.Name)
	}
	b.WriteByte('\n')
	for _, h := range hook.Hosts() {
		for _, closed := range []bool{false, true} {
			if closed && h.FailClosed == "" {
				continue
			}
			name := h.Name
			if closed {
				name = "  with switch"
			}
			fmt.Fprintf(&b, "%-12s", name)
			for _, f := range Failures() {
				r := f.Result(h)
				if f.Name != "judge gone" { // toolvet answers
					r = Guarded(h, r)
				}
				got := Run(h.Name, r, closed)
				fmt.Fprintf(&b, " | %-17s", got)
				if f.Name == "judge gone" && got != Blocked {
					t.Errorf("%s: %s: the call is %s", h.Name, f.Name, got)
				}
			}
			b.WriteByte('\n')
		}
	}
	table := trailing.ReplaceAllString(b.String(), "\n")
	if *update {
		if err := os.WriteFile("testdata/matrix.txt", []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), table); d != "" {
		t.Error(d)
	}
}

// TestSwitches: a host has a rule, and a switch here if and only if the hook's table names one.
func TestSwitches(t *testing.T) {
	for _, h := range hook.Hosts() {
		if rules[h.Name] == nil {
			t.Errorf("%s has no rule", h.Name)
		}
		if denial := (Result{Reply: hook.Reply{Stderr: []byte("why"), Exit: 2}}); h.ExitTwo && Run(h.Name, denial, false) != Blocked {
			t.Errorf("%s takes no exit code 2", h.Name)
		}
		if switchable[h.Name] != (h.FailClosed != "") {
			t.Errorf("%s: switchable %t, but FailClosed is %q", h.Name, switchable[h.Name], h.FailClosed)
		}
	}
}

// TestDocument holds that docs/hooks.md shows the matrix.
func TestDocument(t *testing.T) {
	t.Parallel()
	matrix, err := os.ReadFile(filepath.Join("testdata", "matrix.txt"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "hooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.Join(strings.Fields(string(document)), " ")
	for line := range strings.Lines(string(matrix)) {
		if line = strings.Join(strings.Fields(line), " "); !strings.Contains(shown, line) {
			t.Errorf("docs/hooks.md lacks the line %q", line)
		}
	}
}
