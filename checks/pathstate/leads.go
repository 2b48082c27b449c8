// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/path"
)

// Leads returns the places that a path really leads to, past all symbolic links and as far as it
// exists: those of [leads.Paths], followed in the file system, and the place of a system that follows
// a ".." behind a link. The first is that of a server which cleans the path and opens it as it stands.
// More than one place means that servers disagree about the path.
//
// Leads follows no link where the server's files are not on this machine, or are another
// system's. It stops between two questions when ctx is done, but a file system that does not answer can
// hold it longer: a caller that cannot wait runs it in a goroutine. It opens nothing.
// Note is told every path that it asks about. Leads is safe for concurrent use.
func Leads(ctx context.Context, world check.World, name string, note func(asked string)) ([]string, error) {
	places, err := leads.OfPaths(new(path.Options)).Leads(world, name)
	if err != nil || world.Remote || foreign(places[0]) {
		return places, err
	}
	if strings.Contains(name, "..") {
		if !filepath.IsAbs(name) {
			name = world.Base + "/" + name
		}
		places = append(places, name)
	}
	sys := newSnapshot(host{}, false, note)
	var real []string
	for _, place := range places {
		s, err := resolve(ctx, sys, filepath.FromSlash(place), "")
		if err != nil {
			return nil, err
		}
		if at := filepath.ToSlash(s.path); !slices.Contains(real, at) {
			real = append(real, at)
		}
	}
	return real, nil
}

// Below reports whether a place is the same directory or file as root, or lies below it. It asks the files, because one
// directory can have several names: on a file system that ignores case or normalises Unicode, or by a bind mount. Place and
// root are places of [Leads], which says what note is for and when nothing can be asked; then Below is false.
func Below(world check.World, place, root string, note func(asked string)) bool {
	if world.Remote || foreign(place) || foreign(root) {
		return false
	}
	note(root)
	wanted, err := os.Stat(filepath.FromSlash(root))
	if err != nil {
		return false
	}
	for at := filepath.FromSlash(place); ; at = filepath.Dir(at) {
		note(at)
		if info, err := os.Stat(at); err == nil && os.SameFile(info, wanted) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// foreign reports whether a clean place with slashes is one of another system than toolvet's own.
func foreign(place string) bool {
	posix := strings.HasPrefix(place, "/") && !strings.HasPrefix(place, "//")
	return posix == (runtime.GOOS == "windows")
}
