// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package filestate_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/machine/filestate"
)

func TestState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	before := filestate.Of(file)
	if before != (filestate.State{}) || !before.Known() {
		t.Errorf("nothing there: got %+v", before)
	}
	old := time.Now().Add(-time.Hour)
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"created", func() { do(os.WriteFile(file, []byte("1"), 0o600)) }},
		{"longer", func() { do(os.WriteFile(file, []byte("12"), 0o600)) }},
		{"older", func() { do(os.Chtimes(file, old, old)) }},
		{"read-only", func() { do(os.Chmod(file, 0o400)) }},
		{"gone", func() { do(os.Remove(file)) }},
		{"a directory", func() { do(os.Mkdir(file, 0o700)) }},
	} {
		step.do()
		after := filestate.Of(file)
		if after == before || !after.Known() {
			t.Errorf("%s: got %+v, before %+v", step.what, after, before)
		}
		if again := filestate.Of(file); again != after {
			t.Errorf("%s: looking changes what is found: %+v, %+v", step.what, after, again)
		}
		before = after
	}
	do(os.WriteFile(filepath.Join(file, "name"), nil, 0o600))
	if after := filestate.Of(file); after != before {
		t.Errorf("a name in a directory changes it: %+v, before %+v", after, before)
	}
	link := filepath.Join(dir, "link")
	target := filepath.Join(dir, "target")
	if os.Symlink(target, link) == nil { // not every user of Windows may
		dangling := filestate.Of(link)
		do(os.WriteFile(target, nil, 0o600))
		if filestate.Of(link) == dangling {
			t.Error("the end of a link is created, and nothing is seen of it")
		}
	}
	if filestate.Of("a\x00b").Known() {
		t.Error("of a path that is none something is known")
	}
}
