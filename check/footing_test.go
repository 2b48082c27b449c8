// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/footing"
)

func newRun(f *footing.Footing) *check.Run {
	run := new(check.Run).Init(good(), &call.Call{}, nil)
	if f != nil {
		run.Footing = f
	}
	return run
}

func TestFooting(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var f footing.Footing
	if !f.Holds() || f.Fleeting() || f.Files() != 0 {
		t.Error("the zero Footing does not hold")
	}
	newRun(&f).Depends(file)
	if !f.Holds() || f.Files() != 1 {
		t.Error("what is not there stays so, and does not hold")
	}
	write("1")
	newRun(&f).Depends(file) // the first look counts
	if f.Holds() || f.Fleeting() {
		t.Error("a file is created, and nothing changes")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if !f.Holds() {
		t.Error("all is as it was, and does not hold")
	}
	newRun(&f).Fleeting()
	if f.Holds() || !f.Fleeting() {
		t.Error("what holds for the moment only holds")
	}
	// A run without a footing discards.
	newRun(nil).Depends(file)
	newRun(nil).Fleeting()
}

func TestFootingIsBounded(t *testing.T) {
	t.Parallel()
	var f footing.Footing
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 100 {
				newRun(&f).Depends(filepath.Join(dir, fmt.Sprintf("%d-%d", i, n)))
			}
		})
	}
	all.Wait()
	if n := f.Files(); n > 260 || !f.Fleeting() || f.Holds() {
		t.Errorf("%d files are remembered, fleeting: %t", n, f.Fleeting())
	}
	var unreadable footing.Footing
	newRun(&unreadable).Depends("a\x00b")
	if !unreadable.Fleeting() {
		t.Error("what rests on a path of which nothing is known does not look fleeting")
	}
}

func TestLevelsAreRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"syntax", "semantic", "runtime", "security"} {
		var l check.Level
		if err := l.UnmarshalText([]byte(name)); err != nil || l.String() != name {
			t.Errorf("%s is read as %v, %v", name, l, err)
		}
	}
	for _, name := range []string{"", "Syntax", "unknown(0)", "rehearsal"} {
		if err := new(check.Level).UnmarshalText([]byte(name)); err == nil {
			t.Errorf("%q is read", name)
		}
	}
}
