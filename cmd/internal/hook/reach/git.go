// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// gitTime bounds a question to git.
const gitTime = 2 * time.Second

// untracked reports whether git has not got a file, and takes it with the others of its directory. The index of git says what it has, and git alone reads
// each place where a user says what to ignore. Where git fails, the line fails as well.
func untracked(path string) bool {
	if ignored(path) { // git need not be asked
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	// A repository may name a program that tells git of changed files: this question needs none.
	cmd := exec.CommandContext(ctx, "git", "-C", filepath.Dir(path), "-c", "core.fsmonitor=false", "ls-files", "-z", "--others", "--exclude-standard", "--", filepath.Base(path))
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }) // these may name another repository
	cmd.Env = append(cmd.Env, "GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.Output()
	return err == nil && len(out) > 0
}
