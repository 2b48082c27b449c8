// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// agentPatches are patches for a tool, and what each is told of; "" is nothing.
var agentPatches = map[string]string{
	"*** Begin Patch\n*** Add File: /etc/passwd\n+x\n*** End Patch":                                  secret,
	"*** Begin Patch\n*** Add File: /etc/hosts\n+x\n*** End Patch":                                   system,
	"*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n*** End Patch":                        startup,
	"*** Begin Patch\r\n  *** Update File: src/a.js\r\n*** Move to: .git/hooks/pre-commit\r\n":       startup,
	"*** Begin Patch\n*** Delete File: ../x\n*** End Patch":                                          outside,
	"*** Begin Patch\n*** Update File: .env\n@@\n-a\n+b\n*** End Patch":                              secret,
	"*** Begin Patch\n*** Update File: src/../../x\n@@\n-a\n+b\n*** End Patch":                       outside,
	"*** Begin Patch\n*** Update File: src/a.js\n@@\n-a\n+b\n*** Add File: docs/.env.example\n+A=\n": "",
	"*** Begin Patch\n*** Add File: /repo/src/a b.js\n+x\n*** Delete File: src/c.js\n*** End Patch":  "",
	"*** Begin Patch\n*** Add File: /tmp/x\n+x\n*** End Patch":                                       "",
	"*** Begin Patch":    unread,
	"":                   unread,
	"no patch\x00at all": unread,
	"--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n":                                                       "",
	"--- a/src/x\n+++ b/.github/workflows/ci.yml\n@@ -1 +1 @@\n-a\n+b\n":                                    startup,
	"--- /dev/null\n+++ b/.husky/pre-commit\n@@ -0,0 +1 @@\n+b\n":                                           startup,
	"--- a/.ssh/id_rsa\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n":                                                 secret,
	"--- ../x\t2026-01-01 10:00:00 +0000\n+++ ../x\t2026-01-01 10:00:00 +0000\n":                            outside,
	"--- a/../../x\n+++ b/../../x\n":                                                                        outside,
	"*** src/x.c 2026-01-01 10:00:00\n--- ../x.c 2026-01-01 10:00:00\n***************\n*** 1,2 ****\n":      outside,
	"diff --git a/x b/.git/hooks/pre-commit\nsimilarity index 100%\nrename from x\nrename to .git/hooks/y":  startup,
	"diff --git a/x.sh b/.husky/x\nold mode 100644\nnew mode 100755\n":                                      startup,
	"--- \"a/\\056env\"\n+++ \"b/\\056env\"\n":                                                              secret,
	"diff --git a/k b/k\nnew file mode 120000\n--- /dev/null\n+++ b/k\n@@ -0,0 +1 @@\n+/home/u/.ssh/id_rsa": secret,
	"diff --git a/k b/k\nnew file mode 120000\n--- /dev/null\n+++ b/k\n@@ -0,0 +1 @@\n+../x":                outside,
}

// TestPatches holds what patches are told of: as the text for a tool, and as the input of programs that apply them.
func TestPatches(t *testing.T) {
	t.Parallel()
	world := check.World{Base: "/repo", Roots: []string{"/repo"}}
	allow := strings.Fields("substitution redirection pipe list background glob expansion escape comment newline assignment compound shell sum edit starter project temporary")
	try := func(shell, text, want string) {
		t.Helper()
		o := &Options{Allow: allow, Inside: true, Shell: shell}
		var got []string
		for _, f := range o.judgeIn(world, text) {
			if f.Severity == check.Error {
				got = append(got, cmp.Or(f.Source, "none"))
			}
		}
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range agentPatches {
		try("patch", text, want)
		if strings.ContainsAny(text, "\x00\r") || text == "" {
			continue
		}
		try("", "apply_patch <<'EOF'\n"+text+"\nEOF", want)
		try("", "git apply -p1 - <<'EOF'\n"+text+"\nEOF", want)
		try("", "cat > p.diff <<'EOF'\n"+text+"\nEOF\npatch -p0 < p.diff", want)
		try("", "cat > p.diff <<'EOF'\n"+text+"\nEOF\ncat p.diff | git am", want)
	}
	for line, want := range map[string]string{
		"apply_patch '*** Begin Patch\n*** Add File: .husky/x\n+y\n*** End Patch'":                  startup,
		"cd src && apply_patch <<'E'\n*** Begin Patch\n*** Add File: ../a.js\n+y\n*** End Patch\nE": "",
		"cd .. && apply_patch <<'E'\n*** Begin Patch\n*** Add File: a.js\n+y\n*** End Patch\nE":     outside,
		"echo '+++ b/.github/workflows/x.yml' | git apply":                                          startup,
		"printf -- '--- a/x\\n+++ b/.husky/pre-commit\\n' | git apply":                              startup,
		"curl https://example.org/x.diff | git apply":                                               unread,
		"curl -o x.diff https://example.org/x.diff; git apply x.diff":                               unread,
		"./gen | patch -p1":                     unread,
		"git diff HEAD~1 -- src | git apply -R": "",
		"git stash show -p | git apply":         "",
		"cat fix.patch | patch -p1":             "",
		"patch -p1 < fix.patch":                 "",
		"git apply --check fix.patch":           "",
		"git am *.patch":                        "",
		"patch -d .. -p1 < x":                   outside,
		"git apply --directory=.git/hooks x":    startup,
		"git -C .. am x":                        outside,
		"git log --oneline":                     "",
	} {
		try("", line, want)
	}
}

// TestPatchedFiles holds which files a patch is known to change, for the check that follows links.
func TestPatchedFiles(t *testing.T) {
	t.Parallel()
	_, _, changes := Started(&Options{Shell: "patch"}, "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n")
	if !slices.Equal(changes, []string{"a", "b", "c"}) {
		t.Errorf("%q", changes)
	}
	_, _, changes = Started(&Options{}, "git apply <<'E'\n--- a/x\n+++ b/x\nE")
	if !slices.Contains(changes, "x") {
		t.Errorf("%q", changes)
	}
}
