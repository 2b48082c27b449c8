// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

var awkRuns = lazyregexp.New(`SYMTAB|getline(\s+[\w$]+(\[[^\]\n]*\])?)?\s*<\s*("[^"\n]*"[ \t]*["\w$(]|[^"\s])|ARGV\s*(\[[^\]\n]*\]\s*=[^=~]|[^\[\s])|,\s*ARGV|system\s*\(|\|\s*&?\s*(getline|"|\w+\s*$)|"\s*\|\s*getline|print[^;}]*([^|]\|[^|]|>[^=]|>$)|@load|@include|/inet/|ENVIRON|@\s*[a-zA-Z_]\w*(::\w+)?\s*\(`)

// awkActs reports whether code of awk runs programs or writes files. Signs in texts and in regular expressions do not; where nobody knows what is a
// text, all of them count.
func awkActs(code string) bool {
	code = unbroken(code, " ")
	plain, told := awkPlain(code)
	acts := contains(code, "ENVIRON") || contains(code, "/inet/")
	if !told {
		plain = awkTexts.ReplaceAllString(code, `""`) // a quote begins and ends nothing but texts, without expressions
		acts = acts || strings.ContainsAny(code, "/#") && awkRuns.MatchString(code) || awkQuotes.MatchString(code) && awkPrints.MatchString(code)
	}
	return acts || awkRuns.MatchString(plain)
}

// unbroken joins lines that a backslash parts, with a text between them.
func unbroken(code, with string) string {
	return strings.ReplaceAll(strings.ReplaceAll(code, "\r", ""), "\\\n", with)
}

// awkQuotes is a quote of which nobody knows whether a text begins there, and awkPrints are words that may write a file then.
var (
	awkQuotes = lazyregexp.New(`/[^/"\n]*"[^/"\n]*/`)
	awkPrints = lazyregexp.New(`print.*(\||>)`)
)

var awkTexts = lazyregexp.New(`"(?:[^"\\\n]|\\.)*"`)

// awkPlain returns code of awk without its texts, comments and regular expressions. A slash is a division or begins an expression, by what stands before
// it, and awks differ on some places: told is false for all places on which they may.
func awkPlain(code string) (plain string, told bool) {
	var b builder
	before := byte('\n') // the last character that is no blank
	for i := 0; i < len(code); i++ {
		c := code[i]
		end := 0
		switch {
		case c == '"':
			end = closing(code[i+1:], '"')
		case c == '/' && strings.IndexByte("\n{},;(!~&|", before) >= 0:
			if end = closing(code[i+1:], '/'); end >= 0 && !wholeBrackets.MatchString(code[i+1:i+1+end]) {
				return "", false
			}
		case c == '/', c == '\\': // behind a backslash, a line goes on
			return "", false
		case c == '#':
			if end = strings.IndexByte(code[i:], '\n'); end < 0 {
				return b.String(), true
			}
			i += end - 1
			continue
		default:
			b.putByte(c)
			if c != ' ' && c != '\t' {
				before = c
			}
			continue
		}
		if end < 0 {
			return "", false
		}
		i += end + 1
		b.put(`""`)
		before = '"'
	}
	return b.String(), true
}

// closing returns where a mark stands that ends a text or an expression; -1 if none does in its line.
func closing(rest string, mark byte) int {
	for i := 0; i < len(rest) && rest[i] != '\n'; i++ {
		switch rest[i] {
		case '\\':
			i++
		case mark:
			return i
		}
	}
	return -1
}

// wholeBrackets are expressions in which each bracket ends, for all awks: some take a slash in brackets for the end of the expression, and others do not.
var wholeBrackets = lazyregexp.New(`^(?:[^\[\]\\]|\\[^\[\]]|\[\^?[^\[\]\\^](?:[^\[\]\\]|\[:\w+:\])*\]|\[\^?\[:\w+:\](?:[^\[\]\\]|\[:\w+:\])*\])*$`)
