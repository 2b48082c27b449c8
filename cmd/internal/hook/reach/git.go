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
// each place where a user lists files to ignore. If git does not answer, every file counts that is not ignored: the line may make the repository, or have
// more time.
func (s *simple) untracked(f file) bool {
	if ignored(f.path) { // git need not be asked
		return false
	}
	if s.others == nil {
		s.others = map[string]map[string]bool{}
	}
	all, asked := s.others[s.dir]
	if !asked {
		all = untrackedFrom(s.dir)
		s.others[s.dir] = all
	}
	return all == nil || all[f.path]
}

// untrackedFrom returns the files of secrets in the repository of a directory that git has not got and does not ignore. One question is about all of them:
// a repository may hold thousands, and a line may name each. A repository within another has an index of its own, and git does not go into it. Nil is
// no answer.
func untrackedFrom(dir string) map[string]bool {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	// A repository may name programs for git to start: a monitor of changed files, or one to fetch missing objects. This question needs neither.
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "-c", "core.fsmonitor=false", "ls-files", "-z", "--others", "--exclude-standard", "--")
	for _, name := range secretBegins {
		cmd.Args = append(cmd.Args, ":(top,icase,glob)**/"+name+"*")
	}
	cmd.Args = append(cmd.Args, ":(top,icase,glob)**/*.env")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }) // these may name another repository
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	all := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		all[filepath.Join(dir, name)] = true
	}
	return all
}
