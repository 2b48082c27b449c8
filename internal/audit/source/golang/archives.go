// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// archives models functions that unpack an archive: the names in it come from its path.
func (t *table) archives() {
	again := func(c *flow.CallSite) flow.Value { return flow.Again(c.Arg(0)) }
	t.define(withError(again), "compress/gzip.NewReader", "compress/zlib.NewReader", "github.com/klauspost/compress/gzip.NewReader", "github.com/klauspost/compress/zstd.NewReader", "github.com/ulikunitz/xz.NewReader")
	t.define(again, "compress/bzip2.NewReader", "compress/flate.NewReader", "bufio.NewReaderSize", "io.LimitReader", "io.NopCloser")
	t.define(withError(func(c *flow.CallSite) flow.Value {
		c.In.PathSink(c.Pos, c.Name, c.Arg(0))
		return c.In.Entries(c.Pos, c.Arg(0), "archive/zip.ReadCloser")
	}), "archive/zip.OpenReader")
	t.define(withError(func(c *flow.CallSite) flow.Value {
		return c.In.Entries(c.Pos, c.Arg(0), "archive/zip.Reader")
	}), "archive/zip.NewReader")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Entries(c.Pos, c.Arg(0), "archive/tar.Reader")
	}, "archive/tar.NewReader")
	t.define(withError(ofRecv(flow.Whole, 0, "archive/tar.Header")), "archive/tar.Reader.Next")
}

// archiveAttr is an element of an archive, or the name of one.
func archiveAttr(in *flow.Interp, native, name string, of flow.Value, pos flow.Pos) (flow.Value, bool) {
	archive, typ, ok := strings.Cut(native, ".")
	if !ok || archive != "archive/zip" && archive != "archive/tar" {
		return flow.Value{}, false
	}
	switch {
	case name == "File" && (typ == "ReadCloser" || typ == "Reader"), name == "FileHeader", name == "Name", name == "Linkname":
		return in.Derive(flow.Whole, 0, pos, "", of), true
	case typ == "File" || typ == "FileHeader" || typ == "Header":
		return flow.NativeValue(native + "." + name), true
	}
	return flow.Value{}, false
}

// readsEntry reports whether a read is within an archive: its content is not the caller's then.
func readsEntry(c *flow.CallSite) bool {
	if strings.HasPrefix(c.Name, "archive/zip.File") || strings.HasPrefix(c.Name, "archive/tar.Header") {
		return true
	}
	return strings.HasPrefix(c.Name, "io.") && slices.ContainsFunc(c.Args, func(v flow.Value) bool { return v.Is("archive/tar.Reader") })
}
