// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestList reads the servers.
func TestList(t *testing.T) {
	t.Parallel()
	var servers []server
	if err := json.Unmarshal(list, &servers); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range servers {
		names[s.Name] = len(s.Command) > 0 && len(s.Calls) > 0
		if got := s.at("/d"); strings.Contains(strings.Join(got.Command, " ")+string(got.Calls), "DIR") {
			t.Errorf("%s: %v", s.Name, got)
		}
	}
	if delete(names, ""); len(names) != 30 {
		t.Errorf("got %d servers", len(names))
	}
}

// TestVerdict compares reports with two live runs.
func TestVerdict(t *testing.T) {
	t.Parallel()
	files := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for name, tt := range map[string]struct {
		told  effect
		lived [2]effect
		want  string
	}{
		"same":           {effect{Files: files("a", "1")}, [2]effect{{Files: files("a", "1")}, {Files: files("a", "1")}}, "yes: 1 files, 0 requests"},
		"other content":  {effect{Files: files("a", "1")}, [2]effect{{Files: files("a", "2")}, {Files: files("a", "2")}}, "no: a: 1, live 2"},
		"varies":         {effect{Files: files("a", "1")}, [2]effect{{Files: files("a", "2")}, {Files: files("a", "3")}}, "yes: 1 files, 0 requests"},
		"random names":   {effect{Files: files("a", "1")}, [2]effect{{Files: files("b", "1")}, {Files: files("c", "1")}}, "yes: 1 files, 0 requests"},
		"missing":        {effect{}, [2]effect{{Files: files("a", "1")}, {Files: files("a", "1")}}, "no: not in the report: a: 1"},
		"too many":       {effect{Files: files("a", "1")}, [2]effect{}, "no: 1 further files, live 0"},
		"requests":       {effect{Requests: []string{"a"}}, [2]effect{{Requests: []string{"b"}}, {Requests: []string{"b"}}}, "no: not live: a; not in the report: b"},
		"nothing":        {effect{}, [2]effect{}, "yes: no effect"},
		"fails alike":    {effect{Failed: []string{"x"}}, [2]effect{{Failed: []string{"y"}}, {Failed: []string{"y"}}}, "not comparable: the call fails alike, with no effect: x"},
		"fails only now": {effect{Failed: []string{"x"}}, [2]effect{}, `no: failed: ["x"], live []`},
	} {
		if diff := cmp.Diff(tt.want, verdict(tt.told, tt.lived)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// TestStates compares a report in JSON with the states of files, so that both write the same of the same.
func TestStates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := lay(dir); err != nil {
		t.Fatal(err)
	}
	before, err := states(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "old.txt"), filepath.Join(dir, "new.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("d", filepath.Join(dir, "l")); err != nil {
		t.Fatal(err)
	}
	after, err := states(dir)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	raw := strings.ReplaceAll(`{"changes": [
		{"path": "DIR/new.txt", "kind": "renamed", "from": "DIR/old.txt", "after": {"type": "file", "mode": "-rw-r--r--", "sha256": "a73f6733daf7643005185abe55e2eaef13f6b551610f344e6e72cf1aa7a10e2a"}},
		{"path": "DIR/d", "kind": "created", "after": {"type": "directory", "mode": "-rwx------"}},
		{"path": "DIR/l", "kind": "created", "after": {"type": "link", "mode": "-rwxrwxrwx", "target": "d"}},
		{"path": "/elsewhere", "kind": "deleted"}]}`, "DIR", dir)
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(difference(before, after), r.effect(dir, before).Files); diff != "" {
		t.Errorf("-live +report\n%s", diff)
	}
}
