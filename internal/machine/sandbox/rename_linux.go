// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A mover makes renames that work on the machine but not in overlays: those of a directory of the
// machine, and those between overlays of one file system. It copies, and removes the original.
type mover struct {
	root bool           // the server is the superuser
	on   map[uint64]int // the mount of the machine below a mount inside
}

// A move is a rename by a process inside.
type move struct {
	from, to           int // directories
	fromName, toName   string
	flags              uint
	fromMount, toMount uint64
	mode               uint32
}

// errContinue lets the kernel make the system call.
var errContinue = errors.New("continue")

// rename answers a notification of a rename: with nil after making it, with errContinue, or with the
// error for the process inside. Valid reports whether the process still waits.
func (m *mover) rename(n *notification, valid func() bool) error {
	runtime.LockOSThread() // for good: the thread gives up capabilities and ends with its goroutine
	if !sameUser(n.pid) {
		return errContinue // a process of another user may have fewer rights than we
	}
	mv, err := openMove(n)
	if err != nil {
		return errContinue // the kernel finds the same fault
	}
	defer unix.Close(mv.from)
	defer unix.Close(mv.to)
	if !valid() { // the opened files may belong to another process
		return errContinue
	}
	if err := setCapabilities(capabilities(m.root), capabilities(m.root)); err != nil {
		return unix.EPERM
	}
	directory := mv.mode&unix.S_IFMT == unix.S_IFDIR
	if !directory && mv.fromMount == mv.toMount {
		return errContinue
	}
	err = unix.Renameat2(mv.from, mv.fromName, mv.to, mv.toName, mv.flags)
	if !errors.Is(err, unix.EXDEV) || mv.flags&unix.RENAME_EXCHANGE != 0 || !m.sameFileSystem(mv) {
		return err
	}
	return mv.emulate()
}

// sameUser reports whether a process has our user for the file system.
func sameUser(pid uint32) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(int(pid)) + "/status")
	if err != nil {
		return false
	}
	_, users, _ := strings.Cut(string(raw), "\nUid:\t")
	users, _, _ = strings.Cut(users, "\n")
	all := strings.Fields(users) // real, effective, saved, of the file system
	return len(all) == 4 && all[3] == strconv.Itoa(os.Geteuid())
}

func (m *mover) sameFileSystem(mv *move) bool {
	from, known := m.on[mv.fromMount]
	to, alsoKnown := m.on[mv.toMount]
	return known && alsoKnown && from == to
}

// openMove reads the arguments of a rename, and opens the directories.
func openMove(n *notification) (*move, error) {
	memory, err := os.Open("/proc/" + strconv.Itoa(int(n.pid)) + "/mem")
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	args := [4]uint64{n.args[0], n.args[1], n.args[2], n.args[3]}
	mv := &move{flags: uint(uint32(n.args[4]))}
	switch n.nr {
	case unix.SYS_RENAMEAT:
		mv.flags = 0
	case unix.SYS_RENAMEAT2:
	default: // rename
		args, mv.flags = [4]uint64{atCwd, n.args[0], atCwd, n.args[1]}, 0
	}
	if mv.from, mv.fromName, mv.fromMount, err = openParent(n.pid, args[0], text(memory, args[1])); err != nil {
		return nil, err
	}
	if mv.to, mv.toName, mv.toMount, err = openParent(n.pid, args[2], text(memory, args[3])); err != nil {
		unix.Close(mv.from)
		return nil, err
	}
	var stat unix.Stat_t
	if err := unix.Fstatat(mv.from, mv.fromName, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		unix.Close(mv.from)
		unix.Close(mv.to)
		return nil, err
	}
	mv.mode = stat.Mode
	return mv, nil
}

const atCwd = uint64(uint32(unix.AT_FDCWD & 0xffffffff))

// openedBy returns the path to an open file of a process, or to its working directory.
func openedBy(pid uint32, fd uint64) string {
	own := "/proc/" + strconv.Itoa(int(pid))
	if uint32(fd) == uint32(atCwd) {
		return own + "/cwd"
	}
	return own + "/fd/" + strconv.Itoa(int(int32(fd)))
}

// openParent opens the directory of a path of another process, and returns the name in it. It does not
// follow links of /proc, which would resolve to our own files.
func openParent(pid uint32, at uint64, path string) (dir int, name string, mountID uint64, err error) {
	base := unix.AT_FDCWD
	if !strings.HasPrefix(path, "/") {
		if base, err = unix.Open(openedBy(pid, at), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
			return 0, "", 0, err
		}
		defer unix.Close(base)
	}
	parent, name := filepath.Split(strings.TrimRight(path, "/"))
	if name == "" || name == "." || name == ".." {
		return 0, "", 0, unix.EBUSY
	}
	if parent == "" {
		parent = "."
	}
	dir, err = unix.Openat2(base, parent, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS})
	if err != nil {
		return 0, "", 0, err
	}
	var stat unix.Statx_t
	if err := unix.Statx(dir, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &stat); err != nil {
		unix.Close(dir)
		return 0, "", 0, err
	}
	return dir, name, stat.Mnt_id, nil
}

// emulate copies the file or directory next to its new place, moves the copy there in one step, and
// removes the original.
func (mv *move) emulate() error {
	old, err := os.Readlink(inSelf(mv.from))
	if err != nil {
		return unix.EXDEV
	}
	target, err := os.Readlink(inSelf(mv.to))
	if err != nil {
		return unix.EXDEV
	}
	if old = filepath.Join(old, mv.fromName); target == old || strings.HasPrefix(target, old+"/") {
		return unix.EINVAL
	}
	from, err := os.OpenRoot(inSelf(mv.from))
	if err != nil {
		return errnoOf(err)
	}
	defer from.Close()
	to, err := os.OpenRoot(inSelf(mv.to))
	if err != nil {
		return errnoOf(err)
	}
	defer to.Close()
	passing := ".toolvet-" + strconv.Itoa(mv.to) + "-" + strconv.FormatInt(int64(mv.mode), 16)
	c := copier{from: from, to: to, links: map[uint64]string{}}
	err = c.copy(mv.fromName, passing)
	if err == nil {
		err = unix.Renameat2(mv.to, passing, mv.to, mv.toName, mv.flags)
	}
	if err != nil {
		_ = to.RemoveAll(passing)
		return errnoOf(err)
	}
	return errnoOf(from.RemoveAll(mv.fromName))
}

func inSelf(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// errnoOf returns the error number for a system call.
func errnoOf(err error) error {
	var errno unix.Errno
	switch {
	case err == nil:
		return nil
	case errors.As(err, &errno):
		return errno
	}
	return unix.EXDEV
}
