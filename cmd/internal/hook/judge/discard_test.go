// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// TestDiscards holds that a line is asked about that throws away the changes of a directory, and that one which names a file or a branch is not.
func TestDiscards(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, filepath.Join(dir, "src", "sub"))
	for _, file := range []string{"Makefile", "src/a.go"} {
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j := newJudge(t)
	answer := func(policy, line string) (string, string) {
		forgotten(j)
		return decision(t, j, &link.Request{Host: "claude-code", Policy: policy, Preset: "standard", Dir: dir, Payload: payload(t, "Bash", bash(line), dir)})
	}
	for want, lines := range map[string][]string{
		"ask": {
			"git restore src", "git restore src/", "git restore --worktree src", "git restore -s HEAD~1 src", "git restore -sHEAD src", "git restore --source=HEAD src", "git restore --staged --worktree src", "git restore -SW src",
			"git checkout src", "git checkout -- src", "git checkout HEAD -- src", "git checkout HEAD src", "git checkout --ours src", "git restore 'src/*'", "git restore \"src/sub\"", "git -C src restore sub", "cd src && git restore sub", "ls; git checkout -- " + dir + "/src",
			"git checkout -- $(git diff --name-only)", "git restore .", "git restore :/", "git restore --worktree .", "git checkout -f", "git checkout HEAD -- .", "git restore ':(top)'", "git -C src restore .",
			"git checkout -- '*.js'", "git restore '*.go'", "git restore $(git ls-files)", "git diff --name-only | xargs git restore", "git ls-files -m | xargs git checkout --", "git diff | git apply -R", "git diff HEAD | patch -R -p1", "git archive HEAD | tar x", "git archive HEAD | tar -x -C .", "git reset --merge",
		},
		"": {
			"git restore src/a.go", "git restore Makefile", "git restore --staged src", "git restore -S .", "git restore -p src", "git checkout main", "git checkout -b src", "git checkout HEAD -- src/a.go", "git checkout HEAD~1 Makefile",
			"git -C src restore a.go", "cd src && git restore a.go", "git restore -s src a.go", "echo git restore src", "git checkout -t origin/src",
			"git diff -- src/a.go | git apply -R", "git apply -R x.patch", "git archive HEAD | tar x -C /tmp/y", "git archive HEAD | gzip > x.tgz", "git reset --keep HEAD~1", "git diff HEAD~1 HEAD | git apply", "git diff --name-only | xargs gofmt -l",
		},
	} {
		for _, line := range lines {
			if got, why := answer("", line); got != want {
				t.Errorf("%s: %q, want %q: %s", line, got, want, why)
			}
		}
	}
	policy := filepath.Join(dir, "toolvet.yaml")
	if err := os.WriteFile(policy, []byte("version: 1\nservers:\n  claude-code: {agent: true, unasked: {kinds: [wipe]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, why := answer(policy, "git restore src"); got != "" {
		t.Errorf("with a policy: %q: %s", got, why)
	}
}
