// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/subpath"
)

// A server may take another directory than ours for its root: its own, its user's, or that for temporary files. It refuses
// each of our paths then, before it does anything with them. Often its error names the directory.

var (
	// refusal finds errors about a path outside of some directory.
	refusal = lazyregexp.New(`(?i)\b(outside|within|inside|beneath|allowed|permitted|forbidden|traversal|denied|must be (in|under|below)|restricted)\b`)
	// absolutePath finds paths in a text.
	absolutePath = lazyregexp.New(`/[A-Za-z0-9_.@+~/-]*[A-Za-z0-9_@+~-]`)
)

// maxBases bounds the directories that are tried with a tool.
const maxBases = 6

// base finds the directory whose paths a tool takes, if it refused one of our root. said is its error.
func (a *auditor) base(ctx context.Context, t *tool, said string) {
	if !refusal.MatchString(said) || !slices.ContainsFunc(t.parameters, func(p parameter) bool { return p.kind == infer.Path }) {
		return
	}
	for _, dir := range a.candidates(said) {
		t.base = dir
		r := a.call(ctx, t, t.sample(a.world))
		if r.failed == "" && (r.ok() || !refusal.MatchString(r.text)) {
			if !slices.Contains(a.accepted, dir) {
				a.accepted = append(a.accepted, dir)
			}
			return
		}
	}
	t.base = ""
}

// candidates are the directories to try: those that other tools took, those in the error, and usual ones.
func (a *auditor) candidates(said string) []string {
	list := slices.Clone(a.accepted)
	add := func(dir string) {
		dir = path.Clean(dir)
		if info, err := os.Stat(a.world.outsideOf(dir)); err == nil && info.IsDir() && dir != "/" && !subpath.In(dir, a.world.inside("root")) && !slices.Contains(list, dir) && len(list) < maxBases {
			list = append(list, dir)
		}
	}
	for _, dir := range absolutePath.FindAllString(said, 20) {
		add(dir)
	}
	add(a.world.inside("home"))
	add("/tmp")
	for _, arg := range a.launcher.command[1:] {
		if path.IsAbs(arg) && !subpath.In(arg, a.world.at) { // the server's code
			add(path.Dir(arg))
			add(path.Dir(path.Dir(arg)))
			break
		}
	}
	return list
}

// outsideOf is the place of the machine that appears at a path inside.
func (w *world) outsideOf(at string) string {
	if rest, ok := strings.CutPrefix(at, w.at+"/"); ok {
		return filepath.Join(w.dir, filepath.FromSlash(rest))
	}
	return at
}

// place is a harmless directory, or a harmless file in it, that the tool should take.
func (u *tool) place(w *world, directory bool) string {
	switch {
	case u.base == "" && directory:
		return w.inside("root")
	case u.base == "":
		return w.inside("root", insideName+".txt")
	case directory:
		return u.base
	}
	entries, _ := os.ReadDir(w.outsideOf(u.base)) // without any, the file is a new one
	for _, ext := range []string{".json", ".md", ".txt", ""} {
		for _, e := range entries {
			if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ext) && !strings.HasPrefix(e.Name(), ".") {
				return path.Join(u.base, e.Name())
			}
		}
	}
	return path.Join(u.base, insideName+".txt")
}
