// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A repository may hold several packages that import each other by their names. Each has its
// own manifest and configuration. They are found by their package.json files; the lists of
// workspaces differ from tool to tool, and add nothing.

// A unit is one package of the directory.
type unit struct {
	// "." is the directory itself
	dir      string
	manifest manifest
	paths    []alias
	outDirs  []string
}

// maxUnits bounds the packages of a repository. maxNested bounds the directories above a
// package.json: deeper ones belong to fixtures and templates.
const (
	maxUnits  = 500
	maxNested = 6
)

// skipped are directories without code of the program.
func skipped(base string) bool {
	switch base {
	case "node_modules", "test", "tests", "__tests__", "coverage", "examples", "docs":
		return true
	}
	return strings.HasPrefix(base, ".")
}

// readUnits finds the packages below the directory.
func (t *tree) readUnits() {
	n := 0
	_ = fs.WalkDir(t.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		// A directory with more files is not a package of a server, or is made to keep the
		// audit busy.
		if n++; n > maxWalk || len(t.units) >= maxUnits {
			return fs.SkipAll
		}
		if err != nil || name == "." {
			return nil
		}
		if d.IsDir() {
			if skipped(path.Base(name)) || strings.Count(name, "/") >= maxNested {
				return fs.SkipDir
			}
			return nil
		}
		if path.Base(name) == "package.json" && name != "package.json" && d.Type().IsRegular() {
			// A package.json without a name only sets the kind of modules in its directory.
			if u := t.unitIn(path.Dir(name)); u.manifest.Name != "" { // others only set the module kind of their files
				t.units = append(t.units, u)
			}
		}
		return nil
	})
	slices.SortStableFunc(t.units[1:], func(a, b *unit) int { return len(b.dir) - len(a.dir) }) // the innermost first
}

// unitIn reads the manifest and the configuration of the package in a directory. A broken
// manifest counts as an empty one, and is listed as unread.
func (t *tree) unitIn(dir string) *unit {
	u := &unit{dir: dir}
	name := path.Join(dir, "package.json")
	if data, err := t.read(name); err == nil && json.Unmarshal(data, &u.manifest) != nil {
		u.manifest = manifest{}
		t.skip(name, "not JSON of the form that npm reads")
	}
	// The first configuration with aliases counts.
	for _, config := range []string{"tsconfig.json", "tsconfig.base.json"} {
		if len(u.paths) == 0 {
			t.readPaths(u, path.Join(dir, config), 0)
		}
	}
	return u
}

// of is the innermost package around a file.
func (t *tree) of(file string) *unit {
	for _, u := range t.units[1:] {
		if strings.HasPrefix(file, u.dir+"/") {
			return u
		}
	}
	return t.units[0]
}

// named is the package at the beginning of a specifier, and the subpath behind it.
func (t *tree) named(specifier string) (u *unit, subpath string) {
	for _, u := range t.units {
		if n := u.manifest.Name; n != "" && (specifier == n || strings.HasPrefix(specifier, n+"/")) {
			return u, "." + strings.TrimPrefix(specifier, n)
		}
	}
	return nil, ""
}

// libraries are packages for building servers.
var libraries = []string{"@modelcontextprotocol/", "fastmcp", "mcp-framework", "xmcp", "mcp-handler", "@vercel/mcp-adapter", "tmcp", "mcp-use", "@rekog/mcp-nest", "@nestjs-mcp/", "@anthropic-ai/claude-agent-sdk"}

// serves reports whether a package depends on such a library.
func (m manifest) serves() bool {
	for name := range m.Dependencies {
		for _, l := range libraries {
			if name == l || strings.HasSuffix(l, "/") && strings.HasPrefix(name, l) {
				return true
			}
		}
	}
	return false
}
