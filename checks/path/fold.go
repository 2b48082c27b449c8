// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// alike are characters that NFKC normalisation keeps, although the eye or a best-fit code page
// takes them for special characters of paths.
var alike = map[rune]string{
	'。': ".", '｡': ".", '۔': ".", '٪': "%",
	'⁄': `\`, '∕': `\`, '╱': `\`, '⟋': `\`, '⧸': `\`,
	'∖': `\`, '╲': `\`, '⟍': `\`, '⧵': `\`, '⧹': `\`,
	'¥': `\`, '₩': `\`, // in the code pages of Japan and Korea
}

// ascii is the ASCII character that a normalising reader sees at the begin of a text; "" if
// nobody does. A backslash stands for any separator that only some readers see as one.
func ascii(text string) string {
	if text == "" {
		return ""
	}
	r, _ := utf8.DecodeRuneInString(text)
	if s, ok := alike[r]; ok {
		return s
	}
	form := norm.NFKC.PropertiesString(text).Decomposition()
	for _, c := range form {
		if c >= utf8.RuneSelf {
			return ""
		}
	}
	return strings.ReplaceAll(string(form), "/", `\`)
}

// slashes writes a path with the separators that every reader sees as slashes: for
// Windows a backslash is one of them.
func slashes(text string, p platform) string {
	if p == windows && strings.IndexByte(text, '\\') >= 0 {
		return strings.ReplaceAll(text, `\`, "/")
	}
	return text
}

// fold writes a text as seen by a reader that normalises characters and ignores invisible ones
// and malformed UTF-8. A slash stays a slash; every separator that only some readers see as one
// becomes a backslash.
func fold(text string, p platform) string {
	text = slashes(text, p)
	first := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
	if first < 0 {
		return text
	}
	b := make([]byte, 0, len(text))
	b = append(b, text[:first]...)
	for rest := text[first:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		b = appendFolded(b, r, rest[:size], rest[size:])
		rest = rest[size:]
	}
	return string(b)
}

// strip drops what fold drops: invisible characters, and bytes that are no UTF-8.
func strip(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unseen(r) != visible {
			return -1
		}
		return r
	}, text)
}

func appendFolded(b []byte, r rune, literal, rest string) []byte {
	switch {
	case r < utf8.RuneSelf:
		return append(b, literal...)
	case r == utf8.RuneError && len(literal) == 1, unseen(r) != visible:
		return b
	}
	s := ascii(literal)
	switch {
	case s == "":
		return append(b, literal...)
	case s == ":" && !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, `\`) && ascii(rest) != `\`:
		return append(b, literal...) // of East Asian text; only before a separator does it end a drive or a scheme
	}
	return append(b, s...)
}

// The looks of a character.
type visibility int

const (
	visible   visibility = iota
	joiner               // invisible; honest between characters that are no ASCII
	mark                 // invisible; honest names hold it, copied from other texts
	selector             // invisible; changes how the character before it looks
	deceptive            // invisible, or turns the text around: serves to deceive
)

func unseen(r rune) visibility {
	switch {
	case r < 0x80, r >= 0xa0 && r < 0xad:
		return visible
	case r < 0xa0, r == 0x2028, r == 0x2029: // control characters, ends of lines
		return deceptive
	case r == 0x00ad, r == 0x200e, r == 0x200f, r == 0x061c: // soft hyphen, direction marks
		return mark
	case r == 0x200c, r == 0x200d, // in emoji, and in Persian and Indic words
		r == 0x034f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x17b4, r == 0x17b5,
		r >= 0xe0020 && r <= 0xe007f: // tags, in emoji of flags
		return joiner
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0x180b && r <= 0x180f, r >= 0xe0100 && r <= 0xe01ef:
		return selector
	case r == 0x200b, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff,
		r >= 0xfff9 && r <= 0xfffb, r == 0xe0001:
		return deceptive
	}
	return visible
}

// hides reports the worst of what people do not see of a text: visible if there is
// nothing, or all of it is honest.
func hides(text string) visibility {
	worst := visible
	before := ' '
	for _, r := range text {
		switch v := unseen(r); {
		case v == deceptive, v == joiner && before < utf8.RuneSelf:
			return deceptive
		case v == mark:
			worst = mark
		}
		before = r
	}
	return worst
}
