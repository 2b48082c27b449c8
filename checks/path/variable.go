// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import "strings"

// variable reports whether a path begins with a reference to a variable. Names of files
// that begin with a dollar sign, as of routes ($id.tsx), are none.
func variable(path string) bool {
	n := reference(path)
	if n == 0 {
		return false
	}
	name := path[1:n]
	switch {
	case path[0] != '$', name[0] == '{', n == len(path), separates(path[n]):
		return true
	case strings.EqualFold(name, "env") && path[n] == ':': // of PowerShell
		return true
	}
	return name == strings.ToUpper(name) && !digit(name[0])
}

// expand writes a path as it is when the variables in it are empty. One that it begins
// with stays: such a path leads anywhere.
func expand(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); {
		if n := reference(path[i:]); n > 0 && i > 0 {
			i += n
			continue
		}
		b.WriteByte(path[i])
		i++
	}
	return b.String()
}

// routes reports whether each reference in a path may be a part of a name: $id, in small letters.
func routes(path string) bool {
	for i := 0; i < len(path); i++ {
		n := reference(path[i:])
		if n == 0 {
			continue
		}
		if name := path[i+1 : i+n]; path[i] != '$' || name[0] == '{' || name == strings.ToUpper(name) {
			return false
		}
		i += n - 1
	}
	return true
}

// maxReference bounds the search for the end of ${NAME}.
const maxReference = 256

// reference returns the length of the reference to a variable that a text begins with:
// $NAME, ${NAME} or %NAME%; 0 if there is none.
func reference(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch {
	case text[0] == '$' && text[1] == '{':
		return strings.IndexByte(text[:min(len(text), maxReference)], '}') + 1
	case text[0] == '$':
		end := 1
		for end < len(text) && word(text[end]) {
			end++
		}
		if end > 1 {
			return end
		}
	case text[0] == '%' && (letter(text[1]) || text[1] == '_'):
		return percentReference(text)
	}
	return 0
}

// percentReference returns the length of %NAME%, or of %NAME:~0,3% for a part of it. A possible
// encoded character, such as the beginning of %E9t%E9, is no name.
func percentReference(text string) int {
	if _, encoded := appendDecoded(nil, text); encoded > 0 {
		return 0
	}
	for i := 2; i < len(text); i++ {
		switch c := text[i]; {
		case c == '%':
			return i + 1
		case !word(c) && strings.IndexByte("():~,=-", c) < 0:
			return 0
		}
	}
	return 0
}

// substitutes reports whether a shell would run a command that a text holds.
func substitutes(text string) bool {
	_, after, found := strings.Cut(text, "$(")
	return found && strings.IndexByte(after, ')') >= 0 || strings.Count(text, "`") > 1
}
