// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A pathArgument says which arguments of a system call hold a path.
type pathArgument struct {
	dir  int // the directory of a relative path; -1: the working directory
	path int
	// follows means that the call follows a link at the end of the path.
	follows bool
}

// A pathCall is a system call that opens or changes something by its path.
type pathCall struct {
	name  string
	paths []pathArgument
	// flags is the argument with the flags of an open; 0: the call is none.
	flags int
}

// pathCalls are reported with [Config.Mark] alone. Calls that only look at a path (stat, access, readlink) are not
// among them: a guard makes those before it refuses. Nor are those which the filter judges by an argument (mknod):
// a reported call passes the filter.
var pathCalls = map[uint32]pathCall{
	unix.SYS_OPENAT:    {"openat", []pathArgument{{0, 1, true}}, 2},
	unix.SYS_OPENAT2:   {"openat2", []pathArgument{{0, 1, true}}, 2},
	unix.SYS_MKDIRAT:   {"mkdirat", []pathArgument{{0, 1, false}}, 0},
	unix.SYS_UNLINKAT:  {"unlinkat", []pathArgument{{0, 1, false}}, 0},
	unix.SYS_LINKAT:    {"linkat", []pathArgument{{0, 1, false}, {2, 3, false}}, 0},
	unix.SYS_SYMLINKAT: {"symlinkat", []pathArgument{{1, 2, false}}, 0},
	unix.SYS_RENAMEAT:  {"renameat", []pathArgument{{0, 1, false}, {2, 3, false}}, 0},
	unix.SYS_RENAMEAT2: {"renameat2", []pathArgument{{0, 1, false}, {2, 3, false}}, 0},
	unix.SYS_TRUNCATE:  {"truncate", []pathArgument{{-1, 0, true}}, 0},
	unix.SYS_FCHMODAT:  {"fchmodat", []pathArgument{{0, 1, true}}, 0},
	unix.SYS_FCHMODAT2: {"fchmodat2", []pathArgument{{0, 1, true}}, 0},
	unix.SYS_FCHOWNAT:  {"fchownat", []pathArgument{{0, 1, true}}, 0},
}

// pathCallOf returns the description of a system call with paths.
func pathCallOf(nr int32) (pathCall, bool) {
	c, ok := pathCalls[uint32(nr)]
	if !ok {
		c, ok = oldPathCalls[uint32(nr)]
	}
	return c, ok
}

// marked reports the paths of a system call that contain the mark. The program may change a path, or a link on its
// way, before the kernel reads it: the report is evidence of what a program does, and no wall.
func (w *watcher) marked(n *notification) {
	c, ok := pathCallOf(n.nr)
	if !ok || w.mark == "" {
		return
	}
	memory, err := os.Open("/proc/" + strconv.Itoa(int(n.pid)) + "/mem")
	if err != nil {
		return
	}
	defer memory.Close()
	how, ok := c.openHow(n, memory)
	if !ok {
		return
	}
	for _, a := range c.paths {
		dir := atCwd
		if a.dir >= 0 {
			dir = n.args[a.dir]
		}
		path, base := text(memory, n.args[a.path]), ""
		if path == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			base, _ = os.Readlink(openedBy(n.pid, dir)) // without one, the path alone counts
		}
		if !strings.Contains(base+"/"+path, w.mark) {
			continue
		}
		if place := placeOf(n.pid, dir, path, base, a.follows, how); strings.Contains(place, w.mark) {
			w.send(&Event{PID: int(n.pid), Path: place, Call: c.name})
		}
	}
}

// openHow reads the flags of an open. It is false for one that only takes hold of a place (O_PATH), which reads and
// changes nothing.
func (c pathCall) openHow(n *notification, memory *os.File) (how unix.OpenHow, ok bool) {
	switch {
	case n.nr == unix.SYS_OPENAT2:
		raw := make([]byte, 24)
		if _, err := memory.ReadAt(raw, int64(n.args[2])); err != nil {
			return how, false
		}
		how.Flags, how.Resolve = word(raw), word(raw[16:])
	case c.flags > 0:
		how.Flags = uint64(uint32(n.args[c.flags]))
	}
	return how, how.Flags&unix.O_PATH == 0
}

// placeOf returns the place to which a path leads, "" if the kernel refuses to go there.
func placeOf(pid uint32, dir uint64, path, base string, follows bool, how unix.OpenHow) string {
	follows = follows && how.Flags&unix.O_NOFOLLOW == 0 && how.Flags&(unix.O_CREAT|unix.O_EXCL) != unix.O_CREAT|unix.O_EXCL
	w, err := walk(pid, openedBy(pid, dir), path, follows)
	if err != nil && w.at == "" {
		return ""
	}
	if how.Resolve&(unix.RESOLVE_BENEATH|unix.RESOLVE_IN_ROOT) != 0 && !strings.HasPrefix(w.place()+"/", strings.TrimSuffix(base, "/")+"/") ||
		how.Resolve&unix.RESOLVE_BENEATH != 0 && filepath.IsAbs(path) || how.Resolve&unix.RESOLVE_NO_SYMLINKS != 0 && w.links > 0 {
		return ""
	}
	return w.place()
}

// A walked is how far a path leads.
type walked struct {
	at    string   // what is there
	rest  []string // the missing parts
	links int      // on the way
}

// place is what the path names, if the missing parts were there. Behind a missing part, the kernel does not go up.
func (w walked) place() string {
	place := w.at
	for _, name := range w.rest {
		switch name {
		case "", ".":
		case "..":
			return place
		default:
			place = filepath.Join(place, name)
		}
	}
	return place
}
