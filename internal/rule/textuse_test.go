// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTextUses(t *testing.T) {
	t.Parallel()
	for when, want := range map[string][]TextUse{
		`args.path.startsWith("/srv/notes/" + session.subject + "/")`: {{"/path", "/srv/notes/", 1, 1, `within(args.path, "/srv/notes/" + session.subject)`, false}},
		`args.path.startsWith("/srv/notes/")`:                         {{"/path", "/srv/notes/", 1, 1, `within(args.path, "/srv/notes")`, false}},
		`args.uri.startsWith("file:///srv/data/")`:                    {{"/uri", "file:///srv/data/", 1, 1, `within(args.uri, "/srv/data")`, false}},
		`args.path.startsWith("notes/")`:                              {{"/path", "notes/", 1, 1, `resolve(args.path).startsWith("notes/")`, false}},
		"has(args.path) &&\n args.path == '/etc/passwd'":              {{"/path", "/etc/passwd", 2, 2, `resolve(args.path) == "/etc/passwd"`, false}},
		`"/etc" != args["a/b"]`:                                       {{"/a~1b", "/etc", 1, 11, `"/etc" != resolve(args["a/b"])`, false}},
		`args.path in ["/a", "/b"]`:                                   {{"/path", "/a", 1, 1, `resolve(args.path) in ["/a", "/b"]`, false}},
		`args.paths.all(p, p.endsWith(".md"))`:                        {{"/paths/*", ".md", 1, 19, `resolve(p).endsWith(".md")`, false}},
		`args.files[0].name.matches("^x")`:                            {{"/files/*/name", "^x", 1, 1, `resolve(args.files[0].name).matches("^x")`, false}},
		`glob(args.path, "/srv/**")`:                                  {{"/path", "/srv/**", 1, 6, `glob(resolve(args.path), "/srv/**")`, false}},
		`args.path.lowerAscii().contains("secret")`:                   {{"/path", "secret", 1, 1, `resolve(args.path).lowerAscii().contains("secret")`, false}},
		`(args.dir + "/" + args.file).startsWith("/srv/")`: {
			{"/dir", "/srv/", 1, 2, `within(args.dir + "/" + args.file, "/srv")`, false},
			{"/file", "/srv/", 1, 2, `within(args.dir + "/" + args.file, "/srv")`, false},
		},
		// in lists and maps of the condition's own, and out of them
		`[args.path].all(p, p.startsWith("/a/"))`:      {{"/path", "/a/", 1, 20, `within(p, "/a")`, false}},
		`[[args.path]].all(l, l.all(p, p == "/a"))`:    {{"/path", "/a", 1, 31, `resolve(p) == "/a"`, false}},
		`{"p": args.path}.p.startsWith("/a/")`:         {{"/path", "/a/", 1, 1, "", false}},
		`[args][0].path == "/a"`:                       {{"/path", "/a", 1, 1, "", false}},
		`[args.path].map(p, p)[0] == "/a"`:             {{"/path", "/a", 1, 16, "", false}},
		`[args.path].filter(p, p == "/a").size() == 1`: {{"/path", "/a", 1, 23, `resolve(p) == "/a"`, false}},
		`["/a/"].exists(d, args.path.startsWith(d))`:   {{"/path", "", 1, 19, `resolve(args.path).startsWith(d)`, false}},
		`args.path.split("/")[1] == "a"`:               {{"/path", "a", 1, 1, `resolve(args.path).split("/")[1] == "a"`, false}},
		`args.path.split("/").exists(s, s == "a")`:     {{"/path", "a", 1, 32, "", false}},
		`dyn(args.path) == "/a"`:                       {{"/path", "/a", 1, 4, `dyn(resolve(args.path)) == "/a"`, false}},
		`bytes(args.path) == b"/a"`:                    {{"/path", "", 1, 6, `bytes(resolve(args.path)) == b"\057\141"`, false}},
		`args.exists(k, args[k] == "/a")`:              {{"/*", "/a", 1, 16, `resolve(args[k]) == "/a"`, false}},
		`within("/a/" + args.path, "/a")`:              {{"/path", "/a/", 1, 16, `within(args.path, "/a")`, true}},

		`within(args.dir + "/" + args.file, "/a")`: nil,
		`[args.path].all(p, within(p, "/a"))`:      nil,
		`[resolve(args.path)].all(p, p == "/a")`:   nil,
		`args.path.split("/").size() < 9`:          nil,
		`within(args.path, "/srv")`:                nil,
		`resolve(args.path).startsWith("/srv/x")`:  nil,
		`args.path != "" && args.path != null`:     nil,
		`has(args.path) && size(args.path) < 100`:  nil,
		`session.subject == "ann"`:                 nil,
		`session.roots.exists(r, r == "/srv/ann")`: nil,
		`args.path.startsWith(`:                    nil,
	} {
		if diff := cmp.Diff(want, TextUses(when)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
}
