// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "github.com/toolvet/toolvet/internal/audit"

// fileMethods are methods that write a file at their first argument, known by their names alone:
// of browsers, images and archives.
var fileMethods = map[string]bool{"saveAs": true, "toFile": true, "extractAllTo": true, "addLocalFile": true, "addLocalFolder": true}

// pathOptions are methods of a browser's pages that write a file if an option names one.
var pathOptions = map[string]bool{"screenshot": true, "pdf": true}

// method judges a call of a method whose object is unknown. These names are rare enough for their
// purpose; other objects with such a method would give a wrong weakness, so the list is short.
func (sk *sinks) method(key string, args []Value, at position) {
	if sk.turn.handler == nil || sk.probes.on || len(args) == 0 {
		return
	}
	switch {
	case key == "goto":
		sk.url("page.goto", args[0], 0, at, true)
	case key == "parseURL", key == "fromURL":
		sk.url(key, args[0], 0, at, false)
	case fileMethods[key]:
		sk.path(key, args[0], at, audit.Suspected)
	case pathOptions[key]:
		for _, a := range args[0] {
			if a.kind == isObject && a.obj.call == nil {
				sk.path(key, a.obj.own("path"), at, audit.Traced)
			}
		}
	}
}
