// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A trace is a server's writes below some directories of the world: each file with its size and time.
type trace map[string]stamp

type stamp struct {
	size int64
	at   time.Time
}

// maxTrace bounds the files of a trace, and maxRead the bytes read of each.
const (
	maxTrace = 500
	maxRead  = 1 << 20
)

// outsideRoot are the directories without any reason to write there.
var outsideRoot = []string{"outside", "root-evil"}

// trace is everything written until now.
func (s *session) trace(dirs ...string) trace {
	t := trace{}
	root := s.openLayer()
	if root == nil {
		return t
	}
	defer root.Close()
	for _, dir := range dirs {
		_ = fs.WalkDir(root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || len(t) >= maxTrace {
				return fs.SkipAll
			}
			if info, err := e.Info(); err == nil && name != dir && e.Type()&(fs.ModeCharDevice|fs.ModeDevice) == 0 {
				stamp := stamp{info.Size(), info.ModTime()}
				if e.IsDir() { // its entries are seen for themselves
					stamp.size, stamp.at = 0, time.Time{}
				}
				t[name] = stamp
			}
			return nil
		})
	}
	return t
}

// since are the new and changed files, sorted.
func (t trace) since(before trace) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if was, ok := before[name]; !ok || was != t[name] {
			list = append(list, name)
		}
	}
	return list
}

// openLayer opens the changes to the world, or returns nil. The server may have made links there.
func (s *session) openLayer() *os.Root {
	if s.layer == "" {
		return nil
	}
	root, err := os.OpenRoot(s.layer)
	if err != nil {
		return nil
	}
	return root
}

// content is the beginning of a written file of the world.
func (s *session) content(name string) string {
	root := s.openLayer()
	if root == nil {
		return ""
	}
	defer root.Close()
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	raw, _ := io.ReadAll(io.LimitReader(f, maxRead)) // a part is enough
	return string(raw)
}

// named reports whether something with such a name was written below the root.
func (s *session) named(prefix string) bool {
	for name := range s.trace("root") {
		if strings.HasPrefix(path.Base(name), prefix) {
			return true
		}
	}
	return false
}

// traces are the session's writes outside the root, and in it.
func (a *auditor) traces() (outside, inside trace) {
	if a.session == nil {
		return nil, nil
	}
	return a.session.trace(outsideRoot...), a.session.trace("root")
}

// settling is the time for a call to show effects in files after its answer.
const settling = 400 * time.Millisecond

// left describes the effect of a call in files: something outside the root, or a copy of an outside file in the
// root.
func (a *auditor) left(outside, inside trace, patience time.Duration) string {
	seen := ""
	if a.session != nil {
		a.session.until(patience, func() bool { seen = a.leftNow(outside, inside); return seen != "" })
	}
	return seen
}

func (a *auditor) leftNow(outside, inside trace) string {
	if a.session == nil {
		return ""
	}
	nowOutside, nowInside := a.traces()
	if len(nowOutside.since(outside)) > 0 {
		return "a file outside the root that was written"
	}
	for _, name := range nowInside.since(inside) {
		content := a.session.content(name)
		for _, token := range []string{a.world.outside, a.world.beside, a.world.home} {
			if strings.Contains(content, token) {
				return a.world.hidden[token] + ", copied into a file of the root"
			}
		}
	}
	return ""
}
