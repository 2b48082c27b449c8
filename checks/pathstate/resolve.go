// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/toolvet/toolvet/internal/subpath"
)

// maxLinks is how many links a path may lead through, as on Linux.
const maxLinks = 40

var (
	errLoop  = errors.New("leads through too many symbolic links")
	errMagic = errors.New("leads through a link that means something else to each process")
	errTwins = errors.New("is another spelling of several names in its directory, in other characters of Unicode")
)

// A spot is where a path really leads: past all links, as far as it exists.
type spot struct {
	path    string // absolute, without links; its end may not exist
	nearest string // the part of it that exists
	entry   entry  // of nearest
	missing int    // names behind nearest
	linked  bool   // a link was followed that lies below the directory of interest
}

func (s *spot) exists() bool { return s.missing == 0 }

// A resolver follows one path.
type resolver struct {
	system
	below   string // links in this directory are noted
	pending []string
	links   int
	spot
}

// resolve follows an absolute path as the system does when it opens it, but opens nothing. A
// missing part is taken as it stands. It stops between two questions when ctx is done.
func resolve(ctx context.Context, sys system, path, below string) (spot, error) {
	r := resolver{system: sys, below: below}
	r.restart(path)
	for len(r.pending) > 0 {
		if err := ctx.Err(); err != nil {
			return spot{}, err
		}
		last := len(r.pending) - 1
		name := r.pending[last]
		r.pending = r.pending[:last]
		if err := r.step(ctx, name); err != nil {
			return spot{}, err
		}
	}
	return r.spot, nil
}

// restart goes to the root that an absolute path begins at; all of it is pending.
func (r *resolver) restart(path string) {
	volume := filepath.VolumeName(path)
	r.path = volume + string(filepath.Separator)
	r.nearest, r.entry, r.missing = r.path, entry{kind: directory}, 0
	r.push(path[len(volume):])
}

// push puts a path before what is pending. The last pending name is the next.
func (r *resolver) push(path string) {
	names := strings.FieldsFunc(path, func(c rune) bool { return c < 0x80 && os.IsPathSeparator(byte(c)) })
	slices.Reverse(names)
	r.pending = append(r.pending, names...)
}

func (r *resolver) step(ctx context.Context, name string) error {
	switch {
	case name == ".":
		return nil
	case name == "..":
		r.up()
		return nil
	}
	next := filepath.Join(r.path, name)
	if r.missing > 0 {
		r.path = next
		r.missing++
		return nil
	}
	e, err := r.system.describe(next)
	if errors.Is(err, fs.ErrNotExist) && hasTwins(name) {
		other, failed := twin(ctx, r.system, r.path, name)
		switch {
		case failed != nil:
			return failed
		case other != "":
			next = filepath.Join(r.path, other)
			e, err = r.system.describe(next)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		r.path, r.missing = next, 1
		return nil
	case err != nil:
		return err
	case e.kind == link:
		return r.follow(next, e)
	}
	r.path, r.nearest, r.entry = next, next, e
	return nil
}

// hasTwins reports whether a name may have another spelling of the same characters. Servers and some file systems take
// either. A name of ASCII has one only for these three, each of which is the normal form of another character.
func hasTwins(name string) bool {
	return strings.ContainsFunc(name, func(c rune) bool { return c >= utf8.RuneSelf || c == 'K' || c == ';' || c == '`' })
}

// twin returns the name in a directory that is canonically equivalent to another, which is not there; "" if there
// is none.
func twin(ctx context.Context, sys system, dir, name string) (string, error) {
	found, several := "", false
	normal := norm.NFC.String(name)
	err := sys.names(ctx, dir, func(n string) {
		if norm.NFC.String(n) == normal {
			found, several = n, several || found != ""
		}
	})
	if err == nil && several {
		err = errTwins
	}
	if err != nil {
		return "", err
	}
	return found, nil
}

// up goes to the parent directory, which exists unless we are in a missing one.
func (r *resolver) up() {
	r.path = filepath.Dir(r.path)
	if r.missing > 0 {
		r.missing--
		return
	}
	r.nearest, r.entry = r.path, entry{kind: directory}
}

func (r *resolver) follow(at string, e entry) error {
	r.links++
	r.linked = r.linked || at != r.below && (r.below == "" || subpath.In(at, r.below))
	switch {
	case r.links > maxLinks:
		return errLoop
	case e.magic:
		return errMagic
	case filepath.IsAbs(e.target):
		r.restart(e.target)
	case e.target != "" && os.IsPathSeparator(e.target[0]): // on Windows: on the same drive
		r.restart(filepath.VolumeName(at) + e.target)
	default:
		r.push(e.target)
	}
	return nil
}
