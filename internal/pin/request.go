// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// asked is what a request names.
type asked struct {
	prompts   []string
	templates []string // to complete an argument of
	uris      []string // to read or watch
}

func askedBy(c *call.Call) asked {
	var a asked
	switch {
	case c.FromServer:
	case c.Method == "prompts/get":
		a.prompts = []string{text(c.Arguments["name"])}
	case c.Method == "completion/complete":
		ref, _ := c.Arguments["ref"].(map[string]any)
		// Some servers look at the type of the reference, others at its members.
		if _, ok := ref["name"]; ok || ref["type"] == "ref/prompt" {
			a.prompts = []string{text(ref["name"])}
		}
		if _, ok := ref["uri"]; ok || ref["type"] == "ref/resource" {
			a.templates = []string{text(ref["uri"])}
		}
	case c.Method == "resources/read", c.Method == "resources/subscribe":
		a.uris = []string{text(c.Arguments["uri"])}
	case c.Method == subscriptions:
		wanted, _ := c.Arguments["notifications"].(map[string]any)
		uris, _ := wanted["resourceSubscriptions"].([]any)
		for _, uri := range uris {
			a.uris = append(a.uris, text(uri))
		}
	}
	return a
}

// subscriptions asks to be told of resources. The Gate judges each of them by itself, and the request names the lists that this takes.
const subscriptions = "subscriptions/listen"

// text returns a string, or "" for what no server takes for a name.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// NewNeeds returns a function that tells which lists the check must see to judge a request: those that the
// lock pins and that the request names an entry of.
func NewNeeds(lock *Lock, o Options) func(*call.Call) []string {
	return func(c *call.Call) []string {
		if lock == nil || c.IsTool() {
			return nil
		}
		a := askedBy(c)
		named := map[string]bool{
			listed.Prompts:   len(a.prompts) > 0,
			listed.Templates: len(a.templates)+len(a.uris) > 0,
			listed.Resources: len(a.templates)+len(a.uris) > 0,
		}
		var lists []string
		for _, list := range allLists {
			if named[list] && lock.Pins(list, o.server(c)) {
				lists = append(lists, list)
			}
		}
		return lists
	}
}

// request judges a request other than tools/call.
func (c checker) request(pass *check.Pass) {
	if pass.Call.Method == subscriptions {
		return
	}
	for _, list := range NewNeeds(c.lock, c.options)(pass.Call) {
		if pass.Call.Listed[list] == nil {
			pass.Report(check.Finding{
				Severity: c.options.Changed,
				Message:  "the server's list of " + nouns[list] + "s cannot be read, so it cannot be compared with the lock",
			})
			return
		}
	}
	type words struct {
		severity check.Severity
		message  string
	}
	said := map[words]bool{}
	for _, change := range c.changes(pass.Call) {
		f := c.finding(change)
		if key := (words{f.Severity, f.Message}); !said[key] { // many templates may give a URI
			said[key] = true
			pass.Report(f)
		}
	}
}

// changes returns how what a request names differs from the lock.
func (c checker) changes(r *call.Call) []*Change {
	a, server := askedBy(r), c.options.server(r)
	var changes []*Change
	in := func(list string) *entries {
		return &entries{lock: c.lock, list: list, server: server, listed: r.Listed[list]}
	}
	if prompts := in(listed.Prompts); prompts.pinned() {
		for _, name := range a.prompts {
			changes = prompts.differ(changes, name)
		}
	}
	for _, uri := range a.templates {
		changes = append(changes, c.given(uri, true, in(listed.Templates), in(listed.Resources))...)
	}
	for _, uri := range a.uris {
		changes = append(changes, c.given(uri, false, in(listed.Templates), in(listed.Resources))...)
	}
	return changes
}

// given returns how the templates and resources that give a URI differ from the lock. With completion, the
// URI may be that of a template itself. A URI that nothing gives is unknown where the lock holds all that
// could give it.
func (c checker) given(uri string, completion bool, templates, resources *entries) []*Change {
	var changes []*Change
	found := false
	if templates.pinned() {
		for _, name := range templates.names() {
			if name == uri || gives(name, uri) {
				found, changes = true, templates.differ(changes, name)
			}
		}
	}
	if resources.pinned() {
		for _, name := range resources.names() {
			if plain(name) == plain(uri) {
				found, changes = true, resources.differ(changes, name)
			}
		}
	}
	switch {
	case found:
	case resources.pinned() && templates.pinned():
		changes = append(changes, &Change{List: listName(listed.Resources), Tool: uri, Kind: Added})
	case completion && templates.pinned():
		changes = append(changes, &Change{List: listName(listed.Templates), Tool: uri, Kind: Added})
	}
	return changes
}

// entries are those of a list of a server, in the lock and as the server lists them now.
type entries struct {
	lock         *Lock
	list, server string
	listed       *call.Catalog
}

func (e *entries) pinned() bool { return e.lock.Pins(e.list, e.server) }

// names are those of all entries, locked or listed.
func (e *entries) names() []string {
	all := maps.Clone(e.lock.lists[e.list][e.server])
	if all == nil {
		all = map[string]*pinned{}
	}
	for _, name := range e.listed.Names() {
		all[name] = nil
	}
	return slices.Sorted(maps.Keys(all))
}

// differ adds the change of an entry to changes, if there is one.
func (e *entries) differ(changes []*Change, name string) []*Change {
	t := e.listed.Tool(name)
	var change *Change
	switch {
	case t != nil:
		change = e.lock.VerifyEntry(e.list, e.server, t)
	case e.lock.lists[e.list][e.server][name] != nil:
		change = &Change{List: listName(e.list), Tool: name, Kind: Removed}
	default:
		change = &Change{List: listName(e.list), Tool: name, Kind: Added}
	}
	if change == nil {
		return changes
	}
	return append(changes, change)
}

var expression = lazyregexp.New(`\{[^{}]*\}`)

// gives reports whether a template (RFC 6570) may give a URI. Servers read templates in different ways, so
// an expression stands for any text here.
func gives(template, uri string) bool {
	uri = plain(uri)
	pieces := expression.Split(template, -1)
	for i := range pieces {
		pieces[i] = plain(pieces[i])
	}
	last := len(pieces) - 1
	if last == 0 {
		return uri == pieces[0]
	}
	rest, ok := strings.CutPrefix(uri, pieces[0])
	if !ok {
		return false
	}
	for _, piece := range pieces[1:last] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, pieces[last])
}

// plain returns a URI without differences that a server may not see: case, and escapes.
func plain(uri string) string {
	if unescaped, err := url.PathUnescape(uri); err == nil {
		uri = unescaped
	}
	return strings.ToLower(uri)
}
