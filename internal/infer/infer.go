// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package infer guesses what a tool's parameters are: paths, URLs, commands, SQL and so
// on, from their names, formats, descriptions and schemas. A guess is for servers that
// no policy speaks of, and for the first draft of a policy; it always says why.
package infer

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A Kind is what a parameter holds.
type Kind string

// The kinds. Each is the name of a demand as well.
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
	// Open: it is a time, in more forms than the one of RFC 3339.
	Open bool
}

// Bounds of what is looked at: a schema is untrusted, and its references may go round.
const (
	maxDepth      = 6
	maxParameters = 500
	maxNodes      = 50_000
)

// Tool guesses the parameters of a tool, in the order of their addresses. It returns nil
// for a tool whose schema cannot be read.
func Tool(t *call.Tool) []Guess {
	var root node
	if json.Unmarshal(t.InputSchema, &root) != nil {
		return nil
	}
	w := walker{
		tool:  strings.ToLower(t.Name + " " + t.Title + " " + firstSentence(t.Description)),
		about: Described(t.Description),
		root:  &root,
	}
	for w.object(object{node: &root}); len(w.later) > 0; {
		o := w.later[0]
		w.later = w.later[1:]
		w.object(o)
	}
	// Not by slices.SortFunc, whose code a program has once for each type: 12 kB.
	sort.Slice(w.guesses, func(i, j int) bool { return w.guesses[i].Address < w.guesses[j].Address })
	return w.guesses
}

type walker struct {
	tool    string            // the tool's name and description, in lower case
	about   map[string]string // its description's words on parameters, by name
	root    *node
	nodes   int      // that have been looked at, again and again
	later   []object // so that those further up are looked at first
	guesses []Guess
}

// An object is a schema with properties, or with alternatives that have some.
type object struct {
	node    *node
	address string
	depth   int
	list    string // the name of the parameter whose elements the schema describes: they may be lists in turn
}

func (w *walker) object(o object) {
	if o.depth > maxDepth {
		return
	}
	for _, form := range w.forms(o.node) {
		for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
			if len(w.guesses) >= maxParameters || w.nodes > maxNodes {
				return
			}
			w.parameter(name, form.Properties[name], o.address+"/"+check.EscapePointer(name), o.depth)
		}
		if o.list != "" && form.Items != nil {
			w.parameter(o.list, &node{Items: form.Items}, o.address, o.depth)
		}
	}
}

func (w *walker) parameter(name string, n *node, address string, depth int) {
	forms := w.forms(n)
	p := parameter{name: name, words: words(name), tool: w.tool}
	for _, form := range forms {
		p.description = strings.ToLower(cmp.Or(p.description, form.Description))
		p.values = append(p.values, form.values()...)
	}
	if p.description == "" && depth == 0 {
		p.description = strings.ToLower(w.about[name])
	}
	text := false
	for _, form := range forms {
		if text = form.isText(); text {
			p.format = form.Format
			w.guess(p, address)
			break
		}
		items := w.forms(form.Items)
		if i := slices.IndexFunc(items, (*node).isText); i >= 0 {
			p.format, text = items[i].Format, true
			at := address
			if len(p.words) > 0 && p.words[len(p.words)-1] == "commands" {
				at += "/*" // each is a line; the words of one command are "command" or "args"
			}
			w.guess(p, at)
			break
		}
	}
	if !text || slices.ContainsFunc(forms, (*node).holds) { // strings may stand beside objects
		w.later = append(w.later, object{n, address, depth + 1, ""})
	}
	for _, form := range forms {
		if form.Items != nil && (!text || slices.ContainsFunc(w.forms(form.Items), (*node).holds)) {
			w.later = append(w.later, object{form.Items, address + "/*", depth + 1, name})
		}
	}
}

func (w *walker) guess(p parameter, address string) {
	kind, reason := classify(p)
	if kind == "" || slices.ContainsFunc(w.guesses, func(g Guess) bool { return g.Address == address }) {
		return
	}
	open := kind == Time && formats[p.format] != Time && (!instant.MatchString(p.description) || day.MatchString(p.description))
	w.guesses = append(w.guesses, Guess{Address: address, Kind: kind, Reason: reason, Open: open})
}
