// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/api"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Bounds of the look at a schema, which is untrusted.
const (
	maxParameters = 40  // of one tool
	maxBeyond     = 400 // parameters known to be too many
	maxNesting    = 5
	maxVisited    = 20_000 // properties: a schema may lead in circles
	maxItems      = 3
)

// A tool is a tool of the server, with the knowledge of its parameters.
type tool struct {
	*call.Tool
	schema      map[string]any
	required    []string // at the top
	missed      []string // at the top, too: asked for by the tool and not by its schema
	readOnly    bool     // its own claim; it only decides the order
	destructive bool
	parameters  []parameter
	closed      []parameter    // with a list of values, at the top
	discovered  bool           // its parameters are not published
	relative    bool           // it wants paths below the root
	base        string         // it wants paths below this directory in place of the root
	settles     bool           // it sets the server's place of work
	steered     map[string]any // values at the top with which a parameter takes effect; of a copy for one unit

	beyond  []parameter // too many to be tried, as far as they were counted
	visited int         // properties
	cut     bool        // there are more, deeper or behind too many
}

// A parameter is a place in the arguments for any string.
type parameter struct {
	pointer     string // with * for an element of an array
	name        string
	description string
	pattern     string
	kind        infer.Kind // a guess; "": nothing is known
	many        bool       // an array of strings
	required    bool
	suspected   []audit.Class // by the server's code
}

// suspects reports whether the parameter is suspected of a weakness of a class.
func (p *parameter) suspects(c audit.Class) bool { return slices.Contains(p.suspected, c) }

// suspect marks suspected parameters. If there are too many parameters, they take the places of others.
func (u *tool) suspect(cells []audit.Cell) {
	for _, list := range [][]parameter{u.parameters, u.beyond, u.closed} {
		for i := range list {
			p := &list[i]
			for _, c := range cells {
				if c == whole(u, c.Class) || c == cell(u, *p, c.Class) {
					if !p.suspects(c.Class) {
						p.suspected = append(p.suspected, c.Class)
					}
				}
			}
		}
	}
	last := len(u.parameters) - 1
	for i := range u.beyond {
		for last >= 0 && len(u.parameters[last].suspected) > 0 {
			last--
		}
		if last >= 0 && len(u.beyond[i].suspected) > 0 {
			u.beyond[i], u.parameters[last] = u.parameters[last], u.beyond[i]
		}
	}
}

var destructiveName = lazyregexp.New(`(?i)(^|[_\-.]|[a-z])(delete|remove|kill|drop|format|destroy|purge|wipe|reset|shutdown|uninstall|terminate|erase|truncate)([_\-.A-Z]|$)`)

// understand reads a tool's definition.
func understand(t *call.Tool) *tool {
	u := &tool{Tool: t, destructive: destructiveName.MatchString(t.Name)}
	_ = json.Unmarshal(t.InputSchema, &u.schema) // a schema that cannot be read has no parameters
	var raw struct {
		Annotations struct {
			ReadOnlyHint    bool
			DestructiveHint *bool
		}
	}
	if json.Unmarshal(t.Raw, &raw) == nil {
		u.readOnly = raw.Annotations.ReadOnlyHint
		// The default of destructiveHint is true, so only an explicit hint counts. A claim to be
		// read-only does not count against the tool's name.
		if d := raw.Annotations.DestructiveHint; d != nil && *d && !u.readOnly && !writesOnly(t.Name) {
			u.destructive = true
		}
	}
	u.required = stringsOf(u.schema["required"])
	kinds := map[string]infer.Kind{}
	for _, g := range infer.Tool(t) {
		kinds[g.Address] = g.Kind
	}
	u.collect(u.schema, "", 0, true, kinds)
	return u
}

// writesOnly reports whether a tool with a destructive hint only overwrites files: this is
// probed, in a world with nothing to lose.
func writesOnly(name string) bool {
	return regexp.MustCompile(`(?i)(write|edit|create|move|save|append|update|copy|rename)`).MatchString(name)
}

func stringsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func (u *tool) collect(schema map[string]any, at string, depth int, required bool, kinds map[string]infer.Kind) {
	properties, _ := schema["properties"].(map[string]any)
	must := stringsOf(schema["required"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if u.visited++; depth > maxNesting || u.visited > maxVisited || len(u.beyond) >= maxBeyond {
			u.cut = true
			return
		}
		pointer := at + "/" + check.EscapePointer(name)
		needed := required && slices.Contains(must, name)
		forms := u.forms(properties[name])
		p := parameter{pointer: pointer, name: name, kind: kinds[pointer], required: needed, description: describe(forms)}
		if depth == 0 {
			p.description = cmp.Or(p.description, infer.Described(u.Description)[name])
		}
		for _, form := range forms {
			if u.leaf(form, p) || depth == 0 && u.choice(form, p) {
				break
			}
			u.collect(form, pointer, depth+1, needed, kinds)
			for _, item := range u.forms(form["items"]) {
				u.collect(item, pointer+"/*", depth+1, needed, kinds)
			}
		}
	}
}

// describe is the first description among a parameter's forms.
func describe(forms []map[string]any) string {
	for _, form := range forms {
		if said, _ := form["description"].(string); said != "" {
			return said
		}
	}
	return ""
}

// leaf notes a parameter for strings, or for a list of them.
func (u *tool) leaf(form map[string]any, p parameter) bool {
	p.pattern, _ = form["pattern"].(string)
	if !isText(form) {
		i := slices.IndexFunc(u.forms(form["items"]), isText)
		if i < 0 {
			return false
		}
		p.many = true
	}
	p.kind = cmp.Or(p.kind, u.likely(p))
	if len(u.parameters) < maxParameters {
		u.parameters = append(u.parameters, p)
	} else {
		u.beyond = append(u.beyond, p)
	}
	return true
}

// maxClosed bounds the parameters of a tool with a list of values to try.
const maxClosed = 10

// choice notes a parameter with a list of strings as its values.
func (u *tool) choice(form map[string]any, p parameter) bool {
	if list := stringsOf(form["enum"]); len(list) == 0 || !hasType(form, "string") || len(u.closed) >= maxClosed {
		return false
	}
	u.closed = append(u.closed, p)
	return true
}

// isText reports whether any string fits.
func isText(form map[string]any) bool {
	_, enum := form["enum"]
	_, constant := form["const"]
	return !enum && !constant && hasType(form, "string")
}

func hasType(form map[string]any, want string) bool {
	one, _ := form["type"].(string)
	return one == want || slices.Contains(stringsOf(form["type"]), want)
}

// forms are a schema and its alternatives, with references to definitions followed.
func (u *tool) forms(v any) []map[string]any {
	form, ok := u.resolve(v)
	if !ok {
		return nil
	}
	list := []map[string]any{form}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		alternatives, _ := form[key].([]any)
		for _, a := range alternatives[:min(len(alternatives), 20)] {
			if f, ok := u.resolve(a); ok {
				list = append(list, f)
			}
		}
	}
	return list
}

func (u *tool) resolve(v any) (map[string]any, bool) {
	form, ok := v.(map[string]any)
	for range 8 {
		ref, has := form["$ref"].(string)
		if !ok || !has {
			return form, ok
		}
		where, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/"), "/")
		definitions, _ := u.schema[where].(map[string]any)
		form, ok = definitions[name].(map[string]any)
	}
	return nil, false
}

// sample makes acceptable arguments: the required ones, in the form of the schema, and those in
// set.
func (u *tool) sample(w *world, set ...setting) map[string]any {
	object := u.object(u.schema, w, 0)
	properties, _ := u.schema["properties"].(map[string]any)
	for _, name := range u.missed {
		object[name] = u.value(properties[name], name, w, 1)
	}
	for _, s := range set {
		u.suit(object, s.p)
	}
	for name, value := range u.steered {
		object[name] = value
	}
	for _, name := range u.wanted(object) {
		object[name] = u.value(properties[name], name, w, 1)
	}
	for _, s := range set {
		u.put(object, s, w)
	}
	return object
}

// A setting is a value at a pointer.
type setting struct {
	p     parameter
	value any
}

func (u *tool) object(schema map[string]any, w *world, depth int) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range stringsOf(schema["required"]) {
		object[name] = u.value(properties[name], name, w, depth+1)
	}
	return object
}

// value is an acceptable value for a schema.
func (u *tool) value(v any, name string, w *world, depth int) any {
	form, ok := u.resolve(v)
	if !ok || depth > maxNesting {
		return "audit"
	}
	if c, ok := form["const"]; ok {
		return c
	}
	for _, key := range []string{"enum", "examples"} {
		if list, _ := form[key].([]any); len(list) > 0 {
			return list[0]
		}
	}
	if d, ok := form["default"]; ok && d != nil {
		return d
	}
	switch {
	case hasType(form, "string"):
		return u.text(form, name, w)
	case hasType(form, "integer"), hasType(form, "number"):
		return api.Number(form)
	case hasType(form, "boolean"):
		return false
	case hasType(form, "array"):
		least, _ := form["minItems"].(float64)
		list := []any{}
		for range min(max(int(least), 1), maxItems) {
			list = append(list, u.value(form["items"], name, w, depth+1))
		}
		return list
	}
	for _, alternative := range u.forms(form)[1:] {
		return u.value(alternative, name, w, depth+1)
	}
	return u.object(form, w, depth)
}

// databaseName finds parameters for the file of a database.
var databaseName = lazyregexp.New(`(?i)^(db|database|sqlite)s?([_-]?(path|file|filename|file_?path))?$`)

// aboutDatabase finds tools and parameters of files that are databases.
var aboutDatabase = lazyregexp.New(`(?i)(^|[^a-z])(sqlite3?|database|db)([^a-z]|$)|Database`)

// patternName finds parameters for patterns of names to list.
var patternName = lazyregexp.New(`(?i)(^|_)(patterns?|glob)$`)

func (u *tool) text(form map[string]any, name string, w *world) string {
	format, _ := form["format"].(string)
	if v := api.Format(format); v != "" {
		return v
	}
	line := false
	for _, p := range u.parameters {
		if p.name != name {
			continue
		}
		switch {
		case u.moves(p) && arrive.MatchString(p.name):
			return w.inside("root", "new"+token()+".txt")
		case u.moves(p):
			return w.inside("root", insideName+".txt")
		}
		switch p.kind {
		case infer.Glob:
			return "**/*"
		case infer.Regex:
			return "."
		case infer.Path:
			if u.takesDirectory(p) {
				return u.place(w, true)
			}
			if databaseName.MatchString(p.name) || aboutDatabase.MatchString(u.Name+" "+p.description) {
				return w.inside("root", databaseFile)
			}
			if u.relative || saysRelative.MatchString(p.description) && !saysAbsolute.MatchString(p.description) {
				return insideName + ".txt"
			}
			return u.place(w, false)
		case infer.URL:
			return p.publicPage()
		case infer.Command:
			line = true
		}
	}
	if said, _ := form["description"].(string); said != "" {
		if list := choicesIn(said); len(list) > 0 {
			return list[0]
		}
	}
	if _, ok := form["pattern"]; !ok && patternName.MatchString(name) {
		return "**/*"
	}
	if _, ok := form["pattern"]; !ok && line {
		return harmlessCommand
	}
	return api.Text(form)
}

// harmlessCommand is one that exists, and that lists of permitted programs have.
const harmlessCommand = "ls"

var (
	saysRelative = lazyregexp.New(`(?i)\brelative (to|path)\b`)
	saysAbsolute = lazyregexp.New(`(?i)\babsolute\b`)
)

// put sets a value, and makes the objects on the way to it.
func (u *tool) put(object map[string]any, s setting, w *world) {
	steps := strings.Split(strings.TrimPrefix(s.p.pointer, "/"), "/")
	schema := u.schema
	for i, step := range steps {
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		properties, _ := schema["properties"].(map[string]any)
		if i == len(steps)-1 {
			object[name] = s.value
			if s.p.many {
				object[name] = []any{s.value}
			}
			return
		}
		next := u.container(properties[name])
		if steps[i+1] == "*" {
			item := u.container(next["items"])
			element := u.object(item, w, i)
			if list, ok := object[name].([]any); ok && len(list) > 0 {
				if first, ok := list[0].(map[string]any); ok {
					element = first
				}
			}
			object[name] = []any{element}
			rest := s
			rest.p.pointer = "/" + strings.Join(steps[i+2:], "/")
			inner := *u
			inner.schema = map[string]any{"properties": item["properties"], "$defs": u.schema["$defs"], "definitions": u.schema["definitions"]}
			inner.put(element, rest, w)
			return
		}
		child, ok := object[name].(map[string]any)
		if !ok {
			child = u.object(next, w, i)
			object[name] = child
		}
		object, schema = child, next
	}
}

// container is the form of a schema with members or elements.
func (u *tool) container(v any) map[string]any {
	for _, form := range u.forms(v) {
		if form["properties"] != nil || form["items"] != nil {
			return form
		}
	}
	return nil
}
