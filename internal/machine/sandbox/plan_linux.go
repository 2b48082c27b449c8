// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A kind is the form of a place of the machine in the new root.
type kind int

const (
	overlaid kind = iota // a directory with a layer over it
	mirrored             // a directory built anew, because mounts are below it
	linked               // a symbolic link
	copied               // a file, as a copy in its directory's layer
	bound                // a file too large to copy, read-only
	node                 // a named pipe or a socket, without a peer
	special              // made by us: /proc, /dev, /sys
	hidden               // a directory, shown empty and read-only
)

// A place is one place of the new root.
type place struct {
	kind kind
	path string
	why  string // of a hidden or bound place
	// nested marks a place inside an overlaid one.
	nested bool
}

// maxCopied bounds a copied file beside mounts, in bytes.
const maxCopied = 1 << 20

// ours lists the directories that the sandbox makes itself.
var ours = []string{"/proc", "/dev", "/sys"}

// A world describes the machine for plan.
type world struct {
	mounts   []mount
	readDir  func(string) ([]os.DirEntry, error)
	size     func(string) int64
	writable []string // directories that need a layer of their own
}

// plan lists the places of the new root, each after its directory.
func (w *world) plan() []place {
	places := w.mirror("/", nil)
	slices.SortStableFunc(places, func(a, b place) int { return strings.Count(a.path, "/") - strings.Count(b.path, "/") })
	var out []place
	seen := map[string]bool{}
	for _, p := range places {
		if !seen[p.path] {
			seen[p.path] = true
			out = append(out, p)
		}
	}
	for _, dir := range w.writable { // over the overlay that contains them
		if !seen[dir] {
			seen[dir] = true
			out = append(out, place{kind: overlaid, path: dir, nested: true})
		}
	}
	return out
}

// mirror adds a directory with mounts below it, and its entries.
func (w *world) mirror(dir string, places []place) []place {
	places = append(places, place{kind: mirrored, path: dir})
	entries, err := w.readDir(dir)
	if err != nil {
		return append(places[:len(places)-1], place{kind: hidden, path: dir, why: "it cannot be read, and other file systems are mounted below it"})
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case slices.Contains(ours, path):
			places = append(places, place{kind: special, path: path})
		case e.Type()&os.ModeSymlink != 0:
			places = append(places, place{kind: linked, path: path})
		case e.Type()&(os.ModeNamedPipe|os.ModeSocket) != 0:
			places = append(places, place{kind: node, path: path})
		case e.IsDir():
			places = w.directory(path, places)
		case e.Type().IsRegular() && w.size(path) <= maxCopied:
			places = append(places, place{kind: copied, path: path})
		case e.Type().IsRegular():
			places = append(places, place{kind: bound, path: path, why: "the file is large, and other file systems are mounted beside it"})
		}
	}
	return places
}

func (w *world) directory(path string, places []place) []place {
	m := w.at(path)
	switch {
	case m != nil && virtual[m.fstype]:
		return append(places, place{kind: hidden, path: path, why: "a file system of the kernel (" + m.fstype + ")"})
	case w.mountsBelow(path):
		return w.mirror(path, places)
	}
	return append(places, place{kind: overlaid, path: path})
}

// at returns the mount at path, or nil.
func (w *world) at(path string) *mount {
	for i := len(w.mounts) - 1; i >= 0; i-- { // the last is on top
		if w.mounts[i].path == path {
			return &w.mounts[i]
		}
	}
	return nil
}

func (w *world) mountsBelow(dir string) bool {
	return slices.ContainsFunc(w.mounts, func(m mount) bool { return strings.HasPrefix(m.path, dir+"/") })
}

// virtual lists file systems with state of the kernel instead of files.
var virtual = map[string]bool{
	"autofs": true, "binfmt_misc": true, "bpf": true, "cgroup": true, "cgroup2": true, "configfs": true, "debugfs": true,
	"devpts": true, "devtmpfs": true, "efivarfs": true, "fusectl": true, "hugetlbfs": true, "mqueue": true, "nsfs": true,
	"proc": true, "pstore": true, "rpc_pipefs": true, "securityfs": true, "selinuxfs": true, "sysfs": true, "tracefs": true,
}
