// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/internal/workdir"
)

// Why a path has no place, beside leads.ErrRefused.
var (
	errStart   = errors.New("where relative paths start is not known")
	errForeign = errors.New("paths of another system than toolvet's own")
)

// Inside is for toolvet's own packages; the value's type is internal.
func (o *Options) Inside() any { return inside{o} }

// inside is what package pathstate asks. See [leads.Paths].
type inside struct{ o *Options }

func (i inside) Place(world check.World, path string) (leads.Place, error) {
	return i.o.placeOf(world, path)
}

func (i inside) Worlds(world check.World, c *call.Call, pointer, path string) []check.World {
	return i.o.worlds(world, c, pointer, path)
}

// worlds leaves out the server's own directory only if another one is declared, and its own is none of the allowed ones: a server may open the path
// there all the same.
func (o *Options) worlds(world check.World, c *call.Call, pointer, path string) []check.World {
	confines := o.confinesFor(world)
	if o.Base != "" || !confines.known || c == nil || confines.platform.absolute(path) {
		return []check.World{world}
	}
	begins := workdir.Finder{Base: world.Base, Call: c}
	dirs := begins.Beside(pointer)
	var list []check.World
	if slices.Contains(dirs, world.Base) {
		list = append(list, world)
	}
	for _, dir := range dirs {
		if dir == world.Base {
			continue
		}
		at := world
		if at.Base = dir; !workdir.Placed(dir) {
			at.Base = "" // where it begins is not known
		}
		list = append(list, at)
	}
	if len(list) > 0 && list[0].Base != world.Base && confines.within {
		list = append(list, world)
	}
	return list
}

func (i inside) Leads(world check.World, path string) ([]string, error) {
	return ways(i.o, world, path)
}

func (i inside) Named(names string) string {
	switch at := []byte("/" + names); {
	case i.o.Hidden != nil && !*i.o.Hidden && hidden(at):
		return hiddenFault
	case len(i.o.Extensions) > 0 && !extended(at, i.o.Extensions):
		return extensionFault + strings.Join(i.o.Extensions, ", ")
	}
	return ""
}

func (o *Options) placeOf(world check.World, path string) (leads.Place, error) {
	if refused(o.judge(world, path)) {
		return leads.Place{}, leads.ErrRefused
	}
	c := o.confinesFor(world)
	if (c.platform == windows) != (runtime.GOOS == "windows") {
		return leads.Place{}, errForeign
	}
	if !c.platform.absolute(path) {
		if !c.started {
			return leads.Place{}, errStart
		}
		path = c.base + "/" + path
	}
	p := leads.Place{Path: path, Confines: c}
	if c.known {
		p.Root, _ = p.RootOf(path)
	}
	return p, nil
}

func ways(o *Options, world check.World, path string) ([]string, error) {
	j := judgement{Options: o, confines: o.confinesFor(world)}
	if len(path) > j.platform.maxLength() {
		return nil, leads.ErrRefused
	}
	j.known = true // a home directory or a variable leads nowhere in particular
	var places []string
	for _, r := range append([]reading{literally(path, j.platform)}, readings(path, j.platform)...) {
		f, bad := j.form(r)
		if !bad {
			f, bad = j.custom(r)
		}
		if bad && f.Severity == check.Error {
			return nil, leads.ErrRefused
		}
		w := walk{platform: j.platform, literal: r.literal}
		w.resolve(r.text, j.start)
		if !w.absolute && !j.started {
			return nil, errStart
		}
		at := string(w.at)
		if at == "" || at[len(at)-1] == ':' {
			at += "/"
		}
		if !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	return places, nil
}

// RootOf returns the allowed directory that an absolute path lies in by its text.
func (c *confines) RootOf(path string) (root string, ok bool) {
	w := walk{platform: c.platform, literal: true}
	w.resolve(slashes(path, w.platform), "")
	n := c.rootOf(w.at, false)
	switch {
	case n < 0:
		return "", false
	case n == 0:
		return "/", true
	}
	return string(w.at[:n]), true
}

// Confined reports whether the allowed directories are known.
func (c *confines) Confined() bool { return c.known }

// Roots are all allowed directories, as they were given. They must not be changed.
func (c *confines) Roots() []string { return c.names }
