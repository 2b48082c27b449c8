// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/subpath"
)

// A glimpse is the way in which a place of a view is shown.
type glimpse int

const (
	shownAsIs    glimpse = iota // the machine's own
	shownSealed                 // the machine's own, read-only
	shownLayered                // under a layer
	shownEmpty                  // a directory of ours
)

// A part is a place of a view.
type part struct {
	path string
	as   glimpse
}

// parts lists the places of a view, each after its directory. A place named twice has the form of the
// first list that names it.
func (v *View) parts() []part {
	as := shownAsIs
	if v.Layered {
		as = shownLayered
	}
	var list []part
	seen := map[string]bool{}
	for _, group := range []struct {
		paths []string
		as    glimpse
	}{{v.Write, as}, {v.Read, shownSealed}, {v.Caches, shownLayered}, {v.Programs, shownLayered}, {v.Scratch, shownEmpty}} {
		for _, path := range group.paths {
			if !seen[path] {
				seen[path] = true
				list = append(list, part{path, group.as})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b part) int {
		return cmp.Compare(strings.Count(filepath.Clean(a.path), "/"), strings.Count(filepath.Clean(b.path), "/"))
	})
	return list
}

// sealed returns MS_RDONLY for a layer of a view that the server cannot write to.
func (r *root) sealed(path string) uintptr {
	v := r.setup.Config.View
	below := func(dir string) bool { return subpath.In(path, dir) }
	if v == nil || slices.ContainsFunc(v.Caches, below) || v.Layered && slices.ContainsFunc(v.Write, below) {
		return 0
	}
	return unix.MS_RDONLY
}

// show builds the root of a view. Directories of ours lead to its places.
func (r *root) show(v *View) error {
	list := v.parts()
	if err := r.prepare(len(list) + len(r.setup.Config.Placed)); err != nil {
		return err
	}
	if err := r.mirror("/"); err != nil {
		return err
	}
	if err := unix.Chmod(r.at("/"), 0o755); err != nil {
		return err
	}
	top, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, e := range top { // such as /bin
		if e.Type()&os.ModeSymlink != 0 {
			if err := r.link("/" + e.Name()); err != nil {
				return err
			}
		}
	}
	for _, path := range ours {
		if err := r.special(path); err != nil {
			return err
		}
	}
	if err := r.cover(); err != nil {
		return err
	}
	var shown []part
	for _, o := range list {
		if err := r.open(o, shown); err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
		shown = append(shown, o)
	}
	if err := r.point(r.setup.Config.Dir, true, shown); err != nil && !errors.Is(err, fs.ErrNotExist) { // the server's start reports it
		return err
	}
	if err := touch(filepath.Join(r.base, "nothing")); err != nil {
		return err
	}
	for _, path := range v.Links {
		if err := r.lead(path, shown); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, path := range v.Hide {
		if err := r.blind(path); err != nil {
			return fmt.Errorf("%s cannot be hidden: %w", path, err)
		}
	}
	for _, p := range r.setup.Config.Placed {
		if err := r.protect(p.At, false); err != nil {
			return err
		}
	}
	return r.protect("/", false)
}

// cover lays the placed directories, and covers them by empty ones, below which open shows parts of them.
func (r *root) cover() error {
	for _, p := range r.setup.Config.Placed {
		if err := r.lay(p); err != nil {
			return fmt.Errorf("%s: %w", p.At, err)
		}
		if err := r.scratch(p.At); err != nil {
			return err
		}
	}
	return nil
}

// open shows a place. The list shown has the places before it, so the directories around it are among them.
func (r *root) open(o part, shown []part) error {
	source, err := r.source(o)
	if err != nil {
		return err
	}
	if source >= 0 {
		defer unix.Close(source)
	}
	covered := func(as ...glimpse) bool {
		return slices.ContainsFunc(shown, func(s part) bool { return subpath.In(o.path, s.path) && slices.Contains(as, s.as) })
	}
	switch {
	case o.as == shownEmpty && covered(shownAsIs, shownSealed, shownLayered):
		return nil // the server writes there already, or may not
	case o.as == shownLayered && (covered(shownAsIs) || covered(shownSealed, shownLayered) && r.sealed(o.path) != 0):
		return nil // it is shown already
	}
	placed := slices.ContainsFunc(r.setup.Config.Placed, func(p Placed) bool { return subpath.In(o.path, p.At) })
	if o.as == shownLayered && !placed {
		return r.program(o.path, shown)
	}
	if o.as == shownEmpty {
		if err := r.point(o.path, true, shown); err != nil {
			return err
		}
		return r.scratch(o.path)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(source, &stat); err != nil {
		return err
	}
	if err := r.point(o.path, stat.Mode&unix.S_IFMT == unix.S_IFDIR, shown); err != nil {
		return err
	}
	if err := r.hold(o.path); err != nil {
		return err
	}
	if err := r.mountAt(source, o.path); err != nil {
		return err
	}
	if o.as == shownSealed || o.as == shownLayered && r.sealed(o.path) != 0 {
		return r.protect(o.path, true)
	}
	return r.attributes(o.path, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, true)
}

// source opens a place on the machine, or in the layer of a placed directory; -1 for a directory of ours.
func (r *root) source(o part) (int, error) {
	if o.as == shownEmpty {
		return -1, nil
	}
	base, path := unix.AT_FDCWD, o.path
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for _, p := range r.setup.Config.Placed {
		if subpath.In(o.path, p.At) {
			i := slices.IndexFunc(r.fresh, func(f overlaying) bool { return f.path == p.At })
			base, path = r.fresh[i].mounted, cmp.Or(strings.TrimPrefix(strings.TrimPrefix(o.path, p.At), "/"), ".")
		}
	}
	return unix.Openat2(base, path, how)
}

// program shows a directory under a layer, or a file read-only, so that its sockets and pipes lead nowhere.
func (r *root) program(path string, shown []part) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
	case info.Mode().IsRegular():
		if err := r.point(path, false, shown); err != nil {
			return err
		}
		return bindReadOnly(path, r.at(path), unix.MS_NODEV)
	default:
		return errors.New("it is neither a directory nor a regular file")
	}
	if err := r.point(filepath.Dir(path), true, shown); err != nil {
		return err
	}
	w := &world{mounts: r.mounts, readDir: os.ReadDir, size: size}
	for _, p := range w.directory(path, nil) {
		if err := r.place(p); err != nil {
			return err
		}
	}
	return nil
}

// point makes the mount point of a place, and the directories that lead to it. Below a place of the machine, it
// must exist already.
func (r *root) point(path string, dir bool, shown []part) error {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		at := path[:i]
		if slices.ContainsFunc(shown, func(s part) bool { return subpath.In(at, s.path) && s.as != shownEmpty }) {
			fd, err := r.inside(path)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}
		_, err := os.Lstat(r.at(at))
		switch {
		case err == nil:
		case i == len(path) && !dir:
			return touch(r.at(at))
		default:
			if err := os.Mkdir(r.at(at), 0o755); err != nil {
				return err
			}
		}
	}
	return nil
}

// lead makes a symbolic link of the machine, unless a place of the view shows it.
func (r *root) lead(path string, shown []part) error {
	if slices.ContainsFunc(shown, func(s part) bool { return subpath.In(path, s.path) && s.as != shownEmpty }) {
		return nil
	}
	if err := r.point(filepath.Dir(path), true, shown); err != nil {
		return err
	}
	if _, err := os.Lstat(r.at(path)); err == nil { // such as /bin
		return nil
	}
	return r.link(path)
}

// inside opens a place of the new root, without a symbolic link on its path: it would lead out.
func (r *root) inside(path string) (int, error) {
	base, err := unix.Open(r.at("/"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(base)
	return unix.Openat2(base, cmp.Or(strings.TrimPrefix(path, "/"), "."), &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	})
}

// mountAt shows an open place, with the mounts below it, at a mount point.
func (r *root) mountAt(source int, path string) error {
	to, err := r.inside(path)
	if err != nil {
		return err
	}
	defer unix.Close(to)
	return unix.Mount(inSelf(source), inSelf(to), "", unix.MS_BIND|unix.MS_REC, "")
}

// hold makes the directories between a writable place and a place below it mount points, which the server cannot rename
// or remove. Otherwise it could put another directory there, which the next start would take for the place.
func (r *root) hold(path string) error {
	v := r.setup.Config.View
	if v.Layered { // nothing stays
		return nil
	}
	top := path
	for _, dir := range v.Write {
		if subpath.In(top, dir) {
			top = dir
		}
	}
	for i := len(top) + 1; i < len(path); i++ {
		at := path[:i]
		if path[i] != '/' || r.held[at] {
			continue
		}
		source, err := r.inside(at)
		if err != nil {
			return err
		}
		err = r.mountAt(source, at)
		unix.Close(source)
		if err != nil {
			return err
		}
		r.held[at] = true
	}
	return nil
}

// protect makes a mount read-only, with those below it if deep.
func (r *root) protect(path string, deep bool) error {
	return r.attributes(path, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, deep)
}

func (r *root) attributes(path string, set uint64, deep bool) error {
	at, err := r.inside(path)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	flags := uint(unix.AT_EMPTY_PATH)
	if deep {
		flags |= unix.AT_RECURSIVE
	}
	return unix.MountSetattr(at, "", flags, &unix.MountAttr{Attr_set: set})
}

// scratch mounts an empty directory, in memory, at a mount point.
func (r *root) scratch(path string) error {
	if err := os.Mkdir(r.at(path), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	own := filepath.Join(r.base, "scratch", strconv.Itoa(r.scratches))
	r.scratches++
	if err := os.Mkdir(own, 0o755); err != nil {
		return err
	}
	if err := unix.Chmod(own, unix.S_ISVTX|0o777); err != nil {
		return err
	}
	source, err := unix.Open(own, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(source)
	return r.mountAt(source, path)
}

// blind shows an empty file or directory in the place of one that is shown.
func (r *root) blind(path string) error {
	at, err := r.inside(path)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EXDEV) {
		return nil // a link is shown at its target
	}
	if err != nil {
		return err
	}
	unix.Close(at)
	if err := r.hold(path); err != nil {
		return err
	}
	if at, err = r.inside(path); err != nil { // on the mounts of hold
		return err
	}
	defer unix.Close(at)
	var stat unix.Stat_t
	if err := unix.Fstat(at, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		return unix.Mount("toolvet", inSelf(at), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "size=0,mode=555")
	}
	if err := unix.Mount(filepath.Join(r.base, "nothing"), inSelf(at), "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return r.protect(path, false)
}
