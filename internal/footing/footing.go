// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package footing remembers what the findings of a dry run rest on.
package footing

import (
	"maps"
	"sync"

	"github.com/toolvet/toolvet/internal/machine/filestate"
)

// A Footing records what findings depend on besides the call, its session and the policy: files
// and the time. It tells whether they still hold. The zero Footing is ready, and it may be used
// concurrently.
type Footing struct {
	mu       sync.Mutex
	fleeting bool
	files    map[string]filestate.State // as they were before a check looked at them
}

// maxFiles bounds the files that a Footing remembers. Findings about more files are fleeting.
const maxFiles = 256

// Loosen marks the findings as valid for the moment only.
func (f *Footing) Loosen() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fleeting = true
}

// Fleeting reports whether what was found holds for the moment only.
func (f *Footing) Fleeting() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fleeting
}

// Files is the number of paths that the findings rest on.
func (f *Footing) Files() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.files)
}

// Holds looks at the files again and reports whether they are as they were. It waits as long
// as the file system does.
func (f *Footing) Holds() bool {
	f.mu.Lock()
	files, fleeting := maps.Clone(f.files), f.fleeting
	f.mu.Unlock()
	if fleeting {
		return false
	}
	for path, before := range files {
		if filestate.Of(path) != before {
			return false
		}
	}
	return true
}

// Depends remembers what lies at a path.
func (f *Footing) Depends(path string) {
	if !f.lacks(path) {
		return
	}
	state := filestate.Of(path) // without the lock: it may take its time
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fleeting = f.fleeting || !state.Known()
	if _, known := f.files[path]; !known { // the first look counts: what follows may have changed
		f.files[path] = state
	}
}

// lacks reports whether a path must be looked at.
func (f *Footing) lacks(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files == nil {
		f.files = map[string]filestate.State{}
	}
	_, known := f.files[path]
	f.fleeting = f.fleeting || !known && len(f.files) >= maxFiles
	return !known && !f.fleeting
}
