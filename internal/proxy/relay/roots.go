// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// maxAsked bounds the questions for roots that the client has not answered yet.
const maxAsked = 100

// roots overhears which directories the client tells the server to keep to (MCP,
// client/roots). The proxy asks for none itself: a server that does not ask does not keep
// to them, so its calls may rightly lead elsewhere.
type roots struct {
	mu   sync.Mutex
	open map[string]bool // requests of the server that the client has not answered, by id
}

// asked notes that the server asks for the roots.
func (r *roots) asked(id json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[string]bool{}
	}
	if id != nil && len(r.open) < maxAsked {
		r.open[call.IDKey(id)] = true
	}
}

// answered returns the roots that the client answers with. It reports whether the answer is
// about them.
func (r *roots) answered(m call.Envelope, limits call.Limits) (dirs []string, ok bool) {
	if !r.isOpen(m.ID) || m.Result == nil {
		return nil, false
	}
	var list []struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(splice.Get(m.Result, limits, "roots"), &list) != nil {
		return nil, false
	}
	for _, root := range list {
		if dir := directoryOf(root.URI); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs, true
}

func (r *roots) isOpen(id json.RawMessage) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := call.IDKey(id)
	open := r.open[key]
	delete(r.open, key)
	return open
}

// directoryOf is the absolute path that a file URI names on this machine, or "".
func directoryOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	dir := filepath.FromSlash(u.Path)
	if len(u.Path) > 2 && u.Path[0] == '/' && filepath.VolumeName(dir[1:]) != "" {
		dir = dir[1:] // file:///C:/work on Windows
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}
