// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/test/race"
)

func whys(r *Report) string {
	var list []string
	for _, g := range r.Gaps {
		list = append(list, g.Path+" "+g.Why)
	}
	return strings.Join(list, "\n")
}

// TestEndless: a server makes entries that take long to read: large sparse files, deep directories, a named pipe in
// the place of a file.
func TestEndless(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, r := rehearseScripts(t, Config{Dir: dir},
		"for i in 0 1 2 3 4 5 6 7 8 9 10 11 12; do truncate -s 200M s$i; done; rm file; mkfifo file; p=d; for i in $(seq 300); do mkdir $p; p=$p/d; done")
	for _, part := range []string{"further files are told without their content", "it lies deeper than 256 directories"} {
		if !strings.Contains(whys(r), part) {
			t.Errorf("%q is not among the gaps:\n%s", part, whys(r))
		}
	}
	if !r.Incomplete {
		t.Error("the report says that it is complete")
	}
	got := strings.Join(told(r, dir), "\n")
	for _, part := range []string{"created s12 (209715200 bytes, -rw-r--r--)", "deleted file (1 bytes, -rw-------)", "created file (pipe)"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in\n%s", part, got)
		}
	}
}

// TestFlood: a server hides an attempt behind many programs.
func TestFlood(t *testing.T) {
	race.Skip(t)
	true_, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	_, r := rehearseScripts(t, Config{Dir: t.TempDir()}, "a=$(head -c 4000 /dev/zero | tr '\\0' a); i=0; while [ $i -lt 60 ]; do "+
		true_+strings.Repeat(" $a", 40)+"; i=$((i+1)); done")
	if !r.Incomplete || !strings.Contains(whys(r), "than the report lists") {
		t.Errorf("the report says that it is complete: %s", whys(r))
	}
	if got := Judge(r, "test", []policy.Effect{{Name: "alone", NoNetwork: true}}); len(got) != 1 {
		t.Errorf("what was not seen is allowed: %v", got)
	}
}

// TestEndlessDeletes: a server deletes more than a report can list. Nobody looks at the rest.
func TestEndlessDeletes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(dir+"/tree", 0o755), os.WriteFile(dir+"/tree/file", []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for told, want := range map[int]int{maxChanges - 2: 0, maxChanges - 1: 1, maxChanges: 1} {
		w := (&Session{}).walker(t.Context(), false)
		w.changes = make([]change, told)
		w.gone(&layer{lower: root}, "tree")
		if len(w.gaps) != want || (w.budget == maxRead) != (want == 1) {
			t.Errorf("after %d changes: %d gaps, %d bytes read", told, len(w.gaps), maxRead-w.budget)
		}
	}
}

// TestNamesInReports uses names and words that move the cursor and turn the direction of text: of a file, of a
// program, of a gap, and in a result.
func TestNamesInReports(t *testing.T) {
	dir := t.TempDir()
	const hostile = "a\x1b[2J\u202eb"
	linked := filepath.Join(dir, hostile+"linked")
	if err := errors.Join(os.WriteFile(linked, nil, 0o600), os.Link(linked, linked+"2")); err != nil {
		t.Fatal(err)
	}
	_, r := rehearseScripts(t, Config{Dir: dir}, "touch '"+hostile+"'; echo x >'"+linked+"'; sh -c : '"+hostile+"\x07'; echo '"+hostile+"'")
	var text, page strings.Builder
	if err := errors.Join(r.WriteText(&text), r.WriteHTML(&page)); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{text.String(), page.String()} {
		if strings.ContainsAny(s, "\x1b\x07\u202e") || strings.Count(s, "a\ufffd[2J\ufffdb") < 5 {
			t.Errorf("got %q", s)
		}
	}
}

// TestLinkMeanwhile: a directory becomes a link to another before a commit.
func TestLinkMeanwhile(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"in", "other"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := rehearseScripts(t, Config{Dir: dir}, "echo x >in/new; mkdir in/sub; echo y >in/sub/deep")
	if err := errors.Join(os.Remove(dir+"/in"), os.Symlink("other", dir+"/in")); err != nil {
		t.Fatal(err)
	}
	var stale *StaleError
	if n, err := s.Commit(t.Context()); !errors.As(err, &stale) || n != 0 {
		t.Errorf("got %d %v", n, err)
	}
	if names, _ := filepath.Glob(dir + "/other/*"); len(names) != 0 {
		t.Errorf("committed through a link: %q", names)
	}
}
