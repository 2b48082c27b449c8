// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// TestHarm holds that the lines of testdata/harm.txt are refused or asked about, where a shell's own syntax is allowed, and that those of
// testdata/harmless.txt pass. A line break within a line is written ␤.
func TestHarm(t *testing.T) {
	t.Parallel()
	o := &Options{
		Allow: strings.Fields("substitution redirection pipe list background glob expansion escape comment newline assignment compound shell sum edit starter project temporary"),
		Hosts: []string{"example.com", "localhost", "127.0.0.1", "github.com"}, Inside: true,
	}
	world := check.World{Base: "/home/u/project", Roots: []string{"/home/u/project"}}
	for file, want := range map[string]bool{"testdata/harm.txt": true, "testdata/harmless.txt": false} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "␤", "\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			var told []string
			for _, f := range o.judgeIn(world, line) {
				if f.Severity == check.Error {
					told = append(told, f.Source+": "+f.Message)
				}
			}
			if len(told) > 0 != want {
				t.Errorf("%q: %q", line, told)
			}
		}
	}
	for name := range clientsOf() {
		if !clientNames.Has(name) {
			t.Errorf("clientNames lacks %s", name)
		}
	}
	if slices.ContainsFunc(rewriters, func(r rewriter) bool { return r.when == nil && r.programs == "" }) {
		t.Error("a rewriter without a program")
	}
}

// clientsOf are the programs of the table of deleters.
func clientsOf() map[string]bool {
	names := map[string]bool{}
	for _, one := range deleters {
		for name := range strings.FieldsSeq(one.programs) {
			names[name] = true
		}
	}
	return names
}
