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

// unseen reports whether a reader cannot recognise a character on a page: controls, characters without width or ink,
// characters that reorder text, tags, and selectors that can hide data behind a letter. Line breaks and tabs are
// visible where pages keep them.
func unseen(r rune) bool {
	const blank = '\u2800' // braille without dots
	switch r {
	case '\n', '\t', '\ufe0e', '\ufe0f': // the last two choose between text and emoji
		return false
	}
	return !unicode.IsGraphic(r) || r == blank || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// visible returns a text as HTML, with a mark for every invisible character.
func visible(s string) template.HTML {
	return template.HTML(mark(s, html.EscapeString, `<span class="unseen">`, "</span>"))
}

// plain returns a text with a mark for every invisible character, for places without HTML.
func plain(s string) string { return mark(s, func(s string) string { return s }, "[", "]") }

// mark replaces the invisible characters of a text by their names, between before and after.
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

// clip shortens a text to at most so many bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
