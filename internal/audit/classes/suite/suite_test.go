// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/internal/audit/class"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	if err := class.Validate(Default()); err != nil {
		t.Error(err)
	}
	changed := Default()
	changed[0] = nil
	if Default()[0] == nil {
		t.Error("the slice is shared: a caller can change the default")
	}
}

// TestNoClassIsForgotten holds that each directory of a class is listed.
func TestNoClassIsForgotten(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{"suite": true}
	for _, c := range Default() {
		listed[c.Name] = true
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, e := range entries {
		found[e.Name()] = true
		if !listed[e.Name()] {
			t.Errorf("audit/classes/%s is not in Default: add it", e.Name())
		}
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("the class %s is in no directory of its name", name)
		}
	}
}

// TestEachKindHasACase holds that each kind is found in a case, and that each class has one in which it finds nothing.
// That the cases are right is for those who find: audit/probe, and the readers below audit/source.
func TestEachKindHasACase(t *testing.T) {
	t.Parallel()
	facts := cases(t)
	for _, c := range Default() {
		for _, r := range c.Kinds {
			found := regexp.MustCompile(`(?m)(^| )` + c.Name + " (proven|traced|suspected|metadata) ([a-z, -]+, )?" + r.Name + "(,|$)")
			if !found.MatchString(facts) {
				t.Errorf("no case of audit/classes/*/testdata has a weakness of %s/%s", c.Name, r.Name)
			}
		}
		if !strings.Contains(facts, " "+c.Name+" guarded") {
			t.Errorf("no case of audit/classes/*/testdata has a guard of %s", c.Name)
		}
	}
}

var wanted = regexp.MustCompile(`(?m)(?://|#) want: (.*)$`)

// cases are the facts of all cases, a line each: "read_file /path path proven absolute, symlink".
func cases(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../*/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var b strings.Builder
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(archive.Comment)) == 0 {
			t.Errorf("%s: must begin with a sentence", name)
		}
		for _, f := range archive.Files {
			if filepath.Base(name) == "tried.txtar" {
				b.Write(f.Data)
				continue
			}
			for _, m := range wanted.FindAllStringSubmatch(string(f.Data), -1) {
				b.WriteString(strings.ReplaceAll(m[1], "; ", "\n") + "\n")
			}
		}
	}
	return b.String()
}
