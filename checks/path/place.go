// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"errors"
	"runtime"

	"github.com/toolvet/toolvet/check"
)

// Why a path has no place.
var (
	ErrRefused = errors.New("the path is refused by its text alone")
	errStart   = errors.New("where relative paths start is not known")
	errForeign = errors.New("paths of another system than toolvet's own")
)

// A Place is where a path leads by its text alone, taken as it stands. Package
// pathstate begins there.
type Place struct {
	// Path is absolute. It is not clean, so that a ".." behind a symbolic link can be
	// followed as the system does.
	Path string
	// Root is the allowed directory that it lies in; "" if none are known.
	Root string

	confines *confines
}

// Place says where a path leads in a world. Its error is one of the three above; with ErrRefused
// nothing must be asked of the file system: its answers would tell about places outside the
// allowed directories.
func (o *Options) Place(world check.World, path string) (Place, error) {
	if refused(o.judge(world, path)) {
		return Place{}, ErrRefused
	}
	c := o.confinesFor(world)
	if (c.platform == windows) != (runtime.GOOS == "windows") {
		return Place{}, errForeign
	}
	if !c.platform.absolute(path) {
		if !c.started {
			return Place{}, errStart
		}
		path = c.startName() + "/" + path
	}
	p := Place{Path: path, confines: c}
	if c.known {
		p.Root, _ = p.RootOf(path)
	}
	return p, nil
}

// RootOf returns the allowed directory that an absolute path lies in by its text.
func (p Place) RootOf(path string) (root string, ok bool) {
	w := walk{platform: p.confines.platform, literal: true}
	w.resolve(slashes(path, w.platform), "")
	n := p.confines.rootOf(w.at, false)
	switch {
	case n < 0:
		return "", false
	case n == 0:
		return "/", true
	}
	return string(w.at[:n]), true
}

// Confined reports whether the allowed directories are known.
func (p Place) Confined() bool { return p.confines.known }

// Roots are all allowed directories, as they were given. They must not be changed.
func (p Place) Roots() []string { return p.confines.names }
