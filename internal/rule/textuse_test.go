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
		`args.path.startsWith("/srv/notes/" + session.subject + "/")`: {{"/path", "/srv/notes/", 1, 1, `within(args.path, "/srv/notes/" + session.subject)`}},
		`args.path.startsWith("/srv/notes/")`:                         {{"/path", "/srv/notes/", 1, 1, `within(args.path, "/srv/notes")`}},
		`args.uri.startsWith("file:///srv/data/")`:                    {{"/uri", "file:///srv/data/", 1, 1, `within(args.uri, "/srv/data")`}},
		`args.path.startsWith("notes/")`:                              {{"/path", "notes/", 1, 1, `resolve(args.path).startsWith("notes/")`}},
		"has(args.path) &&\n args.path == '/etc/passwd'":              {{"/path", "/etc/passwd", 2, 2, `resolve(args.path) == "/etc/passwd"`}},
		`"/etc" != args["a/b"]`:                                       {{"/a~1b", "/etc", 1, 11, `"/etc" != resolve(args["a/b"])`}},
		`args.path in ["/a", "/b"]`:                                   {{"/path", "/a", 1, 1, `resolve(args.path) in ["/a", "/b"]`}},
		`args.paths.all(p, p.endsWith(".md"))`:                        {{"/paths/*", ".md", 1, 19, `resolve(p).endsWith(".md")`}},
		`args.files[0].name.matches("^x")`:                            {{"/files/*/name", "^x", 1, 1, `resolve(args.files[0].name).matches("^x")`}},
		`glob(args.path, "/srv/**")`:                                  {{"/path", "/srv/**", 1, 6, `glob(resolve(args.path), "/srv/**")`}},
		`args.path.lowerAscii().contains("secret")`:                   {{"/path", "secret", 1, 1, `resolve(args.path).lowerAscii().contains("secret")`}},
		`(args.dir + "/" + args.file).startsWith("/srv/")`: {
			{"/dir", "/srv/", 1, 2, `within(args.dir + "/" + args.file, "/srv")`},
			{"/file", "/srv/", 1, 2, `within(args.dir + "/" + args.file, "/srv")`},
		},

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
