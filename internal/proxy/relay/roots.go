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

// maxAsked bounds the server's open requests for roots.
const maxAsked = 100

// roots overhears the directories to which the client confines the server (MCP, client/roots).
// The proxy never asks for them itself: a server that does not ask does not honor them, so its
// calls may rightly lead elsewhere.
type roots struct {
	mu   sync.Mutex
	open map[string]bool // the server's open requests, by id
}

// asked notes a request for the roots.
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

// answered returns the roots in a client's answer. It reports whether the answer is to a
// request for roots.
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

// directoryOf returns the absolute local path of a file URI, or "".
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
