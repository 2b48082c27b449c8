// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"os"
	"path/filepath"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/internal/subpath"
)

// placed returns an event with the directories of the project as Roots. A call may choose another directory for its command, which the checks find.
//
// The project is what the host names: its workspaces, and the session's own directory. A directory that a call chooses for itself is none. If the host
// names nothing else, the project is the repository around the directory in which the host runs the hook, or else around the one in which the session
// was first seen. A home directory, and what is above it, is nobody's project then.
func (j *Judge) placed(e hook.Event, r *link.Request) hook.Event {
	switch {
	case !e.Chosen:
		e.Roots = append(one(e.Dir), e.Roots...)
	case len(e.Roots) == 0:
		e.Roots = one(repository(r.Dir, r.Getenv("HOME")))
		if len(e.Roots) == 0 {
			e.Roots = one(repository(j.start(e), r.Getenv("HOME")))
		}
	}
	return e
}

func one(dir string) []string {
	if dir == "" {
		return nil
	}
	return []string{dir}
}

// maxStarts bounds the sessions whose first directory is known.
const maxStarts = 4096

// start returns the directory in which a session was first seen.
func (j *Judge) start(e hook.Event) string {
	key := e.Host + "\x00" + e.Session
	j.mu.Lock()
	defer j.mu.Unlock()
	dir, known := j.starts[key]
	if !known {
		if len(j.starts) >= maxStarts {
			clear(j.starts)
		}
		dir = e.Dir
		j.starts[key] = dir
	}
	return dir
}

// repository returns the repository around a directory, or the directory itself if there is none; "" for a home directory and what is above it.
func repository(dir, home string) string {
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if !filepath.IsAbs(dir) || subpath.In(home, dir) || filepath.Dir(dir) == dir {
		return ""
	}
	dir = filepath.Clean(dir)
	for at := dir; !subpath.In(home, at) && filepath.Dir(at) != at; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return dir
}
