// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// TestWithin reads paths by their text alone: the server's files are elsewhere.
func TestWithin(t *testing.T) {
	t.Parallel()
	const yes, no, unclear = "true", "false", "error"
	for _, tt := range []struct {
		path, root, base string
		want             string
	}{
		{"/srv/data", "/srv/data", "", yes},
		{"/srv/data/", "/srv/data", "", yes},
		{"/srv/data/a/../b", "/srv/data", "", yes},
		{"/srv//data/./a", "/srv/data", "", yes},
		{"/srv/data2", "/srv/data", "", no},
		{"/srv/data/../data2", "/srv/data", "", no},
		{"/srv", "/srv/data", "", no},
		{"/anything", "/", "", yes},

		{"a/b", "/srv/data", "", unclear}, // where relative paths start is not known
		{"a/b", "/srv/data", "/srv/data", yes},
		{"a/b", "/srv/data", "/srv", no},
		{"data/b", "/srv/data", "/srv", yes},
		{".", "/srv/data", "/srv/data", yes},
		{"..", "/srv/data", "/srv/data", no},
		{"../data/x", "/srv/data", "/srv/data", yes},
		{"../data2/x", "/srv/data", "/srv/data", no},
		{"a/../../b", "/srv/data", "/srv/data", no},

		{`..\x`, "/srv/data", "/srv/data", unclear},
		{`a\..\..\..\x`, "/srv/data", "/srv/data", unclear},
		{`a\b`, "/srv/data", "/srv/data", yes},
		{"/srv/data/%2e%2e/x", "/srv/data", "", unclear},
		{"/srv/data/50%25.txt", "/srv/data", "", yes}, // inside, decoded or not
		{"/etc/%61", "/srv/data", "", no},
		{"/srv/data/．．/x", "/srv/data", "", unclear},
		{"~/x", "/srv/data", "/srv/data", unclear},
		{"$HOME/x", "/srv/data", "/srv/data", unclear},
		{"/srv/data/a\x00", "/srv/data", "", unclear},
		{"/srv/data/a\nb", "/srv/data", "", unclear},
		{"https://srv/data", "/srv/data", "/srv/data", unclear},

		{"file:///srv/data/x", "/srv/data", "", yes},
		{"FILE://localhost/srv/data/x", "/srv/data", "", yes},
		{"file:///srv/data/../x", "/srv/data", "", no},
		{"file:///srv/data/%2e%2e/x", "/srv/data", "", no},
		{"file:///srv/data/%252e%252e/x", "/srv/data", "", unclear},
		{"file://other/srv/data/x", "/srv/data", "", unclear},
		{"file:///srv/data/x?y", "/srv/data", "", unclear},

		{`C:\x`, "/", "", unclear},
		{`C:\srv\x`, `C:\srv`, "", yes},
		{`c:/SRV/x`, `C:\srv`, "", yes},
		{`x\y`, `C:\srv`, `C:\srv`, yes},
		{`..\x`, `C:\srv`, `C:\srv`, no},
		{`C:\srv2`, `C:\srv`, "", no},
		{`D:\srv\x`, `C:\srv`, "", no},
		{`C:\x`, `C:\`, "", yes},
		{`C:x`, `C:\srv`, "", unclear},
		{`\srv\x`, `C:\srv`, "", unclear},
		{`C:\srv\x:stream`, `C:\srv`, "", unclear},
		{`C:\srv\nul.txt`, `C:\srv`, "", unclear},
	} {
		f := files{ctx: t.Context(), world: check.World{Remote: true, Base: tt.base}}
		inside, err := f.within(tt.path, tt.root)
		got := map[bool]string{true: yes, false: no}[inside]
		if err != nil {
			got = unclear
		}
		if got != tt.want {
			t.Errorf("within(%q, %q) from %q = %s, %v, want %s", tt.path, tt.root, tt.base, got, err, tt.want)
		}
	}
	for _, root := range []string{"", ".", "srv", "/srv/", "/srv/..", "/srv/../x", "/srv//x", "/srv/./x", "/srv\x00", `C:`, `C:srv`, `C:\srv\`, `C:\srv\..`, `\\host\share`, "~"} {
		f := files{ctx: t.Context(), world: check.World{Base: "/srv"}}
		if _, err := f.within("/srv/x", root); err == nil {
			t.Errorf("within allows the root %q", root)
		}
	}
}

// TestLinks follows symbolic links, of the path and of the root.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "bob/deep"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"ann/out": "../bob", "ann/in": "../ann", "ann/deep": "../bob/deep", "notes": "ann", "ann/none": "../bob/new", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	root := filepath.ToSlash(dir)
	for _, tt := range []struct {
		path string
		want string // where it leads below the directory; "" if nobody can say
	}{
		{"ann/x", "ann/x"},
		{"ann/../bob/x", "bob/x"},
		{"ann/out/x", "bob/x"},
		{"ann/in/x", "ann/x"},
		{"ann/none", "bob/new"},
		{"notes/x", "ann/x"},
		{"ann/deep/../x", ""}, // bob/x as it stands, ann/x once cleaned
		{"loop/x", ""},
	} {
		f := files{ctx: t.Context(), world: check.World{Base: dir}}
		place, err := f.resolve(tt.path)
		if got := strings.TrimPrefix(place, root+"/"); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("resolve(%q) = %q, %v, want %q", tt.path, got, err, tt.want)
		}
		for _, of := range []string{"ann", "notes"} { // the same directory
			inside, err := f.within(tt.path, root+"/"+of)
			if want := strings.HasPrefix(tt.want, "ann/"); err == nil && inside != want || (err == nil) != (tt.want != "") {
				t.Errorf("within(%q, …/%s) = %t, %v", tt.path, of, inside, err)
			}
		}
	}
}

// TestOtherNames holds that within compares files, not names alone: a hard link is another name of a file, as a name in
// other case is on a file system that ignores case.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "secret"), filepath.Join(dir, "SECRET")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]bool{"secret": true, "SECRET": true, "other": false, "Secret": false, "none": false} {
		var asked []string
		f := files{ctx: t.Context(), world: check.World{Base: dir}, note: func(name string) { asked = append(asked, name) }}
		inside, err := f.within(name, filepath.ToSlash(dir)+"/secret")
		if err != nil || inside != want {
			t.Errorf("within(%q) = %t, %v, want %t", name, inside, err, want)
		}
		if !slices.Contains(asked, filepath.Join(dir, name)) {
			t.Errorf("within(%q) tells only that it asked about %q", name, asked)
		}
		f = files{ctx: t.Context(), world: check.World{Base: dir, Remote: true}}
		if inside, err := f.within(name, filepath.ToSlash(dir)+"/secret"); err != nil || inside != (name == "secret") {
			t.Errorf("on another machine, within(%q) = %t, %v", name, inside, err)
		}
	}
}

// TestPathsOfRules holds that a rule judges the place that a path leads to, and says why it cannot.
func TestPathsOfRules(t *testing.T) {
	t.Parallel()
	set := mustCompile(t,
		Rule{Name: "own", Effect: Allow, When: `within(args.path, "/srv/data/" + session.subject)`},
		Rule{Name: "no-keys", Effect: Deny, When: `resolve(args.path).endsWith(".key")`},
	)
	var asked []string
	for _, tt := range []struct {
		path, base string
		allowed    bool
		message    string
	}{
		{"/srv/data/ann/x", "", true, ""},
		{"/srv/data/ann/../bob/x", "", false, `the rule "own" does not allow the call`},
		{"bob/x", "/srv/data", false, `the rule "own" does not allow the call`},
		{"x", "/srv/data/ann", true, ""},
		{"x", "", false, `the rule "own" cannot tell where a path leads: where relative paths start is not known, so the call is refused`},
		{"/srv/data/ann/%2e%2e/bob/x", "", false, `the rule "own" cannot tell where a path leads: it leads to another place, depending on how a server reads it, so the call is refused`},
		{"/srv/data/ann/x.key", "", false, `the rule "no-keys" refuses the call`},
		{"/srv/data/ann/x.key/.", "", false, `the rule "no-keys" refuses the call`},
	} {
		in := Input{Session: ann, Server: "files", Tool: "read", Args: map[string]any{"path": tt.path},
			World: check.World{Base: tt.base}, Note: func(path string) { asked = append(asked, path) }}
		d := set.ForTool("files", readTool(t)).Evaluate(t.Context(), in)
		if d.Allowed != tt.allowed || !tt.allowed && d.Reasons[0].Message != tt.message {
			t.Errorf("%s from %q: %+v", tt.path, tt.base, d)
		}
	}
	if len(asked) == 0 {
		t.Error("no path is noted on which a decision rests")
	}
}

// TestPathsAsText holds that a rule refuses a path that it compares as text, unless the text is the shortest for its place: a deny
// rule, too, which the index would leave out.
func TestPathsAsText(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string][]Rule{
		"allow": {{Name: "r", Effect: Allow, When: `args.path.startsWith("/srv/data/notes/" + session.subject + "/")`}},
		"deny":  {{Name: "r", Effect: Deny, When: `args.path.startsWith("/etc/")`}},
		"equal": {{Name: "r", Effect: Deny, When: `args.path == "/etc/passwd"`}},
		"list":  {{Name: "r", Effect: Deny, When: `args.path in ["/etc/passwd"]`}},
		"glob":  {{Name: "r", Effect: Deny, When: `glob(args.path, "/etc/**")`}},
	} {
		program := mustCompile(t, rules...).ForTool("files", readTool(t))
		for path, plain := range map[string]bool{
			"/srv/data/notes/ann/x":                      true,
			"/srv/data/notes/ann/../bob/x":               false,
			"/srv/data/notes/ann/../../../../etc/passwd": false,
			"/srv/data/notes/ann/%2e%2e/bob/x":           false,
			`/srv/data/notes/ann/..\bob\x`:               false,
			"/srv/data/notes/ann/./x":                    false,
			"/srv/data/notes/ann//x":                     false,
			"file:///srv/data/notes/ann/../bob/x":        false,
			"/srv/data/notes/ann/../bob/my notes":        false,
			"/srv/data/notes/ann/ /../../bob/x":          false,
			"/srv/data/notes/ann/my notes\t/../../bob/x": false,
			"/srv/data/notes/ann/my notes":               true,
			"https://example.org/a/../b":                 name != "allow",
			"words about /a/../b":                        name != "allow",
			"main..feature":                              name != "allow",
		} {
			d := program.Evaluate(t.Context(), Input{Session: ann, Server: "files", Tool: "read", Args: map[string]any{"path": path}})
			if d.Allowed != plain {
				t.Errorf("%s: %q: allowed is %t: %+v", name, path, d.Allowed, d.Reasons)
			}
		}
	}
}

// TestRoundabout finds values at the addresses of text uses.
func TestRoundabout(t *testing.T) {
	t.Parallel()
	args := map[string]any{"a/b": "x/../y", "list": []any{"x", map[string]any{"p": "x/./y"}}, "deep": map[string]any{"k": "a//b"}, "fine": "a/b", "n": 5}
	for address, want := range map[string]bool{
		"/a~1b": true, "/list/*/p": true, "/list/*": false, "/deep/k": true, "/deep/*": true, "/deep/other": false, "/fine": false, "/n": false, "/none": false, "": false,
	} {
		if got := roundabout(args, address); got != want {
			t.Errorf("%q: %t", address, got)
		}
	}
}

// FuzzWithin compares within with a walk that counts its steps.
func FuzzWithin(f *testing.F) {
	for _, s := range []string{"/srv/data/x", "../x", "a/../../srv/data", `..\x`, "//srv/data", "/srv/data/../../srv/data/x", "./.", `a\../b`, "file:///srv/data/../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		of := files{ctx: t.Context(), world: check.World{Remote: true, Base: "/srv/data"}}
		inside, err := of.within(path, "/srv/data")
		if _, other := errors.AsType[*pathError](err); err != nil && !other {
			t.Fatal(err)
		}
		name, uri := ofURI(path)
		for _, reading := range []string{name, strings.ReplaceAll(name, `\`, "/")} {
			if uri == nil && err == nil && inside && !leadsInside(reading) {
				t.Errorf("%q is said to be within, and leads out", path)
			}
		}
	})
}

// leadsInside walks a path from /srv/data.
func leadsInside(path string) bool {
	at := []string{"srv", "data"}
	if strings.HasPrefix(path, "/") {
		at = nil
	}
	for step := range strings.SplitSeq(path, "/") {
		switch step {
		case "", ".":
		case "..":
			at = at[:max(len(at)-1, 0)]
		default:
			at = append(at, step)
		}
	}
	return len(at) >= 2 && at[0] == "srv" && at[1] == "data"
}
