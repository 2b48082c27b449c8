// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/path"
)

var yes = true

// newRun is a pass of c over paths at /path.
func newRun(c *check.Check, world check.World, options any, paths ...any) *check.Run {
	run := new(check.Run).Init(c, &call.Call{Name: "read"}, nil)
	run.World = world
	for _, p := range paths {
		run.Targets = append(run.Targets, check.Target{Pointer: "/path", Value: p, Options: options})
	}
	return run
}

// found are the messages of what the check finds of one path. Warnings begin with
// "warning: ", findings of level security with "security: ".
func found(t *testing.T, options *path.Options, p string) []string {
	t.Helper()
	run := newRun(Check, check.World{}, options, p)
	if err := run.Do(t.Context()); err != nil {
		t.Fatalf("%q: %v", p, err)
	}
	return texts(run)
}

func texts(run *check.Run) []string {
	var list []string
	for _, f := range run.Findings {
		text := f.Message
		if f.Level == check.SecurityLevel {
			text = "security: " + text
		}
		if f.Severity == check.Warning {
			text = "warning: " + text
		}
		list = append(list, text)
	}
	if skip := run.Skip; skip != nil {
		list = append(list, "skip: "+skip.Why)
	}
	return list
}

// tree makes files in a new directory: "a/" is a directory, "a -> b" a link, and what
// follows "=" a file's text. It returns the directory, without links in it.
func tree(t *testing.T, entries ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name, target, isLink := strings.Cut(e, " -> ")
		file, text, isFile := strings.Cut(name, "=")
		at := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		switch {
		case isLink:
			err = os.Symlink(filepath.FromSlash(strings.ReplaceAll(target, "$", dir)), at)
		case isFile:
			err = os.WriteFile(at, []byte(text), 0o644)
		default:
			err = os.MkdirAll(at, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A seen case is a path with its demands and findings.
type seen struct {
	path    string // "$" is the directory
	options *path.Options
	want    []string
}

func (s seen) run(t *testing.T, dir string, within ...string) {
	t.Helper()
	o := s.options
	if o == nil {
		o = new(path.Options)
	}
	for _, w := range within {
		o.Within = append(o.Within, strings.ReplaceAll(w, "$", dir))
		o.Base = o.Within[0]
	}
	if diff := cmp.Diff(s.want, found(t, o, strings.ReplaceAll(s.path, "$", dir))); diff != "" {
		t.Errorf("%s within %v (-want +got):\n%s", s.path, within, diff)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it is not asked there what may be read and written")
	}
	checktest.Run(t, Check, "testdata")
}

func TestOtherPlatform(t *testing.T) {
	t.Parallel()
	foreign := "windows"
	if runtime.GOOS == "windows" {
		foreign = "posix"
	}
	const want = "skip: not looked: paths of another system than toolvet's own\n"
	if got := checktest.Judge(t, Check, "path: {exists: true, platform: "+foreign+"}", "x"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRefusedByText holds that the file system is not asked about paths refused by the check
// path, nor without any demand.
func TestRefusedByText(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := newCheck(f, 1)
	run := newRun(c, check.World{Roots: []string{"/srv"}}, &path.Options{Exists: &yes}, "/etc/passwd", "%2e%2e", "a\x00", json.Number("1"))
	run.Targets = append(run.Targets, newRun(c, check.World{}, &path.Options{}, "/etc/passwd").Targets...)
	if err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked := f.asked.Load(); asked != 0 || len(run.Findings) > 0 || run.Skip != nil {
		t.Errorf("asked %d times and found %v: want nothing", asked, texts(run))
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	if err := newRun(Check, check.World{}, "strange", "/x").Do(t.Context()); err == nil {
		t.Error("options of another rule are taken for none")
	}
	if Check.Demand != path.Demand || Check.Level != check.RuntimeLevel {
		t.Errorf("demand %v, level %v: want those of the demand path and runtime", Check.Demand, Check.Level)
	}
}

// A counting system counts the questions about each path.
type counting struct {
	host
	asked map[string]int
}

func (c counting) describe(path string) (entry, error) {
	c.asked[path]++
	return c.host.describe(path)
}

// TestAsksOnce holds that a look asks about each directory once, although the root, the path and its
// other spelling pass it.
func TestAsksOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	sys := counting{asked: map[string]int{}}
	run := newRun(newCheck(sys, maxLooks), check.World{}, &path.Options{Within: []string{dir}, Base: dir, ParentExists: true}, "a/../a/b/new.txt")
	if err := run.Do(t.Context()); err != nil || len(run.Findings) > 0 {
		t.Fatal(err, run.Findings)
	}
	if sys.asked[dir] == 0 || sys.asked[filepath.Join(dir, "a")] == 0 {
		t.Errorf("asked: %v", sys.asked)
	}
	for name, n := range sys.asked {
		if n > 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}
