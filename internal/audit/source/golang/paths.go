// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import "github.com/toolvet/toolvet/internal/audit/source/internal/flow"

const basename = flow.Contain | flow.ContainReal | flow.NoDotDot | flow.Relative

func (t *table) paths() {
	sink := func(args ...int) model {
		return func(c *flow.CallSite) flow.Value {
			for _, i := range args {
				c.In.PathSink(c.Pos, c.Name, c.Arg(i))
			}
			return flow.Value{}
		}
	}
	t.define(sink(0), "os.Open", "os.OpenFile", "os.ReadFile", "os.WriteFile", "os.Create", "os.Remove", "os.RemoveAll", "os.Mkdir", "os.MkdirAll", "os.ReadDir", "os.Truncate", "os.Chmod", "os.Chown", "os.Chtimes", "os.DirFS", "os.Readlink", "os.CopyFS", "os.OpenRoot", "os.CreateTemp", "os.MkdirTemp", "os.Chdir",
		"io/ioutil.ReadFile", "io/ioutil.WriteFile", "io/ioutil.ReadDir", "path/filepath.Walk", "path/filepath.WalkDir", "path/filepath.Glob", "html/template.ParseFiles", "text/template.ParseFiles", "debug/elf.Open", "plugin.Open", "syscall.Open", "golang.org/x/sys/unix.Open",
		"github.com/go-git/go-git.PlainOpen", "github.com/go-git/go-git.PlainClone", "github.com/go-git/go-git.PlainInit", "github.com/xuri/excelize.OpenFile", "github.com/joho/godotenv.Load", "github.com/karrick/godirwalk.Walk", "github.com/otiai10/copy.Copy")
	for _, n := range []string{"os.Open", "os.OpenFile", "os.ReadFile"} {
		open := t.models[n]
		t.define(func(c *flow.CallSite) flow.Value {
			open(c)
			return c.In.Tuple(c.In.Opened(c.Arg(0)), flow.Value{})
		}, n)
	}
	t.define(sink(0, 1), "os.Rename", "os.Link", "os.Symlink")
	t.define(sink(2), "net/http.ServeFile")
	walk := func(c *flow.CallSite) flow.Value { // files found below are as good as the directory
		c.In.PathSink(c.Pos, c.Name, c.Arg(0))
		found := c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0))
		c.In.MaybeInvoke(c.Arg(1), []flow.Value{found}, c.Pos)
		return flow.Value{}
	}
	t.define(walk, "path/filepath.Walk", "path/filepath.WalkDir")
	rooted := func(c *flow.CallSite) flow.Value {
		c.In.RootedSink(c.Pos, c.Name, c.Arg(0))
		return flow.Value{}
	}
	for _, m := range []string{"Open", "OpenFile", "Create", "Mkdir", "MkdirAll", "OpenRoot", "Remove", "RemoveAll", "Rename", "ReadFile", "WriteFile", "Stat", "Lstat", "Readlink", "Chmod", "Symlink", "Link"} {
		t.define(rooted, "os.Root."+m)
	}
	t.define(func(c *flow.CallSite) flow.Value {
		c.In.PathSink(c.Pos, c.Name, c.Arg(0))
		c.In.RootedSink(c.Pos, c.Name, c.Arg(1))
		return flow.Value{}
	}, "os.OpenInRoot")
	t.define(func(c *flow.CallSite) flow.Value {
		c.In.RootedSink(c.Pos, c.Name, c.Arg(1))
		return flow.Value{}
	}, "io/fs.ReadFile", "io/fs.ReadDir", "io/fs.Sub", "io/fs.Stat")
}

func (t *table) guards() {
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Tuple(flow.Value{}, c.In.ErrorOf(c.Arg(0), flow.Local))
	}, "os.Stat", "os.Lstat")
	t.define(clean, "path/filepath.Clean", "path.Clean")
	t.define(joinPath, "path/filepath.Join", "path.Join")
	t.define(withError(changed(0, flow.Whole, flow.Normal)), "path/filepath.Abs")
	t.define(withError(changed(0, flow.Whole, flow.Normal|flow.Realpath)), "path/filepath.EvalSymlinks")
	t.define(withError(func(c *flow.CallSite) flow.Value {
		return c.In.DeriveExcept(flow.Whole, flow.Normal|flow.RelOf|flow.Relative, c.Pos, c.Arg(1), c.Arg(0))
	}), "path/filepath.Rel")
	local := argCheck(0, flow.Contain|flow.NoDotDot|flow.Relative, 0)
	t.define(local, "path/filepath.IsLocal", "io/fs.ValidPath")
	t.define(withError(changed(0, flow.Whole, flow.Contain|flow.NoDotDot|flow.Relative)), "path/filepath.Localize")
	secure := func(c *flow.CallSite) flow.Value {
		return flow.Either(c.In.Derive(flow.Whole, flow.Contain|flow.ContainReal, c.Pos, "", c.Arg(1)), c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0)))
	}
	t.define(withError(secure), "github.com/cyphar/filepath-securejoin.SecureJoin")
	t.define(changed(0, flow.Whole, basename), "path/filepath.Base", "path.Base")
	t.define(changed(0, flow.Whole, 0), "path/filepath.Dir", "path.Dir", "path/filepath.ToSlash", "path/filepath.FromSlash", "os.ExpandEnv")
	t.define(changed(0, flow.Part, 0), "path/filepath.Ext", "path.Ext", "path/filepath.VolumeName")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Tuple(changed(0, flow.Whole, 0)(c), changed(0, flow.Whole, basename)(c))
	}, "path/filepath.Split", "path.Split")
	t.define(argCheck(0, 0, flow.Relative), "path/filepath.IsAbs", "path.IsAbs")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Tuple(c.In.CheckPattern(c.Arg(0), c.Arg(1)), flow.Value{})
	}, "path/filepath.Match", "path.Match")
}

// clean resolves .. segments. An absolute path keeps none.
func clean(c *flow.CallSite) flow.Value {
	labels := flow.Normal
	if c.Arg(0).Prefix() == "/" {
		labels |= flow.NoDotDot | flow.Relative | flow.Contain
	}
	return c.In.Derive(flow.Whole, labels, c.Pos, "", c.Arg(0))
}

// joinPath joins and cleans. Later parts cannot replace the first.
func joinPath(c *flow.CallSite) flow.Value {
	rest := flow.Normal | flow.Relative
	if s, ok := c.Arg(0).String(); ok && s == "/" {
		rest |= flow.NoDotDot | flow.Contain
	}
	var parts []flow.Value
	for i := range c.Args {
		if i > 0 {
			parts = append(parts, c.Arg(i))
		}
	}
	first := c.In.Derive(flow.Whole, flow.Normal, c.Pos, "", c.Arg(0))
	out := c.In.Derive(flow.Whole, rest, c.Pos, "", parts...)
	if !first.Tainted() {
		return out
	}
	return flow.Either(out, first)
}
