// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/preset"
)

func TestWorld(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	a, b := t.TempDir(), t.TempDir()
	file := filepath.Join(a, "server.js")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		command []string
		want    check.World
	}{
		"none":              {nil, check.World{}},
		"positional":        {[]string{"npx", "-y", "@x/server-filesystem", a, b}, check.World{Roots: []string{a, b}}},
		"twice, unclean":    {[]string{"s", a, a + "/"}, check.World{Roots: []string{a}}},
		"first of all":      {[]string{"npx", "-y", a}, check.World{Roots: []string{a}}},
		"missing, a file":   {[]string{"s", a + "/missing", "./missing", file, "./world.go"}, check.World{}},
		"relative":          {[]string{"npx", "-y", "@x/server-filesystem", "."}, check.World{Roots: []string{here}}},
		"above":             {[]string{"s", "../preset/../preset", "--dir=."}, check.World{Roots: []string{here}}},
		"a plain word":      {[]string{"s", "testdata"}, check.World{}},
		"the server itself": {[]string{"node", "."}, check.World{}},
		"a package":         {[]string{"go", "run", ".", "--", "./"}, check.World{Roots: []string{here}}},
		"a flag that says":  {[]string{"s", "--repository", a, "--allowed-dir=" + b}, check.World{Roots: []string{a, b}}},
		"another flag":      {[]string{"s", "--cache-dir", a, "--log=" + b, "-c", a}, check.World{}},
		"of the launcher":   {[]string{"uv", "--directory", a, "run", "server"}, check.World{}},
		"after the verb":    {[]string{"uv", "run", "--directory", a, "server", b}, check.World{Roots: []string{b}}},
		"a container":       {[]string{"/usr/bin/docker", "run", "-v", a + ":" + a, "image", a}, check.World{Remote: true}},
		"another machine":   {[]string{"npx", "mcp-remote", "https://example.org/mcp"}, check.World{Remote: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, preset.World(tt.command)); diff != "" {
				t.Errorf("World(%q) (-want +got):\n%s", tt.command, diff)
			}
		})
	}
}

// Directories of a command that is started elsewhere begin there.
func TestWorldIn(t *testing.T) {
	t.Parallel()
	start := t.TempDir()
	data := filepath.Join(start, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	want := check.World{Roots: []string{data, start}}
	if diff := cmp.Diff(want, preset.WorldIn(start, []string{"server", "./data", "."})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
