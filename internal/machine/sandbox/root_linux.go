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

// A root is a new root under construction.
type root struct {
	setup  setup
	mounts []mount
	base   string // the place of construction
	stage  int    // descriptor of the directory of the layers
	layers []layer
	named  int // layers, including failed ones
	// scratches counts the empty directories.
	scratches int
	held      map[string]bool // directories that were made mount points; see [root.hold]
	gaps      []Gap
	fresh     []overlaying
	on        map[uint64]int // by mount of a layer: the mount of the machine below
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
	r := &root{setup: s, mounts: mounts, on: map[uint64]int{}, held: map[string]bool{}}
	if len(s.Missed) > 0 {
		r.gaps = append(r.gaps, Gap{Path: "/", Why: "there was no time to look at all directories below " + strings.Join(s.Missed, ", ") +
			": if this user may write to one of others there, the server could not, unless it is named (--writable)"})
	}
	if v := s.Config.View; v != nil {
		if err := r.show(v); err != nil {
			return nil, err
		}
		return r, r.enter()
	}
	w := &world{mounts: mounts, readDir: os.ReadDir, size: size, writable: s.Writable}
	places := w.plan()
	if err := r.prepare(len(places) + len(s.Config.Placed)); err != nil {
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

// prepare makes the file system for the layers. It covers /sys in our own namespace only, where nothing
// needs it during the construction.
func (r *root) prepare(places int) error {
	const own = 4 // files of a place before any write
	r.base = "/sys"
	l := r.setup.Config.Limits
	options := fmt.Sprintf("size=%d,nr_inodes=%d,mode=755", l.Storage, l.Files+own*int64(places))
	if err := unix.Mount("toolvet", r.base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return &UnsupportedError{What: fmt.Sprintf("a file system in memory cannot be mounted (%v)", err)}
	}
	for _, dir := range []string{"/u", "/w", "/root", "/scratch", "/placed"} {
		if err := os.Mkdir(r.base+dir, 0o755); err != nil {
			return err
		}
	}
	if err := keepsAttributes(r.base + "/u"); err != nil {
		return err
	}
	var err error
	r.stage, err = unix.Open(r.base+"/u", unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return err
}

// keepsAttributes tests whether a directory in memory supports extended attributes of users. Without
// them, an overlay mounts, but shows the old files of a directory that was removed and made again.
func keepsAttributes(dir string) error {
	const name = "user.toolvet"
	if err := unix.Lsetxattr(dir, name, nil, 0); err != nil {
		return &UnsupportedError{What: fmt.Sprintf("files in memory have no extended attributes (%v)", err), Fix: "it needs Linux 6.6 or later, built with CONFIG_TMPFS_XATTR"}
	}
	return unix.Lremovexattr(dir, name)
}

// new names the directories of another layer.
func (r *root) new(path string) (upper, work string, err error) {
	name := strconv.Itoa(r.named)
	r.named++
	upper, work = filepath.Join(r.base, "u", name), filepath.Join(r.base, "w", name)
	if err := errors.Join(os.Mkdir(upper, 0o755), os.Mkdir(work, 0o755)); err != nil {
		return "", "", err
	}
	r.layers = append(r.layers, layer{Path: path, Name: name})
	return upper, work, nil
}

// at returns the path of a place of the machine during the construction.
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

// remember records the mount of the machine below a layer.
func (r *root) remember(path string) error {
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, r.at(path), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MNT_ID, &stat); err != nil {
		return err
	}
	r.on[stat.Mnt_id] = mountOf(r.mounts, path)
	return nil
}

// except records that a place in a whole layer does not belong to it.
func (r *root) except(path string) { r.layers[0].Except = append(r.layers[0].Except, path) }

// made records that a whole layer has a copy of a place of the machine.
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

// sameAttributes copies owner, mode and times of from to the file to, and extended attributes as far as
// possible. If we cannot set the owner, the mode is limited to our own rights.
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
			_ = unix.Lsetxattr(to, name, value, 0) // we cannot set a list that names other users
		}
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, to, []unix.Timespec{stat.Atim, stat.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
}

// enter makes the new root the root, and detaches the machine's.
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
