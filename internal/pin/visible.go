// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// hidden reports whether a reader of text cannot see a character for what it is: controls,
// spaces other than U+0020, characters without width or ink, tags, bidirectional marks.
func hidden(r rune) bool {
	const blank = '\u2800' // braille without dots
	return !unicode.IsPrint(r) || r == blank ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// unseen reports whether a hidden character has no business in a definition: white space
// has, and so has the selector that chooses between text and emoji.
func unseen(r rune) bool {
	return hidden(r) && !unicode.IsSpace(r) && r != '\ufe0e' && r != '\ufe0f'
}

// appendRune writes a character of a JSON string: escaped where JSON wants it, in the
// spelling of RFC 8785, and for people also where it is hidden.
func appendRune(b []byte, r rune, people bool) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, `\b`...)
	case '\t':
		return append(b, `\t`...)
	case '\n':
		return append(b, `\n`...)
	case '\f':
		return append(b, `\f`...)
	case '\r':
		return append(b, `\r`...)
	}
	if r >= ' ' && !(people && hidden(r)) {
		return utf8.AppendRune(b, r)
	}
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		return fmt.Appendf(b, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(b, `\u%04x`, r)
}

// Visible returns s as the inside of a JSON string in which every character can be seen:
// what cannot is escaped.
func Visible(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = appendRune(b, r, true)
	}
	return string(b)
}

// A Place is where a definition holds characters that cannot be seen.
type Place struct {
	Pointer    string   `json:"pointer"`    // JSON Pointer into the definition
	Characters []string `json:"characters"` // such as U+200B, sorted, each once
}

// unseenIn finds what cannot be seen in the strings and keys of a value.
func unseenIn(v any) []Place {
	var places []Place
	eachString(v, "", func(pointer, s string) {
		if found := characters(s, unseen); len(found) > 0 {
			places = append(places, Place{pointer, names(found)})
		}
	})
	return places
}

// eachString calls f for each string and each key of a value, in order.
func eachString(v any, pointer string, f func(pointer, s string)) {
	switch v := v.(type) {
	case string:
		f(pointer, v)
	case []any:
		for i, e := range v {
			eachString(e, below(pointer, strconv.Itoa(i)), f)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			at := below(pointer, key)
			f(at, key)
			eachString(v[key], at, f)
		}
	}
}

// unfamiliar are the characters of after, beyond ASCII and white space, that before does
// not have. A letter that looks like another shows up here and nowhere else.
func unfamiliar(before, after any) []string {
	foreign := func(r rune) bool { return r > unicode.MaxASCII || unseen(r) }
	var old, found []rune
	eachString(before, "", func(_, s string) { old = append(old, characters(s, foreign)...) })
	eachString(after, "", func(_, s string) { found = append(found, characters(s, foreign)...) })
	known := map[rune]bool{}
	for _, r := range old {
		known[r] = true
	}
	return names(slices.DeleteFunc(found, func(r rune) bool { return known[r] }))
}

// characters are those of s that f wants, each once.
func characters(s string, f func(rune) bool) []rune {
	set := map[rune]bool{}
	for _, r := range s {
		if f(r) {
			set[r] = true
		}
	}
	return slices.Collect(maps.Keys(set))
}

// maxCharacters bounds how many characters are named. A text in another script has more.
const maxCharacters = 16

// names are the code points of characters: first those that cannot be seen.
func names(list []rune) []string {
	slices.SortFunc(list, func(a, b rune) int {
		switch {
		case unseen(a) == unseen(b):
			return int(a - b)
		case unseen(a):
			return -1
		}
		return 1
	})
	list = slices.Compact(list)
	var names []string
	for i, r := range list {
		if i == maxCharacters {
			return append(names, fmt.Sprintf("and %d more", len(list)-i))
		}
		names = append(names, fmt.Sprintf("%U", r))
	}
	return names
}
