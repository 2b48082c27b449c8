// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"
	"unicode"
)

// typographic reports whether the first quote of a text opens a quotation as people
// write them ("the 'like' operator", not "' like '"), and whether what stands in such
// quotes and behind them is worth no condition: "'or' 1" is.
func typographic(text string, quote byte) (quotation, harmless bool) {
	first := strings.IndexByte(text, quote)
	inside, behind, closed := strings.Cut(text[first+1:], string(quote))
	if !closed || !strings.ContainsFunc(inside, unicode.IsLetter) || strings.Contains(inside, "/*") || inside[0] == ' ' ||
		first > 0 && inWord(text[first-1]) || behind != "" && inWord(behind[0]) {
		return false, false
	}
	comments := inside[0] == '#' || strings.HasPrefix(inside, "--")
	if comments && first > 0 && text[first-1] == ' ' || first == 0 && behind == "" && words()[lower(inside)] != "" {
		return true, false
	}
	last := inside[len(inside)-1]
	if word := lower(inside[strings.LastIndexFunc(inside, notInWord)+1:]); len(word) == 1 || typeNames.Has(word) {
		return true, false // the quote behind it would be that of X'…' or DATE '…'
	}
	behind = strings.TrimLeft(behind, " ")
	return true, (inWord(last) || last == '/' && inside[0] == '/') && (behind == "" || isLetter(behind[0]) ||
		behind[0] == '+' && len(behind) > 1 && isLetter(behind[1]) || strings.IndexByte("&),>]}", behind[0]) >= 0)
}

func notInWord(r rune) bool { return r < 0x80 && !inWord(byte(r)) }

func inWord(c byte) bool { return isLetter(c) || isDigit(c) || c >= 0x80 }
