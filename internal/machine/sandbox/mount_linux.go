// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func (r *root) bind(p place) error {
	r.except(p.path)
	r.gaps = append(r.gaps, Gap{Path: p.path, Why: p.why})
	if err := touch(r.at(p.path)); err != nil {
		return err
	}
	return bindReadOnly(p.path, r.at(p.path), unix.MS_NODEV)
}

func touch(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if err != nil {
		return err
	}
	return f.Close()
}

// bindReadOnly shows a file at another place, and protects its content, mode, owner and times.
func bindReadOnly(from, to string, flags uintptr) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return unix.Mount("", to, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|flags|lockedFlags(to), "")
}

// hide shows an empty directory without write access.
func (r *root) hide(path, why string) error {
	r.except(path)
	r.gaps = append(r.gaps, Gap{Path: path, Why: why})
	if err := os.Mkdir(r.at(path), 0o555); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return unix.Mount("toolvet", r.at(path), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY, "size=0,mode=555")
}

// overlay lays a layer over a directory. If that fails, the directory is hidden; below another layer it
// stays visible, without write access.
func (r *root) overlay(path string, nested bool) error {
	hide := func(why string) error {
		if nested {
			r.gaps = append(r.gaps, Gap{Path: path, Why: why})
			return nil
		}
		return r.hide(path, why)
	}
	lower, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return hide("it cannot be opened")
	}
	defer unix.Close(lower)
	target, err := r.target(path)
	if err != nil {
		return hide("it cannot be overlaid")
	}
	defer unix.Close(target)
	upper, work, err := r.new(path)
	if err != nil {
		return err
	}
	if err := sameAttributes(path, upper); err != nil {
		return err
	}
	err = r.layOver(path, layering{upper, work, lower, target, flagsOf(path) | r.sealed(path)})
	switch {
	case errors.Is(err, unix.ENODEV):
		return &UnsupportedError{What: "the kernel does not know the file system overlay", Fix: "an administrator can load it: modprobe overlay"}
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return &UnsupportedError{What: fmt.Sprintf("an overlay cannot be mounted in a user namespace (%v)", err), Fix: "it needs Linux 6.6 or later"}
	case err != nil:
		r.layers = r.layers[:len(r.layers)-1]
		return hide(fmt.Sprintf("its file system cannot be overlaid (%v)", err))
	}
	return r.remember(path)
}

// A layering is a layer over a directory, with its mount point.
type layering struct {
	upper, work   string
	lower, target int
	flags         uintptr
}

// layOver mounts a layer at a path of the new root.
func (r *root) layOver(path string, l layering) error {
	options := fmt.Sprintf("lowerdir=/proc/self/fd/%d,upperdir=%s,workdir=%s,userxattr", l.lower, l.upper, l.work)
	flags := unix.MS_NOSUID | unix.MS_NODEV | l.flags
	if !stands(setuidWall) {
		flags &^= unix.MS_NOSUID
	}
	if !stands(overlayWall) {
		return unix.Mount(fmt.Sprintf("/proc/self/fd/%d", l.lower), fmt.Sprintf("/proc/self/fd/%d", l.target), "", unix.MS_BIND, "")
	}
	if err := unix.Mount("overlay", fmt.Sprintf("/proc/self/fd/%d", l.target), "overlay", flags, options); err != nil {
		return err
	}
	r.except(path)
	mounted, err := unix.Open(r.at(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	r.fresh = append(r.fresh, overlaying{mounted, path, flags})
	return nil
}

// lay shows a directory of the machine at a place that exists only inside.
func (r *root) lay(p Placed) error {
	if _, err := os.Lstat(p.At); !errors.Is(err, os.ErrNotExist) || strings.LastIndex(p.At, "/") != 0 {
		return errors.New("must be a top-level directory that does not exist on the machine")
	}
	lower, err := unix.Open(p.From, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(lower)
	target, err := r.target(p.At)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	upper, work, err := r.new(p.At)
	if err != nil {
		return err
	}
	if err := sameAttributes(p.From, upper); err != nil {
		return err
	}
	return r.layOver(p.At, layering{upper, work, lower, target, flagsOf(p.From)})
}

// An overlaying is a mounted overlay with its flags. It is held open, because the server can replace
// the directories on its path by links to other mounts.
type overlaying struct {
	mounted int
	path    string
	flags   uintptr
}

// refresh clears the overlays' caches of the machine's files, except open files. They are still clear if nobody inside has run
// since the last time.
func (i *initProcess) refresh() error {
	last := i.idle
	if i.idle = idleNow(); i.idle != nil && last != nil && maps.Equal(i.idle.threads, last.threads) && i.idle.begun == last.begun {
		return nil
	}
	for _, o := range i.fresh {
		if err := unix.Mount("", inSelf(o.mounted), "", unix.MS_REMOUNT|o.flags, ""); err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
	}
	return nil
}

// target opens the mount point of a layer in the new root, and creates it if its directory was built
// anew. It follows no symbolic links, because they would lead out of the new root.
func (r *root) target(path string) (int, error) {
	if err := os.Mkdir(r.at(path), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return -1, err
	}
	base, err := unix.Open(r.at("/"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(base)
	return unix.Openat2(base, strings.TrimPrefix(path, "/"), &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	})
}

// flagsOf returns the flags of the file system at path that also apply to layers over it.
func flagsOf(path string) uintptr {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return 0
	}
	var flags uintptr
	for st, ms := range map[int64]uintptr{unix.ST_RDONLY: unix.MS_RDONLY, unix.ST_NOEXEC: unix.MS_NOEXEC} {
		if int64(fs.Flags)&st != 0 {
			flags |= ms
		}
	}
	return flags
}

// lockedFlags are the flags of a mount that a process without privileges cannot clear.
func lockedFlags(path string) uintptr {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return 0
	}
	var flags uintptr
	for st, ms := range map[int64]uintptr{
		unix.ST_NODEV: unix.MS_NODEV, unix.ST_NOEXEC: unix.MS_NOEXEC, unix.ST_NOATIME: unix.MS_NOATIME, unix.ST_NODIRATIME: unix.MS_NODIRATIME, unix.ST_RELATIME: unix.MS_RELATIME,
	} {
		if int64(fs.Flags)&st != 0 {
			flags |= ms
		}
	}
	return flags
}
