// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

// open opens a file or a directory, but no link, and never blocks. It keeps the time of the last access if permitted.
func open(root *os.Root, name string) (*os.File, error) {
	const flags = os.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY
	f, err := root.OpenFile(name, flags|unix.O_NOATIME, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = root.OpenFile(name, flags, 0)
	}
	return f, err
}

func identify(info fs.FileInfo) (user, group int, s stamp) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, stamp{}
	}
	return int(stat.Uid), int(stat.Gid), stamp{uint64(stat.Dev), stat.Ino, stat.Size, stat.Ctim.Nano()}
}

// fileClock returns the time that a file gets if it changes now, in nanoseconds; 0 if it is unknown.
func fileClock() int64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now) != nil {
		return 0
	}
	return now.Nano()
}

// names returns the number of names of a file.
func names(info fs.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink) // its type differs between architectures
}

// whiteout reports whether an entry of a layer marks a deletion.
func whiteout(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode()&fs.ModeCharDevice != 0 && stat.Rdev == 0
}

// opaque reports whether a directory of a layer hides the directory below.
func opaque(dir *os.File) bool {
	value := make([]byte, 8)
	n, err := unix.Fgetxattr(int(dir.Fd()), sandbox.OverlayAttributes+"opaque", value)
	return err == nil && string(value[:n]) == "y"
}

// extended returns a file's extended attributes as the server sees them: without the overlays' own.
func extended(f *os.File) map[string][]byte {
	found := map[string][]byte{}
	for name, value := range sandbox.Attributes(f) {
		rest, overlays := strings.CutPrefix(name, sandbox.OverlayAttributes)
		switch {
		case !overlays:
			found[name] = value
		case strings.HasPrefix(rest, "overlay."): // a server's own, with an escaped name
			found["user."+rest] = value
		}
	}
	return found
}

// attributes returns digests of extended attributes.
func attributes(f *os.File) map[string]string {
	var found map[string]string
	for name, value := range extended(f) {
		if found == nil {
			found = map[string]string{}
		}
		digest := sha256.Sum256(value)
		found[name] = hex.EncodeToString(digest[:])
	}
	return found
}

// copyContent copies the content of a file into an empty one.
func copyContent(to, from *os.File) error { return sandbox.CopyContent(to, from) }

// setAttributes sets extended attributes, and removes others.
func setAttributes(root *os.Root, name string, want map[string][]byte) error {
	f, err := open(root, name)
	if err != nil {
		return err
	}
	defer f.Close()
	have := extended(f)
	for name := range have {
		if _, stays := want[name]; !stays {
			if err := unix.Fremovexattr(int(f.Fd()), name); err != nil {
				return err
			}
		}
	}
	for name, value := range want {
		if bytes.Equal(value, have[name]) {
			continue
		}
		if err := unix.Fsetxattr(int(f.Fd()), name, value, 0); err != nil {
			return err
		}
	}
	return nil
}

// straight reports whether the path to a directory has no symbolic link, as far as the path exists. A report has no
// links in its paths, so a link would be new.
func straight(root *os.Root, name string) bool {
	dir, err := root.Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH}
	for ; ; name = path.Dir(name) {
		fd, err := unix.Openat2(int(dir.Fd()), name, how)
		if err == nil {
			unix.Close(fd)
			return true
		}
		if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) || name == "." {
			return false
		}
	}
}

func makePipe(root *os.Root, name string) error {
	dir, err := root.Open(path.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Mknodat(int(dir.Fd()), path.Base(name), unix.S_IFIFO|0o600, 0)
}

// place moves a file to its place in one step. Unless it replaces a file, nothing must be there.
func place(root *os.Root, from, to string, replaces bool) error {
	if replaces {
		return root.Rename(from, to)
	}
	source, err := root.Open(path.Dir(from))
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := root.Open(path.Dir(to))
	if err != nil {
		return err
	}
	defer target.Close()
	err = unix.Renameat2(int(source.Fd()), path.Base(from), int(target.Fd()), path.Base(to), unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) { // a file system without this option; nothing was there just before
		return root.Rename(from, to)
	}
	return err
}

// mayChange returns nil if entries of a directory can be made and removed.
func mayChange(root *os.Root, name string) error {
	dir, err := root.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil // an unreadable directory may be writable
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Faccessat(int(dir.Fd()), ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}

// lockDirectory locks a directory (flock(2)) when nobody else has it.
func lockDirectory(ctx context.Context, root *os.Root) (unlock func(), err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	return flock(ctx, dir)
}

// lockFile locks a file (flock(2)) unless another process has it.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// syncDirectory makes the names in a directory last.
func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// flock locks a directory when others permit. Closing the directory unlocks it.
func flock(ctx context.Context, dir *os.File) (unlock func(), err error) {
	for {
		err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) { // locked, or a file system without locks
			return func() { dir.Close() }, nil
		}
		if ctx.Err() != nil {
			dir.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}
