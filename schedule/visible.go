// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"strings"
	"unicode"
)

// joiners are invisible, but belong between letters of some scripts and between the parts of some emoji.
const joiners = "\u200c\u200d"

// plain reports whether all of a name is visible. Invisible characters, and those that reorder others, would make two
// names look alike.
func plain(name string) bool {
	if strings.TrimSpace(name) != name || strings.Trim(name, joiners) != name {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) && !strings.ContainsRune(joiners, r) })
}

// legible reports whether a text of several lines has no control characters.
func legible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) })
}
