// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A node is the part of a schema that a guess rests on.
type node struct {
	Ref         string `json:"$ref"`
	Type        types
	Format      string
	Description string
	Enum        []any
	Const       any
	Default     any
	Examples    []any
	Properties  map[string]*node
	Items       *node
	AnyOf       []*node
	OneOf       []*node
	AllOf       []*node
	Defs        map[string]*node `json:"$defs"`
	Definitions map[string]*node
}

// UnmarshalJSON reads a schema; a boolean schema says nothing, and neither does one with
// malformed members.
func (n *node) UnmarshalJSON(data []byte) error {
	type plain node
	_ = json.Unmarshal(data, (*plain)(n))
	return nil
}

// types is one type or several.
type types []string

func (t *types) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = types{one}
		return nil
	}
	var many []string
	_ = json.Unmarshal(data, &many)
	*t = many
	return nil
}

// isText reports whether a parameter takes any string: a choice of strings is judged
// already.
func (n *node) isText() bool {
	return slices.Contains(n.Type, "string") && len(n.Enum) == 0 && n.Const == nil
}

// holds reports whether a schema describes members or elements.
func (n *node) holds() bool { return len(n.Properties) > 0 || n.Items != nil }

// values are strings that a schema gives as examples, or in lists of examples.
func (n *node) values() []string {
	var list []string
	for _, v := range append(n.Examples, n.Default) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, e := range v {
				if s, ok := e.(string); ok {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// forms are a schema and the alternatives that it names, in itself or in the definitions
// of the root. Nil has none.
func (w *walker) forms(n *node) []*node {
	if n = w.resolve(n); n == nil || w.nodes > maxNodes {
		return nil
	}
	forms := []*node{n}
	alternatives := slices.Concat(n.AnyOf, n.OneOf, n.AllOf)
	w.nodes += 1 + len(alternatives)
	for _, alternative := range alternatives {
		if alternative = w.resolve(alternative); alternative != nil {
			forms = append(forms, alternative)
		}
	}
	return forms
}

// maxRefs bounds how many references are followed one after the other.
const maxRefs = 8

// resolve follows a reference to a definition. Keywords beside it are left out of account, but
// for a description.
func (w *walker) resolve(n *node) *node {
	for range maxRefs {
		if n == nil || n.Ref == "" {
			return n
		}
		target := w.root.Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
		if target == nil {
			target = w.root.Definitions[strings.TrimPrefix(n.Ref, "#/definitions/")]
		}
		if target != nil && n.Description != "" {
			described := *target
			described.Description = n.Description
			target = &described
		}
		n = target
	}
	return nil
}

// aboutParameter matches a line about a parameter in a description made from a function's
// comment: "path: the file to read", "- path (str): …".
var aboutParameter = lazyregexp.New("(?m)^[ \\t]*(?:[-*•][ \\t]*)?[\"'`*]*([A-Za-z_][A-Za-z0-9_]*)[\"'`*]*[ \\t]*(?:\\([^)\\n]*\\))?[ \\t]*:[ \\t]+(\\S.*)$")

// Described is what a tool's description says of parameters, by name, as the comments of functions do:
// "path: the file to read".
func Described(description string) map[string]string {
	about := map[string]string{}
	for _, m := range aboutParameter.FindAllStringSubmatch(description, maxParameters) {
		if about[m[1]] == "" {
			about[m[1]] = m[2]
		}
	}
	return about
}

func firstSentence(s string) string {
	if i := strings.IndexAny(s, ".\n"); i >= 0 {
		return s[:i]
	}
	return s
}
