// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import "testing"

// TestSed holds that a script of sed is read as sed reads it. GNU sed 4.9 runs a program or writes a file for each script of the
// first list but "{p;eid}" and "k;eid", which it does not take: other versions may.
func TestSed(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"e", "eid", "1eid", "1e id", "$eid", "1!eid", "1 ! e id", "1,+3e id", "1,~3eid", "0~1eid", "/x/eid", "/x/Ie id", "/x/I,+3e id",
		`\,x,Meid`, `\x\xxeid`, "p;eid", "{p;eid}", "{p};eid", ":a;N;$!ba;eid", ":a e id", "e/bin/id", `1e"id"`, "#n\neid", "a text\neid", "a\\\ntext\neid",
		"s/x/id/e", "s/x/id/2e", "s/x/id/ e", "s,x,id,ge", "s/[/]*x/id/e", "s/[^]/]/id/e", "s/[[:alpha:]/]/id/e", "sexeideeg", "s/a/b/\neid", "s/a/b/;s/x/id/e", "y/a/b/;eid", "l 5;eid",
		"w out", "wout", "s/x/y/w out", "s/x/y/gw out", "/x/W out", "k;eid",
	} {
		if !sedActs(script) {
			t.Errorf("%q passes", script)
		}
	}
	for _, script := range []string{
		"", "p", "$p", "1,5p", "/err/,/end/p", "s/a/b/", "s/a/b/g;s/c/d/", "s/x/echo e/", "s|/e/|/w/|g", "s/e/w/", `s/\/e/w/`, "s/[/]e/w/", "s/[^/]*e/w/", "$!N;P;D", "a e id", "1a\\\ne id",
		"i\\e id", "y/ew/we/", "/e/d", "/w x/d", `\|e|d`, ":e;N;be", "be", "# e id", "s/a/b/ # e id", "n;d", "w /dev/stdout", "s/a/b/w /dev/stderr", "r e.txt", "hello", "2q", "/^$/d;s/^ *//",
	} {
		if sedActs(script) {
			t.Errorf("%q is refused", script)
		}
	}
}
