// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"maps"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/flow"
	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// A view is the directory for one interpreter. Interpreters share parsed files, but each has a
// budget of its own. So the files that one of them gets do not depend on the other, and the
// report is the same each time.
type view struct {
	t     *tree
	bytes int64
	// nil: cannot be read
	files  map[string]*parse.File
	unread map[string]string
}

// view makes the first view. Bytes read for manifests count.
func (t *tree) view() *view {
	v := &view{t: t, bytes: t.bytes, files: map[string]*parse.File{}, unread: map[string]string{}}
	t.views = append(t.views, v)
	return v
}

// again is a loader for a second interpreter. It begins with everything that this view has read
// so far, since the second one runs the same files again.
func (v *view) again() flow.Loader {
	w := &view{t: v.t, bytes: v.bytes, files: maps.Clone(v.files), unread: map[string]string{}}
	v.t.views = append(v.t.views, w)
	return w.load
}

// skip notes a file that this view could not read.
func (v *view) skip(what, why string) {
	if _, ok := v.unread[what]; !ok && len(v.unread) < maxUnread {
		v.unread[what] = why
	}
}

// parse reads a file once. The number of files and their bytes count against this view's budget,
// also if another view has parsed the file already: the other view may not have come that far in
// the next audit.
func (v *view) parse(name string) (*parse.File, bool) {
	if f, ok := v.files[name]; ok {
		return f, f != nil
	}
	if len(v.files) >= v.t.opts.Files {
		v.skip(name, "not read: budget of files")
		return nil, false
	}
	// nil is kept, too: a file that cannot be read is not tried again.
	p := v.t.parsed(name, v.t.opts.Bytes-v.bytes)
	v.files[name] = p.file
	v.bytes += p.bytes
	if p.file == nil {
		v.skip(name, p.why)
	}
	return p.file, p.file != nil
}

// load is the flow.Loader. It follows relative paths, aliases of tsconfig.json, imports of
// package.json and the names of packages in the directory; everything else is a package that is
// not read.
func (v *view) load(from, specifier string) (*parse.File, bool) {
	name, ours := v.t.resolve(from, specifier)
	if !ours {
		return nil, false
	}
	// The specifier means a file of the directory, and there is none.
	if name == "" {
		v.skip(specifier+", imported by "+from, "not found in the directory")
		return nil, true
	}
	f, _ := v.parse(name)
	return f, true
}

// gather adds the files and gaps of all views to the tree. No view reads any more.
func (t *tree) gather() {
	for _, v := range t.views {
		for name, f := range v.files {
			if f != nil {
				t.files[name] = f
			} else {
				t.missing[name] = true
			}
		}
		for what, why := range v.unread {
			t.skip(what, why)
		}
		t.bytes = max(t.bytes, v.bytes)
	}
}
