// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// Instances: archives, lists of their entries, and single entries.
const (
	zipType     = "zipfile.ZipFile()"
	tarType     = "tarfile.open()"
	membersType = "zipfile.ZipFile().infolist()"
	memberType  = "zipfile.ZipInfo()"
)

var isArchive = map[string]bool{zipType: true, tarType: true, memberType: true}

// defineArchives models zipfile and tarfile. Functions of zipfile keep to the directory into which
// they unpack, and those of tarfile do so with a filter.
func defineArchives(t *table) {
	t.define(openArchive(zipType), "zipfile.ZipFile")
	t.define(openArchive(tarType), "tarfile.open", "tarfile.TarFile", "tarfile.TarFile.open")
	names := func(_ *lang, c *flow.CallSite) flow.Value { return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Recv) }
	t.method(names, []string{zipType, tarType}, "namelist", "getnames")
	members := func(_ *lang, c *flow.CallSite) flow.Value { return names(nil, c).WithNative(membersType) }
	t.method(members, []string{zipType, tarType}, "infolist", "getmembers")
	t.method(func(_ *lang, c *flow.CallSite) flow.Value {
		return names(nil, c).WithNative(memberType)
	}, []string{tarType}, "next")
	extract := func(i int) model {
		return func(_ *lang, c *flow.CallSite) flow.Value {
			c.In.PathSink(c.Pos, afterLast(c.Name)[1:], c.Arg(i, "path"))
			return flow.Value{}
		}
	}
	t.define(extract(0), ".extractall")
	t.method(extract(0), []string{zipType}, "extractall")
	t.method(extract(1), []string{zipType}, "extract")
	t.method(func(l *lang, c *flow.CallSite) flow.Value {
		if _, some := c.Given(1, "members"); !some && !filtered(c) {
			c.In.PathSink(c.Pos, "extractall", c.Recv)
		}
		return extract(0)(l, c)
	}, []string{tarType}, "extractall")
	t.method(func(l *lang, c *flow.CallSite) flow.Value {
		if !filtered(c) {
			c.In.PathSink(c.Pos, "extract", c.Arg(0, "member"))
		}
		return extract(1)(l, c)
	}, []string{tarType}, "extract")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.PathSink(c.Pos, c.Name, c.Arg(0, "filename"))
		c.In.PathSink(c.Pos, c.Name, c.Arg(1, "extract_dir"))
		return flow.Value{}
	}, "shutil.unpack_archive")
}

// openArchive opens an archive. The caller controls the names in it if the archive is the caller's. A
// text in memory is no path.
func openArchive(kind string) model {
	return func(_ *lang, c *flow.CallSite) flow.Value {
		file := c.Arg(0, "file", "name")
		if !file.Is("io.BytesIO()") {
			c.In.PathSink(c.Pos, c.Name, file)
		}
		if mode, ok := c.Arg(1, "mode").String(); ok && mode != "" && strings.Contains("wax", mode[:1]) {
			return flow.NativeValue(kind)
		}
		return c.In.Entries(c.Pos, flow.Either(file, c.Arg(2, "fileobj")), kind)
	}
}

// filtered reports whether tarfile refuses names that lead out of the directory, or asks a function.
func filtered(c *flow.CallSite) bool {
	f, ok := c.Given(-1, "filter")
	s, known := f.String()
	return ok && !(known && s == "fully_trusted")
}

// archiveAttr is an element of an archive, or the name of one.
func archiveAttr(in *flow.Interp, native, name string, of flow.Value, pos flow.Pos) (flow.Value, bool) {
	same := in.Derive(flow.Whole, 0, pos, "", of)
	switch {
	case name == "[]" && (native == membersType || native == tarType):
		return same.WithNative(memberType), true
	case native == memberType && slices.Contains([]string{"filename", "orig_filename", "name", "path", "linkname", "linkpath"}, name):
		return same, true
	case native == memberType:
		return flow.NativeValue(native + "." + name), true
	}
	return flow.Value{}, false
}
