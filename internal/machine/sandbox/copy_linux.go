// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A copier copies the content of a directory into another, with its metadata: owners, modes, times,
// user attributes, and the links between its files.
type copier struct {
	from, to *os.Root
	links    map[uint64]string // copies of files with several names, by inode
}

func (c *copier) copy(from, to string) error {
	info, err := c.from.Lstat(from)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return unix.EXDEV
	}
	if first, again := c.links[stat.Ino]; again && !info.IsDir() {
		return c.to.Link(first, to)
	}
	if err := c.make(from, to, info, stat); err != nil {
		return err
	}
	if stat.Nlink > 1 && !info.IsDir() {
		c.links[stat.Ino] = to
	}
	if err := c.to.Lchown(to, int(stat.Uid), int(stat.Gid)); err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return nil
	}
	if err := c.to.Chmod(to, info.Mode()); err != nil {
		return err
	}
	return c.to.Chtimes(to, time.Unix(stat.Atim.Unix()), info.ModTime())
}

func (c *copier) make(from, to string, info os.FileInfo, stat *syscall.Stat_t) error {
	switch info.Mode().Type() {
	case os.ModeDir:
		return c.directory(from, to)
	case 0:
		return c.file(from, to)
	case os.ModeSymlink:
		target, err := c.from.Readlink(from)
		if err != nil {
			return err
		}
		return c.to.Symlink(target, to)
	case os.ModeNamedPipe, os.ModeSocket:
		dir, err := c.to.Open(filepath.Dir(to))
		if err != nil {
			return err
		}
		defer dir.Close()
		return unix.Mknodat(int(dir.Fd()), filepath.Base(to), stat.Mode, 0)
	}
	return unix.EXDEV
}

func (c *copier) directory(from, to string) error {
	if err := c.to.Mkdir(to, 0o700); err != nil {
		return err
	}
	in, err := c.from.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := c.to.Open(to)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := copyAttributes(in, out); err != nil {
		return err
	}
	for {
		names, err := in.Readdirnames(256)
		for _, name := range names {
			if err := c.copy(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c *copier) file(from, to string) error {
	in, err := c.from.OpenFile(from, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := c.to.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := CopyContent(out, in); err != nil {
		return err
	}
	return copyAttributes(in, out)
}

// copyAttributes copies extended attributes.
func copyAttributes(from, to *os.File) error {
	for name, value := range Attributes(from) {
		if err := unix.Fsetxattr(int(to.Fd()), name, value, 0); err != nil {
			return err
		}
	}
	return nil
}
