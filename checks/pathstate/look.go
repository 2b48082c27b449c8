// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/subpath"
)

// A look is at one path, with what is demanded of it.
type look struct {
	sys     system
	options *path.Options
	place   leads.Place
}

// asks reports whether o demands something that only the file system tells.
func asks(o *path.Options) bool {
	return o.Exists != nil || o.ParentExists || o.Type != "" || o.Readable || o.Writable ||
		o.Hidden != nil && !*o.Hidden || len(o.Extensions) > 0 || len(o.Not) > 0 || o.MaxSize > 0 || o.WarnSize > 0 || o.MinFree > 0 || o.FollowSymlinks != nil && !*o.FollowSymlinks
}

func (l look) run(ctx context.Context) result {
	s, f, err := l.find(ctx)
	switch {
	case errors.Is(err, errMagic) && !l.place.Confined() && !l.options.Canonical:
		return result{skip: "the path " + errMagic.Error()}
	case err != nil:
		return failed(err)
	case f != nil: // and nothing more is told of what lies there
		return result{findings: []check.Finding{*f}}
	}
	r := result{path: s.path}
	l.state(&r, s)
	for _, demand := range []func(*result, spot){l.size, l.access, l.space} {
		if r.err == nil {
			demand(&r, s)
		}
		if ctx.Err() != nil {
			return result{err: ctx.Err()}
		}
	}
	return r
}

// failed is the result of a look that came to no end.
func failed(err error) result {
	f := check.Finding{}
	switch {
	case errors.Is(err, errMagic):
		f.Level, f.Message = check.SecurityLevel, err.Error()+": give the path that it leads to"
	case errors.Is(err, errLoop):
		f.Message = err.Error() + ", more than the system follows: they may form a loop"
	case errors.Is(err, errTwins):
		f.Message = err.Error() + ": give the name as it is written there"
	case errors.Is(err, syscall.EACCES):
		f.Message = "lies behind a directory that toolvet may not enter or read, so that nothing is known of it"
	case errors.Is(err, syscall.ENAMETOOLONG):
		f.Message = "is longer than the file system allows, as a whole or one of its names"
	default:
		return result{err: err}
	}
	return result{findings: []check.Finding{f}}
}

// find returns where the path really leads, or why it must not lead there.
//
// A server may follow the path as it stands, or with each ".." taken together with
// the name before it. Behind a link these differ, so both must be allowed.
func (l look) find(ctx context.Context) (spot, *check.Finding, error) {
	below := ""
	if l.place.Root != "" {
		root, err := resolve(ctx, l.sys, filepath.FromSlash(l.place.Root), "")
		if err != nil {
			return spot{}, nil, err
		}
		below = root.path
	}
	asGiven := filepath.FromSlash(l.place.Path)
	clean, err := resolve(ctx, l.sys, filepath.Clean(asGiven), below)
	if err != nil {
		return spot{}, nil, err
	}
	spots := []spot{clean}
	if strings.Contains(asGiven, "..") {
		given, err := resolve(ctx, l.sys, asGiven, below)
		if err != nil {
			return spot{}, nil, err
		}
		spots = append(spots, given)
	}
	for _, s := range spots {
		allowed, f, err := l.confined(ctx, s, below)
		if f != nil || err != nil {
			return spot{}, f, err
		}
		if f := l.named(s, allowed); f != nil {
			return spot{}, f, nil
		}
	}
	if last := spots[len(spots)-1]; last.path != clean.path {
		return spot{}, &check.Finding{Message: `has a ".." behind a symbolic link, so that it names two files: give the path without ".."`}, nil
	}
	return clean, nil, nil
}

// maxRoots is how many allowed directories are looked at for the one that a link leads
// to, where these are links themselves.
const maxRoots = 64

// named judges the names that links lead to, below the directory that allows them. The check path has judged those in the text.
func (l look) named(s spot, allowed string) *check.Finding {
	if !s.linked {
		return nil
	}
	for _, kind := range l.options.Not {
		if filekind.Is(kind, s.path) && !slices.Contains(l.options.Allow, kind+" "+s.path) {
			return &check.Finding{Level: check.SecurityLevel, Message: filekind.Fault(kind) + ", and a symbolic link leads to one", Source: kind}
		}
	}
	names, err := filepath.Rel(cmp.Or(allowed, filepath.VolumeName(s.path)+string(filepath.Separator)), s.path)
	if err != nil || names == "." {
		return nil
	}
	fault := leads.OfPaths(l.options).Named(filepath.ToSlash(names))
	if fault == "" {
		return nil
	}
	return &check.Finding{Level: check.SecurityLevel, Message: fault + ", and a symbolic link leads to another"}
}

// confined judges whether the allowed directories hold a spot, and returns the one that does; root is the one that
// the path lies in by its text, with its links followed.
func (l look) confined(ctx context.Context, s spot, root string) (allowed string, f *check.Finding, err error) {
	noLinks := l.options.FollowSymlinks != nil && !*l.options.FollowSymlinks
	if s.linked && noLinks {
		return "", &check.Finding{Level: check.SecurityLevel, Message: "leads through a symbolic link, and none is allowed"}, nil
	}
	if noLinks && !s.exists() {
		leads, err := patternLeads(ctx, l.sys, root, s.path)
		if err != nil {
			return "", nil, err
		}
		if leads {
			return "", &check.Finding{
				Level:      check.SecurityLevel,
				Message:    "does not exist, and leads through a symbolic link for a server that takes it for a pattern, and none is allowed",
				Suggestion: "leave *, ?, [ and { out of the names of directories",
			}, nil
		}
	}
	if !l.place.Confined() || subpath.In(s.path, root) {
		return root, nil, nil
	}
	if other, ok := l.place.RootOf(s.path); ok {
		return other, nil, nil // without links in it, so that root has none either
	}
	roots := l.place.Roots()
	for _, dir := range roots[:min(len(roots), maxRoots)] {
		other, err := resolve(ctx, l.sys, filepath.Clean(filepath.FromSlash(dir)), "")
		if err == nil && subpath.In(s.path, other.path) {
			return other.path, nil, nil
		}
		if errors.Is(err, bounded.ErrWaits) {
			return "", nil, err
		}
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
	}
	return "", &check.Finding{
		Level:      check.SecurityLevel,
		Message:    "leads out of the allowed directories through a symbolic link",
		Suggestion: "give a path that stays within them, links included",
		Source:     "outside",
	}, nil
}

// state judges existence and type.
func (l look) state(r *result, s spot) {
	o := l.options
	mustExist := o.Readable || o.Exists != nil && *o.Exists
	switch {
	case mustExist && !s.exists():
		r.fail("does not exist%s", s.why())
	case o.Exists != nil && !*o.Exists && s.exists():
		r.fail("exists already: choose another name")
	case o.Exists != nil && !*o.Exists && s.entry.kind != directory: // whoever creates it may clear the way
		r.fail("cannot be created%s", s.why())
	case o.ParentExists && !s.exists() && (s.missing > 1 || s.entry.kind != directory):
		r.fail("lies in a directory that does not exist: create it first")
	}
	if !s.exists() {
		return
	}
	switch k := s.entry.kind; {
	case o.Type == "file" && k != regular, o.Type == "directory" && k != directory:
		r.fail("must be a %s, but is %s", o.Type, k)
	case k == fifo || k == socket || k == device:
		r.warn("is %s: a program that opens it may wait for ever", k)
	}
}

// why says what is missing of a path.
func (s *spot) why() string {
	switch {
	case s.entry.kind != directory:
		return ": a name in the middle of the path is " + string(s.entry.kind) + ", not a directory"
	case s.missing > 1:
		return ", nor does the directory that it would lie in"
	}
	return ""
}

func (l look) size(r *result, s spot) {
	if !s.exists() || s.entry.kind != regular {
		return
	}
	switch o := l.options; {
	case o.MaxSize > 0 && s.entry.size > int64(o.MaxSize):
		r.fail("is larger than the %s that are allowed", o.MaxSize)
	case o.WarnSize > 0 && s.entry.size > int64(o.WarnSize):
		r.warn("is larger than %s", o.WarnSize)
	}
}

// access judges permissions. A missing file is written by creating it in an existing directory,
// together with the directories between if the policy does not demand these.
func (l look) access(r *result, s spot) {
	if l.options.Readable && s.exists() {
		l.may(r, read, s.nearest, "may not be read")
	}
	switch {
	case !l.options.Writable:
	case s.exists():
		l.may(r, write, s.nearest, "may not be written")
	case s.entry.kind != directory:
		r.fail("cannot be created%s", s.why())
	default:
		l.may(r, write, s.nearest, "cannot be created: its directory may not be written")
	}
}

func (l look) may(r *result, a access, path, denied string) {
	switch err := l.sys.may(a, path); {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		r.fail("does not exist any more")
	case errors.Is(err, errors.ErrUnsupported):
		r.skip = "this system does not tell of permissions without opening files"
	case errors.Is(err, errRoot):
		r.skip = "toolvet runs as root, and the permissions allow it to root alone: whether the server may is not known"
	case errors.Is(err, syscall.EROFS):
		r.fail("%s: the file system is read-only", denied)
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		r.fail("%s by the user that toolvet runs as", denied)
	default:
		r.err = err
	}
}

func (l look) space(r *result, s spot) {
	if l.options.MinFree <= 0 {
		return
	}
	switch free, err := l.sys.free(s.nearest); {
	case errors.Is(err, errors.ErrUnsupported):
		r.skip = "this system does not tell of free space"
	case err != nil:
		r.err = err
	case free < int64(l.options.MinFree):
		r.fail("lies on a file system with less than %s of free space", l.options.MinFree)
	}
}

// fail is not inlined: its copies weigh more than they save.
//
//go:noinline
func (r *result) fail(format string, args ...any) {
	r.findings = append(r.findings, check.Finding{Message: fmt.Sprintf(format, args...)})
}

func (r *result) warn(format string, args ...any) {
	r.fail(format, args...)
	r.findings[len(r.findings)-1].Severity = check.Warning
}
