// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A root is the new root while it is built.
type root struct {
	setup  setup
	mounts []mount
	base   string // where it is built
	stage  int    // descriptor of the directory of the layers
	layers []layer
	gaps   []Gap
	fresh  []overlaying
	on     map[uint64]int // of the mounts of layers: the mount of the machine below
}

// buildRoot builds the new root and enters it.
func buildRoot(s setup) (*root, error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, &UnsupportedError{What: fmt.Sprintf("mounts cannot be made private (%v)", err)}
	}
	mounts, err := readMounts()
	if err != nil {
		return nil, err
	}
	r := &root{setup: s, mounts: mounts, on: map[uint64]int{}}
	if !s.Searched {
		r.gaps = append(r.gaps, Gap{Path: "/", Why: "there was no time to look at every directory for places where this user may write"})
	}
	w := &world{mounts: mounts, readDir: os.ReadDir, size: size, writable: s.Writable}
	places := w.plan()
	if err := r.prepare(); err != nil {
		return nil, err
	}
	for _, p := range places {
		if err := r.place(p); err != nil {
			return nil, err
		}
	}
	for _, p := range s.Config.Placed {
		if err := r.lay(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.At, err)
		}
	}
	return r, r.enter()
}

func size(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return maxCopied + 1
	}
	return info.Size()
}

// prepare makes the file system that holds the layers. It covers /sys, of which nothing is
// needed while the root is built, in our own namespace alone.
func (r *root) prepare() error {
	r.base = "/sys"
	l := r.setup.Config.Limits
	options := fmt.Sprintf("size=%d,nr_inodes=%d,mode=755", l.Storage, l.Files)
	if err := unix.Mount("toolvet", r.base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return &UnsupportedError{What: fmt.Sprintf("a file system in memory cannot be mounted (%v)", err)}
	}
	for _, dir := range []string{"/u", "/w", "/root", "/empty"} {
		if err := os.Mkdir(r.base+dir, 0o755); err != nil {
			return err
		}
	}
	var err error
	r.stage, err = unix.Open(r.base+"/u", unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return err
}

// new names the directories of another layer.
func (r *root) new(path string) (upper, work string, err error) {
	name := strconv.Itoa(len(r.layers))
	upper, work = filepath.Join(r.base, "u", name), filepath.Join(r.base, "w", name)
	if err := errors.Join(os.Mkdir(upper, 0o755), os.Mkdir(work, 0o755)); err != nil {
		return "", "", err
	}
	r.layers = append(r.layers, layer{Path: path, Name: name})
	return upper, work, nil
}

// at is where a place of the machine is while the root is built.
func (r *root) at(path string) string { return filepath.Join(r.base, "root", path) }

func (r *root) place(p place) error {
	switch p.kind {
	case mirrored:
		return r.mirror(p.path)
	case linked:
		return r.link(p.path)
	case copied:
		return r.copy(p.path)
	case node:
		return r.node(p.path)
	case bound:
		return r.bind(p)
	case hidden:
		return r.hide(p.path, p.why)
	case special:
		return r.special(p.path)
	case overlaid:
		return r.overlay(p.path, p.nested)
	}
	return fmt.Errorf("an unknown kind of place: %d", p.kind)
}

// mirror makes a directory anew. The first is the root.
func (r *root) mirror(path string) error {
	if len(r.layers) > 0 {
		if err := os.Mkdir(r.at(path), 0o755); err != nil {
			return err
		}
		return sameAttributes(path, r.at(path))
	}
	upper, _, err := r.new(path)
	if err != nil {
		return err
	}
	r.layers[0].Whole = true
	if err := sameAttributes(path, upper); err != nil {
		return err
	}
	if err := unix.Mount(upper, r.at(path), "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return r.remember(path)
}

// remember notes on which mount of the machine a layer lies.
func (r *root) remember(path string) error {
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, r.at(path), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MNT_ID, &stat); err != nil {
		return err
	}
	r.on[stat.Mnt_id] = mountOf(r.mounts, path)
	return nil
}

// except says that a place of the whole layer is not the layer's.
func (r *root) except(path string) { r.layers[0].Except = append(r.layers[0].Except, path) }

// made says that the whole layer has a copy of a place of the machine.
func (r *root) made(path string) { r.layers[0].Made = append(r.layers[0].Made, path) }

func (r *root) link(path string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return nil // gone meanwhile
	}
	r.made(path)
	return os.Symlink(target, r.at(path))
}

func (r *root) node(path string) error {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil {
		return nil // gone meanwhile
	}
	if kind := stat.Mode & unix.S_IFMT; kind != unix.S_IFIFO && kind != unix.S_IFSOCK {
		return nil
	}
	r.made(path)
	if err := unix.Mknod(r.at(path), stat.Mode, 0); err != nil {
		return err
	}
	return sameAttributes(path, r.at(path))
}

func (r *root) copy(path string) error {
	in, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		r.except(path)
		r.gaps = append(r.gaps, Gap{Path: path, Why: "it cannot be read"})
		return nil
	}
	defer in.Close()
	r.made(path)
	out, err := os.OpenFile(r.at(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, 2*maxCopied))
	return errors.Join(err, out.Close(), sameAttributes(path, r.at(path)))
}

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

// bindReadOnly shows a file elsewhere, where neither it nor its mode, owner or times can be
// changed.
func bindReadOnly(from, to string, flags uintptr) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return unix.Mount("", to, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|flags|lockedFlags(to), "")
}

// hide shows an empty directory that nothing can be written to.
func (r *root) hide(path, why string) error {
	r.except(path)
	r.gaps = append(r.gaps, Gap{Path: path, Why: why})
	if err := os.Mkdir(r.at(path), 0o555); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return unix.Mount("toolvet", r.at(path), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY, "size=0,mode=555")
}

// overlay lays a layer over a directory. What cannot be overlaid is hidden; below another
// layer it stays as that shows it, where nothing can be written to it.
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
	err = r.layOver(path, layering{upper, work, lower, target, flagsOf(path)})
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

// A layering is a layer over a directory, and where to mount it.
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

// lay shows a directory of the machine at another place, which the machine does not have.
func (r *root) lay(p Placed) error {
	if _, err := os.Lstat(p.At); !errors.Is(err, os.ErrNotExist) || strings.LastIndex(p.At, "/") != 0 {
		return errors.New("must be a directory at the top of the file system that the machine does not have")
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

// An overlaying is a mounted overlay, and its flags. It is held open: the server can move the
// directories that it is in, and put links to other mounts in their place.
type overlaying struct {
	mounted int
	path    string
	flags   uintptr
}

// refresh has the overlays forget what they know of the machine's files, but for what is open.
func refresh(list []overlaying) error {
	for _, o := range list {
		if err := unix.Mount("", inSelf(o.mounted), "", unix.MS_REMOUNT|o.flags, ""); err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
	}
	return nil
}

// target opens the place of the new root that a layer is mounted on, and makes it if the
// directory that it is in has been made anew. Symbolic links are not followed: they would
// lead out of the new root.
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

// flagsOf are the flags of the file system at path that hold for what lies over it, too.
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

// lockedFlags are the flags of a mount that one without privileges cannot take from it.
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

// sameAttributes gives to the owner, mode and times of from, and the extended attributes that
// it can have. Where the owner is nobody that we can be, the mode is what we may do.
func sameAttributes(from, to string) error {
	var stat unix.Stat_t
	if err := unix.Lstat(from, &stat); err != nil {
		return err
	}
	mode := uint32(stat.Mode & 0o7777)
	if err := unix.Lchown(to, int(stat.Uid), int(stat.Gid)); err != nil {
		mode &^= 0o6000
		if unix.Faccessat(unix.AT_FDCWD, from, unix.W_OK, unix.AT_EACCESS) != nil {
			mode &^= 0o222
		}
	}
	if err := unix.Chmod(to, mode); err != nil {
		return err
	}
	for name, value := range attributesAt(from) {
		if !ofOverlay(name) {
			_ = unix.Lsetxattr(to, name, value, 0) // a list that names others is not for us to set
		}
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, to, []unix.Timespec{stat.Atim, stat.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
}

// enter makes the new root the root, and lets go of the machine's.
func (r *root) enter() error {
	if err := unix.Chdir(r.at("/")); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmounting the old root: %w", err)
	}
	return unix.Chdir("/")
}
