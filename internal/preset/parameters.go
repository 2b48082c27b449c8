// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/identifier"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
)

// A stringParameter is one that takes a string, or strings.
type stringParameter struct {
	name, address string
	cell          bool // it is in a list of lists
}

// Bounds of what is looked at: a schema is untrusted.
const (
	maxDepth      = 6
	maxParameters = 500
)

// A node is the part of a schema that stringParameters looks at. A malformed schema says nothing.
type node struct {
	Type, Enum json.RawMessage
	Properties map[string]json.RawMessage
	Items      json.RawMessage
	AnyOf      []json.RawMessage
}

// stringParameters lists parameters in the order of their addresses.
func stringParameters(schema []byte) []stringParameter {
	var list []stringParameter
	var object func(raw []byte, address string, depth int)
	var value func(name string, raw []byte, address string, depth int, cell bool)
	object = func(raw []byte, address string, depth int) {
		var n node
		if json.Unmarshal(raw, &n) != nil || depth > maxDepth {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
			if len(list) < maxParameters {
				value(name, n.Properties[name], address+"/"+check.EscapePointer(name), depth, false)
			}
		}
	}
	value = func(name string, raw []byte, address string, depth int, cell bool) {
		var n, items node
		if json.Unmarshal(raw, &n) != nil || n.Enum != nil || depth > maxDepth {
			return
		}
		forms := append([]json.RawMessage{raw, n.Items}, n.AnyOf...)
		if slices.ContainsFunc(forms, isString) {
			list = append(list, stringParameter{name, address, cell})
		}
		if len(n.Properties) > 0 {
			object(raw, address, depth+1)
		}
		switch _ = json.Unmarshal(n.Items, &items); {
		case items.Items != nil:
			value(name, n.Items, address+"/*", depth+1, true)
		case len(items.Properties) > 0:
			object(n.Items, address+"/*", depth+1)
		}
	}
	object(schema, "", 0)
	return list
}

func isString(raw json.RawMessage) bool {
	var n node
	return json.Unmarshal(raw, &n) == nil && n.Enum == nil && strings.Contains(string(n.Type), `"string"`)
}

// things are words in the name of a parameter that holds the name of one thing. Nobody writes
// shell syntax in such a parameter. Titles, texts, queries and code are left out: people write
// about shells.
var things = strings.Fields(`branch ref tag commit sha rev revision remote host hostname domain ip address
	port id ids uuid user username login owner repo repository org organization namespace pod container image
	service cluster region zone bucket package version locale language timezone currency symbol file filename
	extension date account session device commits commitish`)

func namesOneThing(name string) bool { return slices.Contains(things, thing(name)) }

// thing is the word for the thing of which a parameter holds the name: "branch" for branchName.
func thing(name string) string {
	w := words(name)
	if len(w) > 1 && w[len(w)-1] == "name" {
		w = w[:len(w)-1]
	}
	if len(w) == 0 {
		return ""
	}
	return w[len(w)-1]
}

var (
	// nowhere are things whose names are in no directory. Servers put them into URLs, where a step .. leads to another's thing.
	nowhere = strings.Fields(`branch commit commits commitish sha rev revision host hostname domain owner org organization namespace
		pod container cluster region zone bucket user username login id ids uuid account session`)
	// placed are more of them for tools of which another parameter tells the owner.
	placed = strings.Fields("repo repository ref tag")
	// unoptional are things whose names begin with no dash. Servers put them into command lines, where it begins an option.
	unoptional = strings.Fields(`branch ref commit commits commitish sha rev revision remote host hostname domain namespace pod container image
		cluster region zone bucket package`)
	// revisions are more of them for git.
	revisions = strings.Fields("target source object upstream onto base head")
)

// nameOf is demanded of the names of things: that a program takes them for names alone. It is nil for other parameters.
func nameOf(t *subject, name string) *policy.Demand {
	word := thing(name)
	git := slices.Contains(words(t.Name), "git")
	option := slices.Contains(unoptional, word) || git && slices.Contains(revisions, word)
	step := slices.Contains(nowhere, word) || slices.Contains(placed, word) && slices.ContainsFunc(t.strings, func(p stringParameter) bool {
		return slices.Contains([]string{"owner", "org", "organization", "workspace"}, thing(p.name))
	})
	if !option && !step {
		return nil
	}
	return &policy.Demand{Kind: identifier.Demand, Options: &identifier.Options{Kinds: []string{"name"}, MaxLength: maxLook}, If: func(value string) bool {
		return option && strings.HasPrefix(value, "-") || step && (strings.ContainsAny(value, `/\%．／＼`) || strings.Contains(value, "..")) && !strings.Contains(value, "://")
	}}
}

// texts are words in the name of a parameter for text, which may speak of anything.
var texts = strings.Fields(`text texts message messages content contents body query queries question prompt description title
	comment comments note notes summary code script html markdown css xml subject caption label reason instruction instructions
	thought answer reply feedback bio about details keyword keywords search term q`)

func holdsText(name string) bool {
	w := words(name)
	return len(w) > 0 && slices.Contains(texts, w[len(w)-1])
}

// maxLook bounds a value that may be a path or a URL, in bytes. A longer one is text.
const maxLook = 4096

// looksLikePath reports whether a value is one path: absolute, with at least two names, or with a step upwards. Text has spaces.
func looksLikePath(value string) bool {
	value = strings.TrimSpace(value)
	if len(value) > maxLook || strings.Contains(value, " ") {
		return false
	}
	names, up := steps(value)
	if strings.ContainsFunc(value, unicode.IsSpace) { // which a URL drops; lines with steps of their own are a list
		return !up && climbs(seamless.Replace(value))
	}
	up = up || climbs(value)
	absolute := strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "//") || runtime.GOOS == "windows" && filepath.IsAbs(value)
	return up || absolute && names > 1
}

// steps counts the names in a path, and tells whether one is a step upwards.
func steps(path string) (names int, up bool) {
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsSpace(r) }) {
		names++
		up = up || name == ".."
	}
	return names, up
}

// climbs reports whether a path has a step upwards in a spelling that some readers take for it.
func climbs(path string) bool {
	for range 3 {
		path = plainly.Replace(path)
	}
	_, up := steps(path)
	return up
}

var (
	plainly  = strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/", "%25", "%", "．", ".", "／", "/", "＼", "/")
	seamless = strings.NewReplacer("\t", "", "\n", "", "\r", "")
)

// looksLikeURL reports whether a value is one URL of the web.
func looksLikeURL(value string) bool {
	scheme, _, ok := strings.Cut(value, "://")
	return ok && len(value) <= maxLook && slices.Contains([]string{"http", "https", "ws", "wss", "ftp"}, strings.ToLower(scheme)) &&
		!strings.ContainsFunc(value, unicode.IsSpace)
}

// readers begin the names of tools that only read.
var readers = strings.Fields("read get list open load stat view cat head tail search find grep show tree describe inspect analyze parse summarize")

// reads reports whether a tool reads what an argument names.
func reads(tool, address string) bool {
	w := words(tool)
	if !overlaps(w[:min(len(w), 2)], readers...) {
		return false
	}
	return !overlaps(append(w, words(address)...), strings.Fields("write create save output out dest destination target export download move copy delete remove new edit update append")...)
}

func overlaps(list []string, wanted ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return slices.Contains(wanted, w) })
}

var word = lazyregexp.New(`[A-Z]+(?:[a-z]+)?|[a-z]+`)

// words splits a name, in lower case.
func words(name string) []string {
	list := word.FindAllString(name, 64)
	for i, w := range list {
		list[i] = strings.ToLower(w)
	}
	return list
}

func quote(s string) string { return strconv.Quote(s) }
