// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A module is what a program links of one module, or of Go itself.
type module struct {
	path, version string
	sum           string    // as in go.sum: h1: and a hash; "" for toolvet's own and Go's
	licences      []licence // of its linked packages and the directories above them
}

// A licence is a file with terms, or a notice.
type licence struct {
	name string // from the module's directory
	text string
	ids  []string // SPDX; none for a notice
}

// licenceFile matches the names of files that a distributor has to pass on.
var licenceFile = regexp.MustCompile(`(?i)^(un)?licen[cs]es?([.-].*)?$|^(copying|copyright|notice|notices|patents|authors)([.-].*)?$`)

// own is the prefix of toolvet's modules.
const own = "github.com/toolvet/toolvet"

// linked returns the modules that the program of a target links, in order: Go first, then by path. It fails if one has no
// licence, or one that toolvet does not know.
func (c *config) linked(ctx context.Context, s *source, t target) ([]*module, error) {
	out, err := run(ctx, s.root, environment(t), "go", "list", "-deps", "-json=Dir,Standard,Module,EmbedFiles", c.Package)
	if err != nil {
		return nil, err
	}
	sums, err := readSums(s.root, c.Modules)
	if err != nil {
		return nil, err
	}
	goRoot, err := run(ctx, s.root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	goModule := &module{path: "std", version: strings.TrimPrefix(runtime.Version(), "go")}
	found := map[string]*module{"std": goModule}
	seen := map[string]bool{}
	if err := goModule.read(seen, strings.TrimSpace(string(goRoot)), strings.TrimSpace(string(goRoot))); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir        string
			Standard   bool
			Module     *struct{ Path, Version, Dir string }
			EmbedFiles []string // a copy of others can be data
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Standard || p.Module == nil {
			continue
		}
		m := found[p.Module.Path]
		if m == nil {
			m = &module{path: p.Module.Path, version: p.Module.Version, sum: sums[p.Module.Path+" "+p.Module.Version]}
			if m.ours() {
				m.version = "v" + c.version
			} else if m.sum == "" {
				return nil, fmt.Errorf("no go.sum has a hash of %s %s", m.path, m.version)
			}
			found[m.path] = m
		}
		for _, name := range append([]string{"package.go"}, p.EmbedFiles...) {
			if err := m.read(seen, filepath.Dir(filepath.Join(p.Dir, name)), p.Module.Dir); err != nil {
				return nil, err
			}
		}
	}
	list := slices.SortedFunc(maps.Values(found), func(a, b *module) int {
		return strings.Compare(strings.TrimPrefix(a.path, "std"), strings.TrimPrefix(b.path, "std"))
	})
	for _, m := range list {
		if len(m.ids()) == 0 && !m.ours() {
			return nil, fmt.Errorf("%s %s has no licence in %v that toolvet knows: look at it, and teach release/modules.go", m.path, m.version, m.names())
		}
	}
	return list, nil
}

func (m *module) ours() bool { return m.path == own || strings.HasPrefix(m.path, own+"/") }

func (m *module) names() (list []string) {
	for _, l := range m.licences {
		list = append(list, l.name)
	}
	return list
}

// ids returns the SPDX names of all licences of a module.
func (m *module) ids() []string {
	var list []string
	for _, l := range m.licences {
		list = append(list, l.ids...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// read looks for licences in a package's directory and those above it, up to the module's. Directories in seen are done.
// The licence of toolvet itself is no third party's.
func (m *module) read(seen map[string]bool, dir, root string) error {
	for ; !seen[dir]; dir = filepath.Dir(dir) {
		seen[dir] = true
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !licenceFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" || m.ours() && dir == root {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			ids, err := identify(string(text))
			if err != nil {
				return fmt.Errorf("%s, %s: %w", m.path, name, err)
			}
			m.licences = append(m.licences, licence{filepath.ToSlash(name), strings.ReplaceAll(string(text), "\r\n", "\n"), ids})
		}
		if dir == root {
			break
		}
	}
	slices.SortFunc(m.licences, func(a, b licence) int { return strings.Compare(a.name, b.name) })
	return nil
}

// terms are words that only one licence has, in lower case and without commas.
var terms = []struct{ id, words string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MIT", "permission is hereby granted free of charge to any person obtaining a copy"},
	{"ISC", "permission to use copy modify and/or distribute this software for any purpose with or without fee is hereby granted"},
	{"ISC", "permission to use copy modify and distribute this software for any purpose with or without fee is hereby granted"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"Unicode-3.0", "unicode license v3"},
	{"Unlicense", "this is free and unencumbered software released into the public domain"},
	{"CC0-1.0", "cc0 1.0 universal"},
}

// refused are words of licences that a closed program must not link, or that ask for more than a notice.
var refused = []string{"gnu general public license", "gnu affero general public license", "gnu lesser general public license", "business source license"}

// identify returns the SPDX names of the licences in a text.
func identify(text string) ([]string, error) {
	words := strings.Join(strings.Fields(strings.ToLower(strings.NewReplacer("*", " ", "#", " ", "//", " ", ",", "").Replace(text))), " ")
	var ids []string
	for _, t := range terms {
		if strings.Contains(words, t.words) {
			ids = append(ids, t.id)
		}
	}
	if strings.Contains(words, "redistribution and use in source and binary forms") {
		if strings.Contains(words, "neither the name") || strings.Contains(words, "may be used to endorse or promote") {
			ids = append(ids, "BSD-3-Clause")
		} else {
			ids = append(ids, "BSD-2-Clause")
		}
	}
	for _, r := range refused {
		// The MPL names the GPL as a secondary licence.
		if strings.Contains(words, r) && !slices.Contains(ids, "MPL-2.0") {
			return nil, fmt.Errorf("the terms of a %s are not to be linked", r)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// readSums reads the hashes of all go.sum files of the workspace, by path and version.
func readSums(root string, modules []string) (map[string]string, error) {
	sums := map[string]string{}
	names := []string{"go.work.sum"}
	for _, m := range modules {
		names = append(names, filepath.Join(filepath.FromSlash(m), "go.sum"))
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
			if f := strings.Fields(s.Text()); len(f) == 3 && !strings.HasSuffix(f[1], "/go.mod") {
				sums[f[0]+" "+f[1]] = f[2]
			}
		}
	}
	return sums, nil
}

// notices returns the licences and notices of others whose code a program holds.
func (c *config) notices(modules []*module) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s holds code of others. Their licences and notices follow; toolvet's own is in LICENSE (%s).\nThe path and the version above each are those by which Go's module proxies, and its repository, have its source.\n", c.Name, c.version, c.Licence)
	for _, m := range modules {
		if len(m.licences) == 0 {
			continue
		}
		title := m.path + " " + m.version
		switch {
		case m.path == "std":
			title = "Go's standard library and runtime " + m.version
		case m.ours():
			title = "Copies in " + m.path
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", strings.Repeat("=", 80), title)
		if ids := m.ids(); len(ids) > 0 {
			fmt.Fprintf(&b, "%s\n", strings.Join(ids, " AND "))
		}
		for _, l := range m.licences {
			fmt.Fprintf(&b, "%s\n%s:\n\n%s\n", strings.Repeat("-", 80), l.name, strings.TrimSpace(l.text))
		}
	}
	return b.Bytes()
}
