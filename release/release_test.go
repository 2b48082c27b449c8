// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

// dist is a finished release to test instead of one that the tests make.
var dist = flag.String("dist", "", "`directory` of a release to test")

var here = target{runtime.GOOS, runtime.GOARCH}

// configuration is release.yaml.
func configuration(t *testing.T) *config {
	t.Helper()
	c, err := readConfig(filepath.Join(root, "release", "release.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testSource is a tree with a commit and a time of its own.
func testSource(dir string) *source {
	return &source{dir, strings.Repeat("0123456789", 4), time.Date(2026, 11, 29, 12, 0, 1, 0, time.UTC)}
}

// compileHere builds the program of this machine. The others are texts: six programs would take a quarter of an hour, and
// the packages hold them as they hold the real one. -dist has all of them tested.
func compileHere(c *config) compiler {
	return func(ctx context.Context, s *source, t target) ([]byte, error) {
		if t == here {
			return c.compile(ctx, s, t)
		}
		return []byte("the program for " + t.String() + "\n"), nil
	}
}

// makeFiles makes a release of a tree.
func makeFiles(c *config, dir string) ([]file, error) {
	s := testSource(dir)
	builds, err := c.build(context.Background(), s, compileHere(c))
	if err != nil {
		return nil, err
	}
	return c.files(context.Background(), s, builds)
}

var once struct {
	sync.Once
	files []file
	err   error
}

// release returns the files of a release by name: of this tree, made once, or of -dist.
func release(t *testing.T) (*config, map[string][]byte) {
	t.Helper()
	race.Skip(t)
	need.Minutes(t)
	c := configuration(t)
	if !slices.Contains(c.Targets, here) {
		t.Skipf("%s is no target", here)
	}
	if *dist != "" {
		return c, readDist(t)
	}
	once.Do(func() { once.files, once.err = makeFiles(c, root) })
	if once.err != nil {
		t.Fatal(once.err)
	}
	return c, byName(once.files)
}

func byName(files []file) map[string][]byte {
	m := map[string][]byte{}
	for _, f := range files {
		m[f.name] = f.data
	}
	return m
}

func readDist(t *testing.T) map[string][]byte {
	t.Helper()
	m := map[string][]byte{}
	err := filepath.WalkDir(*dist, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rest, err := filepath.Rel(*dist, name)
		if err == nil {
			m[filepath.ToSlash(rest)], err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestReproducible makes a release of a copy of the tree in another directory, and compares all bytes. Go takes packages
// that do not know their directory from its build cache, so this shows that none does. "go run ./release repeat" compiles
// them all again.
func TestReproducible(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	if *dist != "" {
		t.Skip("-dist: 'go run ./release repeat' compares a finished release")
	}
	dir := filepath.Join(t.TempDir(), "somewhere", "else")
	copyTree(t, root, dir)
	again, err := makeFiles(c, dir)
	if err != nil {
		t.Fatal(err)
	}
	second := byName(again)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(second))); diff != "" {
		t.Errorf("other files (-first +second):\n%s", diff)
	}
	for name, data := range files {
		if string(data) != string(second[name]) {
			t.Errorf("%s has other bytes the second time: %s", name, difference(data, second[name]))
		}
	}
}

// difference names the first place.
func difference(a, b []byte) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("at %d of %d: %q and %q", i, len(a), a[i:min(i+40, len(a))], b[i:min(i+40, len(b))])
		}
	}
	return fmt.Sprintf("%d and %d bytes", len(a), len(b))
}

// copyTree copies what a release is made from.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rest)
		switch {
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "node_modules" || e.Name() == "dist" || e.Name() == ".tmp"):
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(at, 0o755)
		case !e.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(at, data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFaultsAreFound holds that lint sees a wrong hash, a missing file and a manifest that breaks its schema.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	c := configuration(t)
	archive := file{c.archiveName(target{"linux", "amd64"}), 0o644, []byte("x")}
	sums := file{"SHA256SUMS", 0o644, []byte(digest(archive.data) + "  " + archive.name + "\n")}
	formula := func(url, sum string) file {
		return file{c.Name + ".rb", 0o644, fmt.Appendf(nil, "url %q\n  sha256 %q\n", url, sum)}
	}
	for name, tt := range map[string]struct {
		files []file
		want  string
	}{
		"no checksum":    {[]file{archive}, "SHA256SUMS has another hash, or none"},
		"other checksum": {[]file{{archive.name, 0o644, []byte("y")}, sums}, "SHA256SUMS has another hash, or none"},
		"other hash":     {[]file{archive, sums, formula(c.download(archive.name), digest(nil))}, "has another hash"},
		"other file":     {[]file{archive, sums, formula(c.download("x"), digest(archive.data))}, "is no file of the release"},
		"elsewhere":      {[]file{archive, sums, formula("https://example.org/"+archive.name, digest(archive.data))}, "is no file of the release"},
		"no address":     {[]file{{c.Name + ".rb", 0o644, nil}}, "names no file"},
		"no server":      {[]file{{"server.json", 0o644, []byte(`{"name": "x", "version": "1"}`)}}, "/description: required property is missing"},
		"no JSON":        {[]file{{"x.json", 0o644, []byte("{")}}, "is no JSON"},
		"no bundle":      {[]file{{"x.mcpb", 0o644, nil}}, "zip"},
	} {
		if err := c.lint(tt.files); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	bundle, err := zipped([]file{{"manifest.json", 0o644, []byte(`{"manifest_version": "0.4", "unknown": 1}`)}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.lint([]file{{"x.mcpb", 0o644, bundle}}); err == nil || !strings.Contains(err.Error(), "required property") {
		t.Errorf("a bundle without a server: %v", err)
	}
}

// TestConfigFaults holds that a slip in release.yaml is an error.
func TestConfigFaults(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("release.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ old, new, want string }{
		"unknown key":    {"image:", "imagge:", "imagge"},
		"no name":        {"name: toolvet\ntitle", "title", `"name" is missing`},
		"unknown target": {"linux/amd64", "plan9/amd64", "unknown target"},
		"long summary":   {"summary: ", "summary: " + strings.Repeat("x", 100), "more than 100 characters"},
		"bad name":       {"name: toolvet\ntitle", "name: Tool Vet\ntitle", "lower-case"},
		"no root":        {`["", `, "[", "the first module"},
	} {
		changed := strings.Replace(string(text), tt.old, tt.new, 1)
		if changed == string(text) {
			t.Fatalf("%s: release.yaml holds no %q", name, tt.old)
		}
		at := filepath.Join(t.TempDir(), "release.yaml")
		if err := os.WriteFile(at, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readConfig(at); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

// TestHelp holds that --help names each command, and is no fault.
func TestHelp(t *testing.T) {
	t.Parallel()
	if err := command(t.Context(), []string{"--help"}); err != nil {
		t.Errorf("--help: %v", err)
	}
	for _, word := range []string{"[TARGET...]", "repeat DIR", "plugin", "publish"} {
		if !strings.Contains(usage, word) {
			t.Errorf("the usage lacks %q", word)
		}
	}
}
