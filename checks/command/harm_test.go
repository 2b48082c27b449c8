// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/test/race"
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
	if slices.ContainsFunc(rewriters, func(r rewriter) bool { return r.when == nil && r.programs == "" }) {
		t.Error("a rewriter without a program")
	}
}

// TestLineMemory holds that lines whose words multiply by filters, marks and files take memory in proportion to their length, and are judged the
// same each time.
func TestLineMemory(t *testing.T) {
	race.Skip(t)      // it allocates by itself
	const most = 1000 // bytes for each byte of a line
	o := &Options{
		Allow:  strings.Fields("substitution redirection pipe list background glob expansion escape comment newline assignment compound shell sum edit starter project temporary"),
		Inside: true, MaxLength: 1 << 20,
	}
	world := check.World{Base: "/home/u/project", Roots: []string{"/home/u/project"}}
	var files strings.Builder
	for i := range 500 {
		fmt.Fprintf(&files, "echo x > f%d.go; go run f%d.go; ", i, i/2)
	}
	for name, line := range map[string]string{
		"a long word for many marks": "echo " + strings.Repeat("a", 30_000) + " | xargs -I{} echo " + strings.Repeat("{}", 15_000),
		"many words for many marks":  "echo " + strings.Repeat("aaaaaaaaa ", 4000) + " | xargs -I{} echo " + strings.Repeat("{}{}{}{} ", 3000),
		"a format of many words":     "printf '" + strings.Repeat("%s%%", 16_000) + "' " + strings.Repeat("a ", 20_000) + "| sh",
		"a chain of filters":         "echo abc" + strings.Repeat(" | rev", 500) + " | sh",
		"many files and runs":        files.String(),
		"substitutions in another":   "cat " + strings.Repeat("$(echo ", 40) + "x" + strings.Repeat(" | rev)", 40),
		"a mark without a word":      "echo x | xargs -I",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		first := o.judgeIn(world, line)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > most*uint64(len(line))+1<<20 {
			t.Errorf("%s: %d bytes for a line of %d", name, took, len(line))
		}
		if diff := cmp.Diff(first, o.judgeIn(world, line)); diff != "" {
			t.Errorf("%s: judged otherwise the second time:\n%s", name, diff)
		}
	}
}
