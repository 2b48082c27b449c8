// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// File systems of libraries. The function that makes one decides on its limits.
const (
	osFS      = "github.com/spf13/afero.OsFs"
	rootedFS  = "github.com/spf13/afero.BasePathFs"
	memoryFS  = "github.com/spf13/afero.MemMapFs"
	aferoFunc = "github.com/spf13/afero."
)

var madeFS = []string{osFS, rootedFS, memoryFS}

// filesystems are those of afero and go-billy. One with a root keeps to it, one in memory has nothing
// of the machine, and one of unknown origin gives a remark.
func (t *table) filesystems() {
	is := func(typ string) model {
		return func(*flow.CallSite) flow.Value { return flow.NativeValue(typ) }
	}
	rooted := func(at int) model {
		return func(c *flow.CallSite) flow.Value {
			if c.Arg(0).Is(memoryFS) {
				return c.Arg(0)
			}
			c.In.PathSink(c.Pos, c.Name, c.Arg(at))
			return flow.NativeValue(rootedFS)
		}
	}
	same := func(c *flow.CallSite) flow.Value { return c.Arg(0) }
	t.define(is(osFS), aferoFunc+"NewOsFs")
	t.define(is(memoryFS), aferoFunc+"NewMemMapFs", "github.com/go-git/go-billy/memfs.New")
	t.define(rooted(1), aferoFunc+"NewBasePathFs")
	t.define(rooted(0), "github.com/go-git/go-billy/osfs.New")
	t.define(same, aferoFunc+"NewReadOnlyFs", aferoFunc+"NewRegexpFs")
	t.define(func(c *flow.CallSite) flow.Value { return flow.Either(c.Arg(0), c.Arg(1)) }, aferoFunc+"NewCopyOnWriteFs", aferoFunc+"NewCacheOnReadFs")
	for _, n := range []string{"ReadFile", "WriteFile", "ReadDir", "Walk", "Glob", "WriteReader", "SafeWriteReader", "TempFile", "TempDir"} {
		t.define(func(c *flow.CallSite) flow.Value { return within(c, c.Arg(0), c.Arg(1)) }, aferoFunc+n)
		t.define(func(c *flow.CallSite) flow.Value { return within(c, held(c), c.Arg(0)) }, aferoFunc+"Afero."+n)
	}
	method := func(c *flow.CallSite) flow.Value { return within(c, c.Recv, c.Arg(0)) }
	for _, typ := range append([]string{"github.com/spf13/afero.Fs", "github.com/go-git/go-billy.Filesystem"}, madeFS...) {
		for _, n := range []string{"Open", "OpenFile", "Create", "Mkdir", "MkdirAll", "Remove", "RemoveAll", "Rename", "Chmod", "Chown", "Chtimes", "ReadDir", "Readlink", "TempFile"} {
			t.define(method, typ+"."+n)
			t.define(func(c *flow.CallSite) flow.Value { return within(c, held(c), c.Arg(0)) }, aferoFunc+"Afero."+n)
		}
		for _, n := range []string{"Stat", "Lstat", "Name", "Root", "Join"} {
			t.define(nothing, typ+"."+n)
		}
		t.define(func(c *flow.CallSite) flow.Value { return c.Recv }, typ+".Chroot")
	}
}

// held is the file system in a structure of helpers.
func held(c *flow.CallSite) flow.Value { return c.In.Field(c.In.Target(c.Recv), "Fs") }

// within is a path to open in a file system.
func within(c *flow.CallSite, fs, path flow.Value) flow.Value {
	what := strings.TrimPrefix(c.Name, "github.com/")
	known := slices.ContainsFunc(madeFS, fs.Is)
	switch {
	case fs.Is(osFS):
		c.In.PathSink(c.Pos, what, path)
	case fs.Is(rootedFS):
		c.In.RootedSink(c.Pos, what, path)
	case !known:
		c.In.PathSink(c.Pos, what, c.In.Derive(flow.Through, flow.Mangled, c.Pos, "", path))
	}
	return flow.Value{}
}
