// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package infer guesses what a tool's parameters are: paths, URLs, commands, SQL and so
// on, from their names, formats, descriptions and schemas. A guess is for servers that
// no policy speaks of, and for the first draft of a policy; it always says why.
package infer

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A Kind is what a parameter holds.
type Kind string

// The kinds. Each is the name of a rule as well.
const (
	Path    Kind = "path"
	URL     Kind = "url"
	Command Kind = "command"
	SQL     Kind = "sql"
	Cron    Kind = "cron"
	Glob    Kind = "glob"
	Regex   Kind = "regex"
	Email   Kind = "email"
	Time    Kind = "time"
)

// A Guess is one parameter and what it probably holds.
type Guess struct {
	Address string // JSON Pointer; a step * stands for every element of an array
	Kind    Kind
	Reason  string // such as: named "filePath"
}

// Bounds of what is looked at: a schema is untrusted.
const (
	maxDepth      = 6
	maxParameters = 500
)

// Tool guesses the parameters of a tool, in the order of their addresses. It returns nil
// for a tool whose schema cannot be read.
func Tool(t *call.Tool) []Guess {
	var root node
	if json.Unmarshal(t.InputSchema, &root) != nil {
		return nil
	}
	w := walker{tool: strings.ToLower(t.Name + " " + t.Title + " " + firstSentence(t.Description))}
	w.object(&root, "", 0)
	return w.guesses
}

// A node is the part of a schema that a guess rests on.
type node struct {
	Type        types
	Format      string
	Description string
	Enum        []any
	Const       any
	Properties  map[string]*node
	Items       *node
	AnyOf       []*node
	OneOf       []*node
}

// UnmarshalJSON reads a schema; a boolean one says nothing, and neither does one whose
// members are not what they should be.
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

type walker struct {
	tool    string // what the tool says of itself, in lower case
	guesses []Guess
}

func (w *walker) object(n *node, address string, depth int) {
	if n == nil || depth > maxDepth {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		if len(w.guesses) >= maxParameters {
			return
		}
		w.parameter(name, n.Properties[name], address+"/"+check.EscapePointer(name), depth)
	}
}

func (w *walker) parameter(name string, n *node, address string, depth int) {
	if n == nil {
		return
	}
	p := parameter{name: name, words: words(name), description: strings.ToLower(n.Description), tool: w.tool}
	for _, form := range n.forms() {
		switch {
		case form.isString() && len(form.Enum) == 0 && form.Const == nil:
			p.format = form.Format
			w.guess(p, address)
			return
		case form.Items != nil && form.Items.isString() && len(form.Items.Enum) == 0:
			p.format, p.many = form.Items.Format, true
			w.guess(p, address)
			return
		case form.Items != nil:
			w.object(form.Items, address+"/*", depth+1)
		default:
			w.object(form, address, depth+1)
		}
	}
}

// forms are the alternatives that a parameter may take.
func (n *node) forms() []*node {
	forms := []*node{n}
	for _, alternative := range slices.Concat(n.AnyOf, n.OneOf) {
		if alternative != nil {
			forms = append(forms, alternative)
		}
	}
	return forms
}

func (n *node) isString() bool { return slices.Contains(n.Type, "string") }

func (w *walker) guess(p parameter, address string) {
	kind, reason := classify(p)
	if kind == "" {
		return
	}
	w.guesses = append(w.guesses, Guess{Address: address, Kind: kind, Reason: reason})
}

func firstSentence(s string) string {
	if i := strings.IndexAny(s, ".\n"); i >= 0 {
		return s[:i]
	}
	return s
}
