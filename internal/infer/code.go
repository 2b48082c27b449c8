// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jsonpointer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

var (
	codeName = lazyregexp.New(`(?i)^(code|script|snippet|code_?snippet|(source|python|js|javascript|shell|bash)_?(code|script))$`)
	// runs matches words of tools that run code. A code may also be one of a country, an error or a currency.
	runs = lazyregexp.New(`(?i)(^|[^a-z])(run|exec|eval|interpret|sandbox|repl($|[^a-z])|script|python|javascript|shell)`)
)

// CodeName reports whether a parameter has the name of one for code.
func CodeName(name string) bool { return codeName.MatchString(name) }

// Code returns the addresses of a tool's arguments for code that it seems to run. A tool without a description is judged by their names alone.
func Code(t *call.Tool) (addresses []string) {
	var root node
	if json.Unmarshal(t.InputSchema, &root) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		n := root.Properties[name]
		if n == nil || !n.isText() || !CodeName(name) {
			continue
		}
		if name != "code" || t.Description+n.Description == "" || runs.MatchString(t.Name+" "+t.Description+" "+n.Description) {
			addresses = append(addresses, "/"+jsonpointer.Escape(name))
		}
	}
	return addresses
}
