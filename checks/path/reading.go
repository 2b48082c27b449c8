// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/check"
)

// A reading is one way in which a program may take a path.
type reading struct {
	text    string // folded, unless it is literal
	source  string // the text before folding
	traits  traits // of the source
	literal bool   // as the characters stand
	plain   bool   // nothing was decoded, folded or expanded: only backslashes and spaces matter
	routes  bool   // its variables may well be parts of names, as in $id.tsx
	how     string // which programs read it so: ends a message
}

// fault is a fault of the reading. The message is what is wrong, then how programs come
// to read it so, then the rest.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (r reading) fault(what, rest, mend string) (check.Finding, bool) {
	return check.Finding{Message: what + r.how + rest, Suggestion: mend}, true
}

// literally is the reading of a program that changes nothing.
func literally(path string, p platform) reading {
	return reading{text: slashes(path, p), source: path, traits: traitsOf(path), literal: true, plain: true}
}

// readings are the other ways to read a path; usually there are none.
func readings(path string, p platform) []reading {
	t := traitsOf(path)
	if t == 0 && !strings.Contains(path, "..") {
		return nil
	}
	var list []reading
	add := func(source, how string, plain bool) {
		text := strings.TrimSpace(fold(source, p))
		list = append(list, reading{text: text, source: source, traits: traitsOf(source), plain: plain, how: how})
	}
	add(path, folding(t), t&high == 0)
	if t&encoded != 0 {
		bytes := t // of what is decoded, before it is mended
		layers, still := decodeAll(path, func(decoded string) string {
			bytes |= traitsOf(decoded)
			return mendOverlong(decoded)
		})
		for i, layer := range layers {
			add(layer, decoding(i+1), false)
		}
		if still {
			list[len(list)-1].traits |= tooDeep
		}
		if bytes&high != 0 {
			stripped, _ := decodeAll(strip(path), strip)
			for i, layer := range stripped {
				add(layer, decoding(i+1), false)
			}
		}
	}
	if t&(shell|encoded) != 0 {
		if expanded := expand(path); expanded != path {
			add(expanded, " once the variables in it are expanded", false)
			list[len(list)-1].routes = routes(path)
		}
	}
	return list
}

// decodeAll decodes a path until nothing changes, at most maxDecodes times, and mends
// what came out each time. It reports whether more could be decoded.
func decodeAll(path string, mend func(string) string) (layers []string, still bool) {
	for {
		decoded, changed := decode(path)
		if !changed || len(layers) == maxDecodes {
			return layers, changed
		}
		path = mend(decoded)
		layers = append(layers, path)
	}
}

func folding(t traits) string {
	switch {
	case t&high != 0:
		return " once its look-alike and invisible characters are normalised"
	case t&backslash != 0:
		return " where a backslash separates directories"
	}
	return " once its names are trimmed"
}

func decoding(n int) string {
	if n == 1 {
		return " once it is decoded"
	}
	return fmt.Sprintf(" once it is decoded %d times", n)
}

// traits say what a text holds.
type traits uint16

const (
	control traits = 1 << iota
	nul
	high      // characters that are no ASCII
	backslash //
	encoded   // perhaps
	shell     // perhaps a substitution
	spaced    // begins or ends with a space
	tooDeep   // encoded more than maxDecodes times
	hexMark   // an x, perhaps of 0x2e
)

func traitsOf(text string) traits {
	var t traits
	for i := range len(text) {
		t |= byteTraits[text[i]]
	}
	if t&high != 0 && (strings.Contains(text, "％") || strings.Contains(text, "﹪") || strings.Contains(text, "٪")) {
		t |= encoded
	}
	if t&hexMark != 0 && (strings.Contains(text, "0x") || strings.Contains(text, "0X")) {
		t |= encoded
	}
	if strings.HasPrefix(text, " ") || strings.HasSuffix(text, " ") {
		t |= spaced
	}
	return t &^ hexMark
}

var byteTraits = func() (table [256]traits) {
	for c := range table {
		switch {
		case c == 0:
			table[c] = nul
		case c < ' ' || c == 0x7f:
			table[c] = control
		case c >= utf8.RuneSelf:
			table[c] = high
		}
	}
	table['\\'], table['%'] = backslash, encoded
	table['$'], table['`'] = shell, shell
	table['x'], table['X'] = hexMark, hexMark
	return table
}()
