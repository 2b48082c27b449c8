// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

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
	w := walker{root: &root}
	for _, top := range w.forms(&root) {
		for _, name := range slices.Sorted(maps.Keys(top.Properties)) {
			forms := w.forms(top.Properties[name])
			if !slices.ContainsFunc(forms, (*node).isText) || !CodeName(name) {
				continue
			}
			description := t.Description
			for _, form := range forms {
				description += " " + form.Description
			}
			if name != "code" || strings.TrimSpace(description) == "" || runs.MatchString(t.Name+" "+description) {
				addresses = append(addresses, "/"+jsonpointer.Escape(name))
			}
		}
	}
	slices.Sort(addresses)
	return slices.Compact(addresses)
}
