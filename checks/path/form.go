// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"strings"

	"github.com/toolvet/toolvet/check"
)

// plainly is how to write what is encoded.
const plainly = "write the path as it is, without encoding"

// Ends of messages.
const (
	wanted = "; a path is wanted"
	unlike = "; people see another path than programs do"
)

// dotSlash is the way out for an honest name that begins oddly.
const dotSlash = "give the path itself; a file whose name begins so can be named with ./ before it"

// form judges what a reading looks like, wherever it leads.
func (j *judgement) form(r reading) (check.Finding, bool) {
	switch {
	case r.traits&nul != 0:
		return r.fault("holds a NUL character", "; some programs end a path there", "leave it out")
	case r.traits&control != 0:
		return r.fault("holds a control character", "", "leave it out")
	case r.traits&tooDeep != 0:
		return r.fault("is still encoded", "", plainly)
	case r.traits&high != 0 && hides(r.source) == deceptive:
		return r.fault("holds an invisible character", unlike, "leave it out")
	case r.traits&shell != 0 && substitutes(r.source):
		return r.fault("holds a shell substitution", "", "give the path itself: nothing is expanded")
	}
	begin := strings.TrimLeft(r.text, " ")
	switch {
	case web(begin):
		return check.Finding{}, false // custom judges it
	case scheme(begin):
		return r.fault("is a URL", wanted, dotSlash)
	case j.platform == windows:
		return j.windowsForm(r, begin)
	}
	return j.foreignForm(r, begin)
}

// custom judges what some servers take on purpose: home directories, variables, URLs
// of the web, invisible characters in names that were copied. Where nothing says which
// directories are allowed, it warns.
func (j *judgement) custom(r reading) (f check.Finding, found bool) {
	begin := strings.TrimLeft(r.text, " ")
	switch {
	case home(begin):
		f, found = r.fault("begins with a home directory (~)", "; only some programs expand it", dotSlash)
	case variable(begin):
		f, found = r.fault("begins with a variable", "; only some programs expand it", dotSlash)
	case web(begin):
		f, found = r.fault("is a URL", wanted, dotSlash)
	case r.literal && r.traits&high != 0 && hides(r.source) == mark:
		f, found = r.fault("holds an invisible character", unlike, "")
		f.Severity = check.Warning
	}
	if !j.known {
		f.Severity = check.Warning
	}
	return f, found
}

func web(path string) bool {
	name, _, ok := strings.Cut(path, "://")
	return ok && (strings.EqualFold(name, "http") || strings.EqualFold(name, "https"))
}

// home reports whether a path begins with a home directory, as shells expand it.
func home(path string) bool {
	if path == "" || path[0] != '~' {
		return false
	}
	name := path[1:]
	for name != "" && (word(name[0]) || strings.IndexByte("+-", name[0]) >= 0) {
		name = name[1:]
	}
	return name == "" || separates(name[0])
}

func word(c byte) bool { return letter(c) || digit(c) || c == '_' }

// opaque are schemes that need no slash to name a file or to hold data.
var opaque = []string{"file:", "jar:", "netdoc:"}

// scheme reports whether a path begins with the scheme of a URL, or of a stream wrapper.
func scheme(path string) bool {
	for _, s := range opaque {
		if len(path) > len(s) && strings.EqualFold(path[:len(s)], s) {
			return true
		}
	}
	if len(path) > 5 && strings.EqualFold(path[:5], "data:") && strings.Contains(path, ",") {
		return true
	}
	for rest := path; ; {
		end := 0
		for end < len(rest) && (word(rest[end]) && rest[end] != '_' || strings.IndexByte("+-.", rest[end]) >= 0) {
			end++
		}
		if end < 2 || end == len(rest) || rest[end] != ':' || !letter(rest[0]) {
			return false
		}
		if rest = rest[end+1:]; rest != "" && separates(rest[0]) {
			return true // of jar:file:/x, the second time
		}
	}
}
