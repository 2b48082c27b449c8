// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Where ECMA-262 and Go's RE2 syntax read the same text differently, toGo
// writes what ECMA-262 means: white space (§22.2.2.9, CharacterClassEscape ::
// s) and the line terminators that "." leaves out (§22.2.2.7).
const (
	ecmaSpace    = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	ecmaNotSpace = `\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}` +
		`\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
	ecmaDot = `[^\n\r\x{2028}\x{2029}]`
)

// goFlags is Go's way to change the meaning of ".", and the author's word that
// the pattern is written for such an engine.
var goFlags = lazyregexp.New(`\(\?[imsU-]+[:)]`)

// toGo translates an ECMA-262 pattern to Go's syntax. It leaves unknown text alone, for Go to
// accept or refuse. It fails on the classes [] and [^], which Go cannot say.
func toGo(text string) (string, bool) {
	if !strings.ContainsAny(text, `.\[`) {
		return text, true
	}
	t := translator{dot: ecmaDot}
	if goFlags.MatchString(text) {
		t.dot = "."
	}
	for i := 0; i < len(text); {
		i += t.next(text[i:])
	}
	return t.out.String(), !t.unsayable
}

type translator struct {
	out       strings.Builder
	dot       string
	class     bool // inside [...]
	unsayable bool
}

// next translates the beginning of s, and returns how much of it.
func (t *translator) next(s string) int {
	switch {
	case s[0] == '\\' && len(s) > 1:
		return t.escape(s)
	case s[0] == '.' && !t.class:
		t.out.WriteString(t.dot)
		return 1
	case s[0] == '[' && !t.class:
		t.class = true
		t.unsayable = t.unsayable || strings.HasPrefix(s, "[]") || strings.HasPrefix(s, "[^]")
	case s[0] == ']':
		t.class = false
	}
	t.out.WriteByte(s[0])
	return 1
}

func (t *translator) escape(s string) int {
	switch s[1] {
	case 's':
		t.set("", ecmaSpace)
	case 'S':
		if t.class {
			t.out.WriteString(ecmaNotSpace)
		} else {
			t.set("^", ecmaSpace)
		}
	case 'u':
		if r, n := unicodeEscape(s); n > 0 {
			fmt.Fprintf(&t.out, `\x{%x}`, r)
			return n
		}
		t.out.WriteString(s[:2])
	default:
		t.out.WriteString(s[:2])
	}
	return 2
}

func (t *translator) set(not, ranges string) {
	if t.class {
		t.out.WriteString(ranges)
		return
	}
	t.out.WriteString("[" + not + ranges + "]")
}

// unicodeEscape reads \uXXXX, a surrogate pair of them, or \u{X…}. It returns
// the length that it read, 0 for anything else.
func unicodeEscape(s string) (rune, int) {
	if digits, ok := strings.CutPrefix(s, `\u{`); ok {
		digits, _, ok = strings.Cut(digits, "}")
		r, err := strconv.ParseUint(digits, 16, 21)
		if !ok || err != nil {
			return 0, 0
		}
		return rune(r), len(`\u{}`) + len(digits)
	}
	r, ok := hexUnit(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hexUnit(s[6:])
	if pair := utf16.DecodeRune(r, low); ok && pair != '\uFFFD' {
		return pair, 12
	}
	return 0, 0
}

func hexUnit(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	u, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(u), err == nil
}
