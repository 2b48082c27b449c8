// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package glob

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/check"
)

// judge says everything that is wrong with a pattern. The findings have no pointer yet.
func (o *Options) judge(s string) []check.Finding {
	var list []check.Finding
	fail := func(level check.Level, mend, format string, args ...any) {
		list = append(list, check.Finding{Level: level, Message: fmt.Sprintf(format, args...), Suggestion: mend})
	}
	limit := o.MaxLength
	if limit <= 0 {
		limit = defaultLength
	}
	switch {
	case s == "":
		fail(check.SyntaxLevel, "", "must not be empty")
		return list
	case utf8.RuneCountInString(s) > limit:
		fail(check.SyntaxLevel, "", "must have at most %d characters", limit)
		return list
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		fail(check.SecurityLevel, "remove them", "must hold no control characters")
		return list
	}
	tree, why := parse(s)
	if why != "" {
		fail(check.SyntaxLevel, `write \ before a character that stands for itself`, "must be a pattern of file names: %s", why)
		return list
	}
	if n := orDefault(o.Deep, defaultDeep); stars(s) > n {
		fail(check.SecurityLevel, "name the directories instead", "must hold ** at most %d times: each searches whole trees", n)
	}
	if n := orDefault(o.Braces, defaultBraces); braces(tree) && tree.count() > n {
		fail(check.SecurityLevel, "send several patterns", "must not stand for more than %d patterns by its braces", n)
		return list
	}
	o.places(tree, s, fail)
	return list
}

// places judges where the pattern leads, in every spelling that its braces make.
func (o *Options) places(tree *sequence, s string, fail func(level check.Level, mend, format string, args ...any)) {
	ways := append(tree.spell(), s)
	holds := func(bad func(path string) bool) bool { return slices.ContainsFunc(ways, bad) }
	if !o.Absolute && holds(absolute) {
		fail(check.SecurityLevel, "leave out the leading /, drive or ~", "must be relative to the searched directory")
	}
	if !o.Parent && holds(func(p string) bool { return slices.ContainsFunc(segments(p), parent) }) {
		fail(check.SecurityLevel, "leave out ..", "must stay below the searched directory, without ..")
	}
	if o.Hidden != nil && !*o.Hidden && holds(func(p string) bool { return slices.ContainsFunc(segments(p), hidden) }) {
		fail(check.SecurityLevel, "", "must not ask for names that begin with a dot")
	}
}

// stars counts the ** in a pattern. More stars in a row count as one.
func stars(s string) int {
	n := 0
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '*' && s[i+1] == '*' {
			n++
			for i+1 < len(s) && s[i+1] == '*' {
				i++
			}
		}
	}
	return n
}

// absolute reports whether a path starts anywhere but in the directory that is searched.
func absolute(p string) bool {
	p = strings.TrimPrefix(p, "!") // a negated pattern
	switch {
	case p == "":
		return false
	case p[0] == '/' || p[0] == '~':
		return true
	case p[0] == '\\':
		return len(p) == 1 || !strings.ContainsRune("*?[]{}!()+@ #", rune(p[1])) // no escape
	case len(p) > 1 && p[1] == ':':
		return p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z'
	}
	return strings.HasPrefix(strings.ToLower(p), "file:") || p[0] == '$' || p[0] == '%'
}

// segments are the parts of a path, once with the backslash as a separator and once as an
// escape.
func segments(p string) []string {
	unescaped := strings.ReplaceAll(p, `\`, "")
	return append(strings.Split(unescaped, "/"), strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' })...)
}

// parent reports whether a part can be read as "..": literally, or with dots in brackets.
func parent(segment string) bool {
	for _, alternative := range strings.FieldsFunc(segment, func(r rune) bool { return strings.ContainsRune("()|", r) }) {
		if plain(strings.Trim(alternative, "@?+*!")) == ".." {
			return true
		}
	}
	return plain(withoutGroups.Replace(segment)) == ".."
}

var withoutGroups = strings.NewReplacer("@(", "", "?(", "", "+(", "", "*(", "", ")", "")

// plain writes [.] as the dot that it is.
func plain(s string) string { return strings.ReplaceAll(s, "[.]", ".") }

func hidden(segment string) bool {
	s := plain(segment)
	return len(s) > 1 && s[0] == '.' && s != ".."
}
