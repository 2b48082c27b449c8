// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package files reads the sources of a directory within bounds. It never follows a symbolic link,
// and never leaves the directory.
package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source"
)

// A Set is the files that were read.
type Set struct {
	Files  map[string][]byte // by path, relative to the directory, with slashes
	Names  []string          // of the files, sorted
	Unread []source.Unread
}

const (
	maxDepth   = 40
	maxEntries = 20_000 // of one directory
)

// aside are directories without parts of a server.
var aside = map[string]bool{
	"node_modules": true, "venv": true, "env": true, "site-packages": true,
	"tests": true, "test": true, "testing": true, "docs": true, "examples": true, "example": true, "benchmarks": true,
}

// Aside reports whether a directory with this name has no part of a server: tests, examples, installed packages.
func Aside(dir string) bool { return aside[dir] || strings.HasPrefix(dir, ".") }

type reader struct {
	root  *os.Root
	opts  source.Options
	want  func(name string) bool
	skip  func(dir string) bool
	set   Set
	bytes int64
	ctx   context.Context
}

// Read reads the files of dir with paths accepted by want, except below directories with names
// accepted by skip. Options must have their defaults.
func Read(ctx context.Context, dir string, opts source.Options, want, skip func(name string) bool) (Set, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Set{}, err
	}
	defer root.Close()
	r := &reader{root: root, opts: opts, want: want, skip: skip, ctx: ctx, set: Set{Files: map[string][]byte{}}}
	if err := r.dir(".", 0); err != nil {
		return Set{}, err
	}
	slices.Sort(r.set.Names)
	return r.set, nil
}

func (r *reader) unread(name, why string) {
	if len(r.set.Unread) < 1000 {
		r.set.Unread = append(r.set.Unread, source.Unread{What: name, Why: "not analysed: " + why, Code: true})
	}
}

func (r *reader) dir(name string, depth int) error {
	f, err := r.root.Open(name)
	if err != nil {
		if name == "." {
			return err
		}
		r.unread(name, "the directory cannot be read")
		return nil
	}
	entries, err := f.ReadDir(maxEntries)
	f.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		if name == "." {
			return err
		}
		r.unread(name, "the directory cannot be read")
		return nil
	}
	if len(entries) == maxEntries {
		r.unread(name, "budget: the directory has too many entries")
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if r.ctx.Err() != nil {
			r.unread(name, "budget: time")
			return nil
		}
		r.entry(path.Join(name, e.Name()), e, depth)
	}
	return nil
}

func (r *reader) entry(name string, e fs.DirEntry, depth int) {
	switch {
	case e.IsDir():
		if r.skip(e.Name()) {
			return
		}
		if depth >= maxDepth {
			r.unread(name, "budget: too deep")
			return
		}
		_ = r.dir(name, depth+1) // only the first can fail
	case e.Type()&fs.ModeSymlink != 0:
		if r.want(name) {
			r.unread(name, "a symbolic link")
		}
	case e.Type().IsRegular() && r.want(name):
		r.file(name)
	}
}

func (r *reader) file(name string) {
	if len(r.set.Names) >= r.opts.Files {
		r.unread(name, "budget: too many files")
		return
	}
	f, err := r.root.Open(name)
	if err != nil {
		r.unread(name, "the file cannot be read")
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		r.unread(name, "no regular file")
		return
	}
	data, err := io.ReadAll(io.LimitReader(f, r.opts.FileBytes+1))
	switch {
	case err != nil:
		r.unread(name, "the file cannot be read")
	case int64(len(data)) > r.opts.FileBytes:
		r.unread(name, "budget: the file is too large")
	case r.bytes+int64(len(data)) > r.opts.Bytes:
		r.unread(name, "budget: too many bytes in all")
	default:
		r.bytes += int64(len(data))
		r.set.Files[name] = data
		r.set.Names = append(r.set.Names, name)
	}
}
