// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"maps"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/flow"
	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// A view is the directory as one reader of it has it. Readers share what was parsed, and each has a
// budget of its own: so what one gets does not depend on what the other has asked for by then.
type view struct {
	t      *tree
	bytes  int64
	files  map[string]*parse.File // nil: cannot be read
	unread map[string]string
}

// view makes the first view, which begins with what was read of the tree itself.
func (t *tree) view() *view {
	v := &view{t: t, bytes: t.bytes, files: map[string]*parse.File{}, unread: map[string]string{}}
	t.views = append(t.views, v)
	return v
}

// again is a loader for another reader, which has read what this one has until now.
func (v *view) again() flow.Loader {
	w := &view{t: v.t, bytes: v.bytes, files: maps.Clone(v.files), unread: map[string]string{}}
	v.t.views = append(v.t.views, w)
	return w.load
}

func (v *view) skip(what, why string) {
	if _, ok := v.unread[what]; !ok && len(v.unread) < maxUnread {
		v.unread[what] = why
	}
}

// parse reads a file once.
func (v *view) parse(name string) (*parse.File, bool) {
	if f, ok := v.files[name]; ok {
		return f, f != nil
	}
	if len(v.files) >= v.t.opts.Files {
		v.skip(name, "not read: budget of files")
		return nil, false
	}
	p := v.t.parsed(name, v.t.opts.Bytes-v.bytes)
	v.files[name] = p.file
	v.bytes += p.bytes
	if p.file == nil {
		v.skip(name, p.why)
	}
	return p.file, p.file != nil
}

// load is the flow.Loader: relative paths, aliases of tsconfig.json, imports of package.json and the
// package's own name are followed; all else is a package that is not read.
func (v *view) load(from, specifier string) (*parse.File, bool) {
	name, ours := v.t.resolve(from, specifier)
	if !ours {
		return nil, false
	}
	if name == "" {
		v.skip(specifier+", imported by "+from, "not found in the directory")
		return nil, true
	}
	f, _ := v.parse(name)
	return f, true
}

// gather adds what the views have read to the tree, which is then read from no more.
func (t *tree) gather() {
	for _, v := range t.views {
		for name, f := range v.files {
			if f != nil {
				t.files[name] = f
			}
		}
		for what, why := range v.unread {
			t.skip(what, why)
		}
		t.bytes = max(t.bytes, v.bytes)
	}
}
