// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"html"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unseen reports whether a reader of a page cannot see a character for what it is: controls,
// characters without width or ink, what reorders text, tags, and what follows a letter to hide
// data. Lines and tabs are seen where text is shown with them.
func unseen(r rune) bool {
	const blank = '\u2800' // braille without dots
	switch r {
	case '\n', '\t', '\ufe0e', '\ufe0f': // the last two choose between text and emoji
		return false
	}
	return !unicode.IsGraphic(r) || r == blank || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// visible is a text as HTML, in which every character can be seen.
func visible(s string) template.HTML {
	return template.HTML(mark(s, html.EscapeString, `<span class="unseen">`, "</span>"))
}

// plain is a text in which every character can be seen, for places that hold no HTML.
func plain(s string) string { return mark(s, func(s string) string { return s }, "[", "]") }

// mark names the characters of a text that cannot be seen, between before and after.
func mark(s string, escape func(string) string, before, after string) string {
	var b strings.Builder
	start := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		name := ""
		switch {
		case r == utf8.RuneError && size == 1:
			name = fmt.Sprintf("byte %02X", s[i])
		case unseen(r):
			name = fmt.Sprintf("%U", r)
		}
		if name != "" {
			b.WriteString(escape(s[start:i]) + before + name + after)
			start = i + size
		}
		i += size
	}
	b.WriteString(escape(s[start:]))
	return b.String()
}

// clip shortens a text to so many bytes at the most.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
