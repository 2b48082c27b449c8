// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"strings"
	"unicode"
)

// joiners stand between letters of some scripts, and between the parts of some emoji.
const joiners = "\u200c\u200d"

// plain reports whether a name is seen as it is: a text without characters that nobody sees or that
// reorder others, so that no two names look alike for what is not seen of them.
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
