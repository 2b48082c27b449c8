// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"slices"
	"strconv"
	"strings"
)

// maxDecodings is how often a value's percent-escapes are decoded.
const maxDecodings = 3

// spellings are the texts that a value may become before a database sees it: itself,
// with its percent-escapes decoded, with + for blanks as forms have it, and with its
// look-alike characters folded.
func spellings(text string) []string {
	list := []string{text}
	add := func(s string) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	plain := text
	if strings.Contains(text, `\N`) {
		add(strings.ReplaceAll(text, `\N`, "null ")) // MySQL needs no blank behind it
	}
	if strings.Contains(text, `\x2`) || strings.Contains(text, `\u002`) || strings.Contains(text, `\X2`) {
		add(quoteEscapes.Replace(text))
	}
	for range maxDecodings {
		decoded := unescape(plain)
		if decoded == plain {
			break
		}
		add(decoded)
		add(unescape(strings.ReplaceAll(plain, "+", " ")))
		plain = decoded
	}
	if !strings.Contains(plain, " ") {
		add(strings.ReplaceAll(plain, "+", " "))
	}
	for _, s := range list {
		if strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) >= 0 {
			add(fold(s))
		}
	}
	return list
}

// quoteEscapes decodes the quotes that a program's string may hold as escapes. A server that reads such a string once more puts them
// into the statement.
var quoteEscapes = strings.NewReplacer(`\x27`, "'", `\X27`, "'", `\u0027`, "'", `\x22`, `"`, `\X22`, `"`, `\u0022`, `"`)

// unescape decodes percent-escapes, and leaves what is none as it is.
func unescape(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			c, _ := strconv.ParseUint(text[i+1:i+3], 16, 8) // two hexadecimal digits are a byte
			b.WriteByte(byte(c))
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
