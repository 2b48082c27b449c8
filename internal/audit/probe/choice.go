// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// needed finds the purpose of a parameter in its description: "required for request action".
var needed = lazyregexp.New(`(?i)\b(required|needed|mandatory|must be (?:set|given|provided)) (?:for|when|if|with|by|in|to)\b([^.;)]*)`)

// suit makes a tool do the thing that a parameter is needed for: if the description names a choice of another
// parameter, it takes that choice.
func (u *tool) suit(object map[string]any, p parameter) {
	m := needed.FindStringSubmatch(p.description)
	if m == nil {
		return
	}
	properties, _ := u.schema["properties"].(map[string]any)
	for _, q := range u.closed {
		form, _ := u.resolve(properties[q.name])
		for _, value := range stringsOf(form["enum"]) {
			if q.pointer != p.pointer && mentions(m[2], value) {
				object[q.name] = value
				break
			}
		}
	}
}

// wanted are the parameters needed for the choices made, sorted, although the schema does not require them.
func (u *tool) wanted(object map[string]any) []string {
	properties, _ := u.schema["properties"].(map[string]any)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		form, ok := u.resolve(properties[name])
		said, _ := form["description"].(string)
		m := needed.FindStringSubmatch(said)
		if _, there := object[name]; there || !ok || m == nil {
			continue
		}
		if slices.ContainsFunc(u.closed, func(q parameter) bool { v, _ := object[q.name].(string); return v != "" && mentions(m[2], v) }) {
			list = append(list, name)
		}
	}
	return list
}

// mentions reports whether a value occurs in a text as a word.
func mentions(text, value string) bool {
	return slices.Contains(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,'\"`=:/()|", r) }), strings.ToLower(value))
}

// choice tries a parameter with a list of values, if the server does not enforce the list: it is like any other then. A value that is in no list and
// turns up behind the server shows that, whatever the answer says.
func (a *auditor) choice(ctx context.Context, t *tool, p parameter) {
	arrived := a.session != nil && a.session.box != nil && a.arrives(ctx, t, p)
	r := a.call(ctx, t, t.sample(a.world, setting{p, "audit" + token()}))
	if !arrived && (r.failed != "" || !r.ok() && (r.refused != nil || validationError.MatchString(r.text))) {
		return
	}
	if t.names(p) {
		a.path(ctx, t, p)
	}
	if arrived {
		a.marks(ctx, t, p)
	}
	a.command(ctx, t, p)
}

// makerName finds names of parameters that may become the name of a file or directory, although
// nothing says so.
var makerName = lazyregexp.New(`(?i)(name|category|slug|id|key|title|label|tag|section|module|feature|spec|branch|version|topic|project)$`)

// makes reports whether a tool makes a file or a directory with the name in a parameter.
func (a *auditor) makes(ctx context.Context, t *tool, p parameter) bool {
	if t.readOnly || !makerName.MatchString(p.name) {
		return false
	}
	name := "new" + token()
	a.call(ctx, t, t.sample(a.world, setting{p, name}))
	return a.session != nil && a.session.named(name)
}
