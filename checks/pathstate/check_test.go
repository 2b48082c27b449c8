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
	"github.com/toolvet/toolvet/checks/path"
)

var yes, no = true, false

// newPass is a pass of c over paths at /path.
func newPass(c *check.Check, world check.World, options any, paths ...any) *check.Pass {
	pass := check.NewPass(c, &call.Call{Name: "read"}, nil)
	pass.World = world
	for _, p := range paths {
		pass.Targets = append(pass.Targets, check.Target{Pointer: "/path", Value: p, Options: options})
	}
	return pass
}

// found are the messages of what the check finds of one path. Warnings begin with
// "warning: ", findings of level security with "security: ".
func found(t *testing.T, options *path.Options, p string) []string {
	t.Helper()
	pass := newPass(Check, check.World{}, options, p)
	if err := Check.Run(t.Context(), pass); err != nil {
		t.Fatalf("%q: %v", p, err)
	}
	return texts(pass)
}

func texts(pass *check.Pass) []string {
	var list []string
	for _, f := range pass.Findings() {
		text := f.Message
		if f.Level == check.SecurityLevel {
			text = "security: " + text
		}
		if f.Severity == check.Warning {
			text = "warning: " + text
		}
		list = append(list, text)
	}
	if skip := pass.Skipped(); skip != nil {
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

// A seen case is a path, what is demanded of it, and what is found.
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
	}
	if diff := cmp.Diff(s.want, found(t, o, strings.ReplaceAll(s.path, "$", dir))); diff != "" {
		t.Errorf("%s within %v (-want +got):\n%s", s.path, within, diff)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	dir := tree(t, "d/sub", "d/file=twelve bytes", "d/empty=", "d/link -> file", "d/nowhere -> gone", "d/far -> gone/for/good")
	const absent = "does not exist"
	for _, tt := range []seen{
		{"file", nil, nil},
		{"absent/absent", nil, nil},
		{"file/x", nil, nil},
		{"file", &path.Options{Exists: &yes}, nil},
		{"./sub/../file", &path.Options{Exists: &yes}, nil},
		{"", &path.Options{Exists: &yes, Type: "directory"}, nil},
		{"link", &path.Options{Exists: &yes, Type: "file"}, nil},
		{"absent", &path.Options{Exists: &yes}, []string{absent}},
		{"absent", &path.Options{Readable: true}, []string{absent}},
		{"nowhere", &path.Options{Exists: &yes}, []string{absent}},
		{"far", &path.Options{Exists: &yes}, []string{absent + ", nor does the directory that it would lie in"}},
		{"absent/x", &path.Options{Exists: &yes}, []string{absent + ", nor does the directory that it would lie in"}},
		{"file/x", &path.Options{Exists: &yes}, []string{absent + ": a name in the middle of the path is a file, not a directory"}},
		{"absent", &path.Options{Exists: &no}, nil},
		{"nowhere", &path.Options{Exists: &no}, nil},
		{"file", &path.Options{Exists: &no}, []string{"exists already: choose another name"}},
		{"sub/new", &path.Options{ParentExists: true}, nil},
		{"sub", &path.Options{ParentExists: true}, nil},
		{"nowhere", &path.Options{ParentExists: true}, nil},
		{"absent/new", &path.Options{ParentExists: true}, []string{"lies in a directory that does not exist: create it first"}},
		{"file/new", &path.Options{ParentExists: true}, []string{"lies in a directory that does not exist: create it first"}},
		{"far", &path.Options{ParentExists: true}, []string{"lies in a directory that does not exist: create it first"}},
		{"sub", &path.Options{Type: "file"}, []string{"must be a file, but is a directory"}},
		{"file", &path.Options{Type: "directory"}, []string{"must be a directory, but is a file"}},
		{"absent", &path.Options{Type: "directory"}, nil},
		{"file", &path.Options{MaxSize: 12, WarnSize: 11}, []string{"warning: is larger than 11B"}},
		{"file", &path.Options{MaxSize: 11}, []string{"is larger than the 11B that are allowed"}},
		{"link", &path.Options{MaxSize: 11, Exists: &no}, []string{"exists already: choose another name", "is larger than the 11B that are allowed"}},
		{"empty", &path.Options{MaxSize: 1, WarnSize: 1}, nil},
		{"sub", &path.Options{MaxSize: 1}, nil},
		{strings.Repeat("n", 300), &path.Options{Exists: &yes}, []string{"is longer than the file system allows, as a whole or one of its names"}},
	} {
		tt.run(t, dir, "$/d")
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	dir := tree(t, "in/sub/deep", "in/file=", "out/secret=", "other/real=", "entry -> in", "otherEntry -> other",
		"in/1 -> 2", "in/2 -> $/in/3", "in/3 -> sub/../file", "in/up -> ..", "in/out -> ../out", "in/abs -> $/out/secret",
		"in/loop1 -> loop2", "in/loop2 -> loop1", "in/self -> self/x", "in/dangling -> ../out/new", "in/deep -> sub/deep",
		"in/other -> ../other", "in/other2 -> $/otherEntry/real", "in/back -> ../in/file", "in/root -> /", "in/none -> ./none2",
		"in/1out -> 2out", "in/2out -> out/secret")
	const (
		escape  = "security: leads out of the allowed directories through a symbolic link"
		loop    = "leads through too many symbolic links, more than the system follows: they may form a loop"
		twoWays = `has a ".." behind a symbolic link, so that it names two files: give the path without ".."`
	)
	for _, tt := range []seen{
		{"1", &path.Options{Exists: &yes}, nil},
		{"back", &path.Options{Exists: &yes}, nil},
		{"none/x", nil, nil},
		{"up", nil, []string{escape}},
		{"up/in/file", nil, nil},
		{"up/x", nil, []string{escape}},
		{"out", nil, []string{escape}},
		{"out/secret", nil, []string{escape}},
		{"out/absent", nil, []string{escape}},
		{"out/absent", &path.Options{Exists: &yes}, []string{escape}}, // and nothing of what is there
		{"abs", nil, []string{escape}},
		{"1out", nil, []string{escape}},
		{"dangling", nil, []string{escape}},
		{"dangling/x/y", nil, []string{escape}},
		{"root/etc/passwd", nil, []string{escape}},
		{"loop1", nil, []string{loop}},
		{"self", nil, []string{loop}},
		{"deep/..", nil, []string{twoWays}},
		{"deep/../../file", nil, nil},
		{"out/../file", nil, []string{escape}}, // as the system follows it: file beside out
		{"absent/../file", &path.Options{Exists: &yes}, nil},
		{"absent/../out", nil, []string{escape}},
		{"other", nil, []string{escape}},
		{"$/in/file", &path.Options{FollowSymlinks: &no}, nil},
		{"3", &path.Options{FollowSymlinks: &no}, []string{"security: leads through a symbolic link, and none is allowed"}},
		{"deep/../file", &path.Options{FollowSymlinks: &no}, []string{"security: leads through a symbolic link, and none is allowed"}},
		{"3", &path.Options{FollowSymlinks: &yes}, nil},
	} {
		tt.run(t, dir, "$/in")
	}
	for _, tt := range []seen{
		{"file", &path.Options{FollowSymlinks: &no, Exists: &yes}, nil}, // the link is above
		{"$/entry/3", nil, nil},
		{"back", nil, nil},
		{"out/secret", nil, []string{escape}},
		{"sub/../../x", nil, nil}, // refused by the check path already
	} {
		tt.run(t, dir, "$/entry")
	}
	seen{"other", nil, nil}.run(t, dir, "$/in", "$/other")
	seen{"other2", nil, nil}.run(t, dir, "$/in", "$/otherEntry")
	seen{"other2", nil, []string{escape}}.run(t, dir, "$/in", "$/none")
	seen{"$/in/out/secret", &path.Options{Exists: &yes}, nil}.run(t, dir) // anywhere
	seen{"$/in/3", &path.Options{FollowSymlinks: &no}, []string{"security: leads through a symbolic link, and none is allowed"}}.run(t, dir)
	seen{"$/in/out/x", nil, nil}.run(t, dir, "/")
}

func TestReadme(t *testing.T) {
	t.Parallel()
	dir := tree(t, "d/sub", "d/large=much", "d/out -> ..")
	_, shown, _ := strings.Cut(Check.Doc, "## Example")
	for p, want := range map[string]string{
		"out":      "security: leads out of the allowed directories through a symbolic link",
		"absent/x": "does not exist, nor does the directory that it would lie in",
		"sub":      "must be a file, but is a directory",
		"large":    "warning: is larger than 2B",
	} {
		o := &path.Options{Exists: &yes, Type: "file", Readable: runtime.GOOS != "windows", WarnSize: 2}
		seen{p, o, []string{want}}.run(t, dir, "$/d")
		line := want[strings.LastIndex(want, ": ")+1:]
		if line = strings.Replace(strings.TrimSpace(line), "2B", "100MB", 1); !strings.Contains(shown, "\n    /path: "+line+"\n") {
			t.Errorf("the README does not show %q", line)
		}
	}
}

func TestSkips(t *testing.T) {
	t.Parallel()
	foreign := "windows"
	if runtime.GOOS == "windows" {
		foreign = "posix"
	}
	exists := func(platform string) *path.Options { return &path.Options{Exists: &yes, Platform: platform} }
	for name, tt := range map[string]struct {
		world   check.World
		options *path.Options
		want    []string
	}{
		"remote":         {check.World{Remote: true}, exists(""), []string{"skip: not looked: the server's files are not on this machine"}},
		"no start":       {check.World{}, exists(""), []string{"skip: not looked: where relative paths start is not known"}},
		"other platform": {check.World{}, exists(foreign), []string{"skip: not looked: paths of another system than toolvet's own"}},
	} {
		pass := newPass(Check, tt.world, tt.options, "x", 7, nil)
		if err := Check.Run(t.Context(), pass); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, texts(pass)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestRefusedByText holds that what the check path refuses is not asked of the file
// system, and that nothing is asked where nothing is demanded.
func TestRefusedByText(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := newCheck(f, 1)
	pass := newPass(c, check.World{Roots: []string{"/srv"}}, &path.Options{Exists: &yes}, "/etc/passwd", "%2e%2e", "a\x00", json.Number("1"))
	pass.Targets = append(pass.Targets, newPass(c, check.World{}, &path.Options{}, "/etc/passwd").Targets...)
	if err := c.Run(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	if asked := f.asked.Load(); asked != 0 || len(pass.Findings()) > 0 || pass.Skipped() != nil {
		t.Errorf("asked %d times and found %v: want nothing", asked, texts(pass))
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	if err := check.Validate([]*check.Check{Check}); err != nil {
		t.Error(err)
	}
	if err := Check.Run(t.Context(), newPass(Check, check.World{}, "strange", "/x")); err == nil {
		t.Error("options of another rule are taken for none")
	}
	if Check.Rule != path.Rule || Check.Level != check.RuntimeLevel {
		t.Errorf("rule %v, level %v: want those of the rule path and runtime", Check.Rule, Check.Level)
	}
}
