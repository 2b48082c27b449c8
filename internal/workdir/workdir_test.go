// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package workdir

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
)

func TestIn(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	tool, err := call.DecodeTool([]byte(`{"name": "run", "inputSchema": {"properties": {"command": {}, "cwd": {}, "all": {}, "mode": {"enum": ["wd"]}}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string][]string{
		`{"command": "x"}`:                                    {"/p"},
		`{"command": "x", "cwd": "a"}`:                        {"/p/a"},
		`{"command": "x", "cwd": ""}`:                         {"/p"},
		`{"command": "x", "cwd": "/a"}`:                       {"/a"},
		`{"command": "x", "cwd": "~/a"}`:                      {"/home/u/a"},
		`{"command": "x", "cwd": "~b/a"}`:                     {"~b/a"},
		`{"command": "x", "cwd": "c:\\a"}`:                    {"c:/a"},
		`{"command": "x", "cwd": "../a"}`:                     {"/a"},
		`{"command": "x", "CWD": "a"}`:                        {"/p", "/p/a"}, // which the tool does not declare
		`{"command": "x", "Working-Dir": "a"}`:                {"/p", "/p/a"},
		`{"command": "x", "wd": "a"}`:                         {"/p", "/p/a"}, // the schema has this word as a value alone
		`{"command": "x", "cwd": "a", "workdir": "b"}`:        {"/p/a", "/p/b"},
		`{"command": "x", "repo_path": "a"}`:                  {"/p", "/p/a"},
		`{"command": "x", "pathology": "a"}`:                  {"/p"},
		`{"cwd": "a", "all": [{}, {"command": "x"}]}`:         {"/p/a"},
		`{"cwd": "a", "all": [{}, {"command": 1, "wd": ""}]}`: {"/p/a"},
		`{"cwd": "a", "all": [{}, {"wd": "b"}]}`:              {"/p/a", "/p/a/b"},
	} {
		c := &call.Call{Tool: tool}
		if err := c.Read([]byte(arguments), call.Limits{}); err != nil {
			t.Fatal(err)
		}
		pointer := "/command"
		if c.Arguments["all"] != nil {
			pointer = "/all/1/command"
		}
		f := Finder{Base: "/p", Call: c}
		for range 2 { // it remembers
			if diff := cmp.Diff(want, f.In(pointer)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", arguments, diff)
			}
		}
		f.In("/command")
	}
}

// TestManyPlaces holds that a call cannot make a check judge its command in any number of directories.
func TestManyPlaces(t *testing.T) {
	c := &call.Call{Arguments: map[string]any{"steps": []any{map[string]any{"command": "x", "dir": "y"}}}}
	f := Finder{Call: c}
	for i := range maxPlaces + 1 {
		c.Arguments[fmt.Sprint(i, "_dir")] = "a"
	}
	for _, pointer := range []string{"/command", "/steps/0/command", "/steps/7/x", "/steps/0/command/x", "/no/0"} {
		if got := f.In(pointer); len(got) > 0 {
			t.Errorf("%s: %d directories", pointer, len(got))
		}
	}
}

// TestBeside holds that a path does not begin in the directory that it names itself, and that the member of another object of its name counts.
func TestBeside(t *testing.T) {
	tool, err := call.DecodeTool([]byte(`{"name": "read", "inputSchema": {"properties": {"root": {}, "cwd": {}}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := &call.Call{Tool: tool}
	if err := c.Read([]byte(`{"root": "a", "cwd": "b", "files": [{"root": "c", "text": ""}], "remote_path": "/var/www", "output_dir": "/tmp", "location": "/x"}`), call.Limits{}); err != nil {
		t.Fatal(err)
	}
	f := Finder{Base: "/p", Call: c}
	for pointer, want := range map[string][]string{
		"/root": {"/p/b"}, "/cwd": {"/p"}, "/text": {"/p/a", "/p/b"}, "/files/0/root": {"/p/a", "/p/b"}, "/files/0/text": {"/p/a", "/p/a/c", "/p/b", "/p/b/c"},
	} {
		if diff := cmp.Diff(want, f.Beside(pointer)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", pointer, diff)
		}
	}
}
