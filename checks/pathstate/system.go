// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/toolvet/toolvet/internal/bounded"
)

// A system answers questions about files. All paths are absolute; errors are those of
// the system calls, without the path.
type system interface {
	// describe tells what a path names, without following a link at its end.
	describe(path string) (entry, error)
	// names calls visit with each name in a directory, in no order; with none if the directory is not there.
	names(ctx context.Context, dir string, visit func(name string)) error
	// may reports why we may not do something with a file, by the effective user and
	// groups; errors.ErrUnsupported if the system does not tell, errRoot if only root may.
	may(a access, path string) error
	// free returns the bytes that the file system of a path has left for us;
	// errors.ErrUnsupported if the system does not tell.
	free(path string) (int64, error)
	// local reports whether questions about a path without links need no answer from another machine or
	// program, so that they always have one.
	local(path string) bool
}

// errRoot tells that toolvet may do something with a file because it runs as root, whatever the file's permissions are.
var errRoot = errors.New("the permissions allow it to root alone")

// A snapshot asks a system about each path once: a look passes the same directories for the
// root, for the path and for its spellings. It is for one goroutine.
type snapshot struct {
	system
	prompt bool // it must not ask what may have no answer
	note   func(path string)
	seen   map[string]description
}

type description struct {
	entry entry
	err   error
}

func newSnapshot(sys system, prompt bool, note func(path string)) snapshot {
	return snapshot{sys, prompt, note, map[string]description{}}
}

func (s snapshot) describe(path string) (entry, error) {
	d, ok := s.seen[path]
	if !ok && s.prompt && !s.local(path) {
		return entry{}, bounded.ErrWaits
	}
	if !ok {
		s.note(path)
		d.entry, d.err = s.system.describe(path)
		s.seen[path] = d
	}
	return d.entry, d.err
}

func (s snapshot) names(ctx context.Context, dir string, visit func(name string)) error {
	if s.prompt && !s.local(dir) {
		return bounded.ErrWaits
	}
	s.note(dir)
	return s.system.names(ctx, dir, visit)
}

// maxNames is how many names of a directory are read at a time.
const maxNames = 1000

// names implements system.
func (host) names(ctx context.Context, dir string, visit func(name string)) error {
	d, err := os.OpenFile(dir, os.O_RDONLY|onlyDirectories, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return bare(err)
	}
	defer d.Close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		names, err := d.Readdirnames(maxNames)
		for _, n := range names {
			visit(n)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return bare(err)
		}
	}
}

// bare takes the path off an error.
func bare(err error) error {
	var withPath *fs.PathError
	if errors.As(err, &withPath) {
		return withPath.Err
	}
	return err
}

// An entry is what a name in a directory stands for.
type entry struct {
	kind   kind
	size   int64
	target string // of a link
	magic  bool   // the link is none to a path, as those in /proc
}

// A kind is a kind of file.
type kind string

const (
	regular   kind = "a file"
	directory kind = "a directory"
	link      kind = "a symbolic link"
	fifo      kind = "a FIFO"
	socket    kind = "a socket"
	device    kind = "a device"
	unknown   kind = "of an unknown kind"
)

// An access is what we may want to do with a file.
type access int

const (
	read  access = iota // or list a directory, and enter it
	write               // or create files in a directory, and enter it
)
