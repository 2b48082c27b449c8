// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"encoding/json"
	"net/url"
	"path/filepath"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// rootsOf returns the directories to which the client confines the server (MCP, client/roots), from its
// answer to a request of the server. The proxy never asks for them itself: a server that does not ask
// does not honor them, so its calls may rightly lead elsewhere.
func rootsOf(result json.RawMessage, limits call.Limits) (dirs []string, ok bool) {
	var list []struct {
		URI string `json:"uri"`
	}
	if result == nil || json.Unmarshal(splice.Get(result, limits, "roots"), &list) != nil {
		return nil, false
	}
	for _, root := range list {
		if dir := directoryOf(root.URI); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs, true
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
