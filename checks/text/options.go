// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package text

import (
	"regexp"
	"unicode"

	"github.com/toolvet/toolvet/check"
)

// Options are what a policy demands of a text. The zero Options demand that every character
// can be seen. They are safe for concurrent use.
type Options struct {
	MinLength  int            `policy:"min_length" doc:"characters (Unicode code points) that it must have at least"`
	MaxLength  int            `policy:"max_length" doc:"characters (Unicode code points) that it may have at most; default: no limit"`
	Pattern    *regexp.Regexp `policy:"pattern" doc:"regular expression (RE2) that must match somewhere; use ^ and $ for the whole text"`
	SingleLine bool           `policy:"single_line" doc:"no line breaks of any kind"`
	Trim       bool           `policy:"trim" doc:"no white space at the beginning or the end"`
	Charset    string         `policy:"charset" doc:"ascii or latin1: no character beyond it; default: all of Unicode"`
	Scripts    []string       `policy:"scripts" doc:"Unicode scripts that letters may come from, such as Latin or Greek; digits, punctuation and symbols are always allowed"`
	Control    bool           `policy:"control" doc:"true allows control characters; tab and line breaks are always allowed"`
	Invisible  bool           `policy:"invisible" doc:"true allows invisible, bidirectional and tag characters"`
	ZeroWidth  string         `policy:"zero_width" doc:"zero-width spaces, joiners between letters that do not join, soft hyphens, direction marks, byte order marks: refuse, or warn as in pasted text; default warn"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	fail := func(field, message string) { list = append(list, check.Problem{Field: field, Message: message}) }
	if o.MinLength < 0 {
		fail("min_length", "must not be negative")
	}
	if o.MaxLength < 0 {
		fail("max_length", "must not be negative")
	}
	if o.MaxLength > 0 && o.MinLength > o.MaxLength {
		fail("min_length", "must not be more than max_length, or no text would be allowed")
	}
	if _, known := charsets[o.Charset]; !known && o.Charset != "" {
		fail("charset", "must be ascii or latin1")
	}
	if o.ZeroWidth != "" && o.ZeroWidth != "refuse" && o.ZeroWidth != "warn" {
		fail("zero_width", "must be refuse or warn")
	}
	for _, s := range o.Scripts {
		if unicode.Scripts[s] == nil {
			fail("scripts", "must be names of Unicode scripts such as Latin, Greek, Cyrillic, Han, Hiragana or Arabic")
			break
		}
	}
	return list
}

// A charset is a set of characters from U+0000 to its last one.
type charset struct {
	last rune
	name string
}

var charsets = map[string]charset{
	"ascii":  {unicode.MaxASCII, "ASCII"},
	"latin1": {unicode.MaxLatin1, "Latin-1 (ISO 8859-1)"},
}
