// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFold: a report for people begins with what is deleted, and tells in one line what lies beside the work: the profile of
// a browser, caches, and the programs by which a server starts.
func TestFold(t *testing.T) {
	file := func(mode Mode) *State { return &State{Type: "file", Mode: mode, Size: 100} }
	made := func(path string) Change { return Change{Path: path, Kind: Created, After: file(0o644)} }
	dir := func(path string) Change {
		return Change{Path: path, Kind: Created, After: &State{Type: "directory", Mode: 0o755}}
	}
	r := &Report{Calls: []Called{}, Exit: "exited with code 0"}
	r.Changes = append(r.Changes, made("/data/new.txt"), Change{Path: "/data/old.txt", Kind: Deleted, Before: file(0o644)})
	r.Changes = append(r.Changes, dir("/tmp/profile-1"))
	for i := range 199 {
		r.Changes = append(r.Changes, made(fmt.Sprintf("/tmp/profile-1/Default/f%d", i)))
	}
	r.Changes[50].After = file(0o755)
	r.Changes = append(r.Changes, made("/home/a/.npm/_logs/1.log"), made("/home/a/.npm/_logs/2.log"), Change{Path: "/home/a/.npm/_logs/0.log", Kind: Deleted, Before: file(0o644)})
	r.Changes = append(r.Changes, dir("/data/few"), made("/data/few/a"), made("/x/__pycache__/one.pyc"))
	early := made("/home/a/.cache/start")
	early.AtStart = true
	r.Changes = append(r.Changes, early)
	for i := range 38 {
		r.Processes = append(r.Processes, Process{Arguments: []string{"pyenv", fmt.Sprint(i)}, AtStart: true})
	}
	for range 3 {
		r.Processes = append(r.Processes, Process{Arguments: []string{"git", "status"}})
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `changes: 209
  deleted    /data/old.txt (100 bytes, ----------)
  deleted    /home/a/.npm/_logs/0.log (100 bytes, ----------)
  created    /data/few (directory)
  created    /data/few/a (100 bytes, ----------)
  created    /data/new.txt (100 bytes, ----------)
  below      /home/a/.npm/_logs (a cache: 2 changes, 1 KiB; the JSON report lists them)
  below      /tmp/profile-1 (a new directory: 200 changes, 20 KiB, 1 of them programs; the JSON report lists them)
  below      /x/__pycache__ (a cache: 1 changes, 1 KiB; the JSON report lists them)
  below      /home/a/.cache (a cache: 1 changes, 1 KiB; the JSON report lists them) (as the server started)
processes: 41
  git status (3 times)
  38 programs (as the server started); the JSON report lists them
network: none
not rehearsed: none
`
	got := strings.NewReplacer("-rw-r--r--", "----------", "-rwxr-xr-x", "----------").Replace(b.String())
	got = got[:strings.Index(got, "the server exited")]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	b.Reset()
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Count(page, "<details>") != 4 || !strings.Contains(page, "/tmp/profile-1/Default/f198") || strings.Index(page, "old.txt") > strings.Index(page, "new.txt") {
		t.Error("the page folds something else, or its order is another")
	}
}
