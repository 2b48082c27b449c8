// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import "strings"

// lookalikes are characters that some databases and drivers convert into a mark of SQL, and that
// people take for one.
var lookalikes = map[rune]byte{
	'\u02b9': '\'', '\u02bb': '\'', '\u02bc': '\'', '\u02bd': '\'', '\u02c8': '\'', '\u02ca': '\'', '\u02cb': '\'',
	'\u2018': '\'', '\u2019': '\'', '\u201a': '\'', '\u201b': '\'', '\u2032': '\'', '\u2035': '\'',
	'\u00b4': '\'', '\uff07': '\'',
	'\u201c': '"', '\u201d': '"', '\u201e': '"', '\u201f': '"', '\u2033': '"', '\u2036': '"', '\u02ba': '"', '\uff02': '"',
	'\u2010': '-', '\u2011': '-', '\u2012': '-', '\u2013': '-', '\u2014': '-', '\u2015': '-', '\u2212': '-', '\ufe58': '-', '\ufe63': '-', '\uff0d': '-',
	'\u037e': ';', '\ufe14': ';', '\ufe54': ';', '\uff1b': ';',
	'\u2044': '/', '\u2215': '/', '\uff0f': '/', '\u2217': '*', '\ufe61': '*', '\uff0a': '*',
	'\uff03': '#', '\ufe5f': '#', '\uff08': '(', '\uff09': ')', '\uff0c': ',', '\ufe50': ',', '\uff1d': '=', '\ufe66': '=',
	'\uff3c': '\\', '\ufe68': '\\', '\u2216': '\\', '\uff40': '`', '\uff05': '%', '\uff20': '@', '\uff5c': '|',
}

// folded is the mark of SQL that a character looks like, or 0.
func folded(r rune) byte { return lookalikes[r] }

// fold replaces characters that look like marks of SQL, and the full-width letters.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\uff01' && r <= '\uff5e' {
			return r - '\uff01' + '!'
		}
		if c := folded(r); c != 0 {
			return rune(c)
		}
		return r
	}, text)
}
