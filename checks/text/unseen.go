// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind is why a character cannot be seen.
type kind int

const (
	seen kind = iota
	control
	bidi
	tag
	smuggled
	filler
	hint
	kinds // how many there are
)

// faults are what to say of each kind. Those with warn come in pasted text.
var faults = [kinds]struct {
	message, mend string
	warn          bool
}{
	control:  {message: "must hold no control characters but tab and line breaks", mend: "remove them"},
	bidi:     {message: "must hold no characters that reorder text (bidirectional embeddings, overrides and isolates)", mend: "remove U+202A to U+202E and U+2066 to U+2069"},
	tag:      {message: "must hold no tag characters: they are invisible, and models read them as text", mend: "remove U+E0000 to U+E007F"},
	smuggled: {message: "must hold no variation selectors but one behind a character that has variants: they are invisible, and can carry hidden text", mend: "remove them"},
	filler:   {message: "must hold no invisible characters", mend: "remove fillers, separators, invisible operators and noncharacters"},
	hint:     {message: "holds invisible characters (zero-width spaces or joiners, soft hyphens, direction marks, a byte order mark)", mend: "remove them unless the script needs them", warn: true},
}

// classify says of what kind the character r at byte i of s is.
func classify(s string, i int, r rune) kind {
	switch {
	case r < 0x20 || r == 0x7f:
		return either(r == '\t' || r == '\n' || r == '\r', control)
	case r < 0x7f:
		return seen
	case r < 0xa0:
		return either(r == '\u0085', control)
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return bidi
	case r >= 0xe0000 && r <= 0xe007f:
		return either(inFlag(s, i), tag)
	case variation(r):
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		return either(varies(before, r), smuggled)
	case invisible(r):
		return filler
	}
	return either(!unicode.Is(unicode.Cf, r) || joiner(r) && joins(s, i) || shownFormat(r), hint)
}

func either(fine bool, otherwise kind) kind {
	if fine {
		return seen
	}
	return otherwise
}

// inFlag reports whether the tag character at byte i belongs to the flag of a region: a
// black flag, one to six letters or digits, and the end (UTS 51, ED-14a).
func inFlag(s string, i int) bool {
	const flag, end, most = "\U0001F3F4", "\U000E007F", 6
	const width = len(end)
	start := i
	for n := 0; n <= most && start >= width && tagByte(s[start-width:start]) != 0; n++ {
		start -= width
	}
	letters := 0
	for rest := s[start:]; len(rest) >= width && tagByte(rest[:width]) != 0; rest = rest[width:] {
		letters++
	}
	return letters >= 1 && letters <= most && strings.HasSuffix(s[:start], flag) &&
		strings.HasPrefix(s[start+letters*width:], end)
}

// tagByte is the letter or digit that a tag character stands for, or 0.
func tagByte(s string) byte {
	r, n := utf8.DecodeRuneInString(s)
	c := r - 0xe0000
	if n == len(s) && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z') {
		return byte(c)
	}
	return 0
}

func variation(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) }

// varies reports whether a character may have the variation selector r behind it: ideographs any (UTS 37), letters of Mongolian their
// own, others those of Unicode's StandardizedVariants and emoji-variation-sequences.
func varies(before, r rune) bool {
	emoji := r == '\ufe0e' || r == '\ufe0f' // text or emoji
	switch {
	case unicode.Is(unicode.Ideographic, before):
		return r >= '\ufe00'
	case before < utf8.RuneSelf:
		return emoji && strings.ContainsRune("#*0123456789", before) || r == '\ufe00' && before == '0'
	case unicode.IsLetter(before) && unicode.Is(unicode.Mongolian, before):
		return r < '\ufe00'
	case unicode.IsLetter(before) && unicode.Is(unicode.Egyptian_Hieroglyphs, before):
		return r >= '\ufe00' && r <= '\ufe06'
	case unicode.IsLetter(before) && unicode.In(before, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean):
		return r == '\ufe00'
	}
	return emoji && unicode.IsLetter(before) && unicode.Is(unicode.Common, before) ||
		(emoji || r == '\ufe00' || r == '\ufe01') && before != utf8.RuneError && (unicode.IsSymbol(before) || unicode.IsPunct(before))
}

// alone are scripts whose letters do not join.
var alone = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Hebrew, unicode.Thai,
	unicode.Lao, unicode.Ethiopic, unicode.Cherokee, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul, unicode.Yi}

// invisible characters have no use in a tool's argument. Characters that are merely not
// assigned yet are not among them: there are newer emoji than this program.
func invisible(r rune) bool {
	return r == '\u2028' || r == '\u2029' || // separators that JavaScript took for line ends
		r >= '\u2061' && r <= '\u2064' || // invisible operators
		r >= '\u206a' && r <= '\u206f' || // deprecated formats
		r >= '\ufff9' && r <= '\ufffb' || // interlinear annotation
		r == 0x16fe4 || r == 0x1d159 || // the filler of Khitan, the note without a head
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// joiner: zero-width non-joiner and zero-width joiner, of equal length.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// joins reports whether a joiner stands between two characters that can be joined:
// emoji by a joiner, or letters of a script that joins.
func joins(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+len("\u200d"):])
	able := func(r rune) bool {
		return r > unicode.MaxLatin1 && !unicode.In(r, alone...) &&
			(unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSymbol(r))
	}
	return able(before) && able(after) && (s[i:i+len("\u200d")] == "\u200d" || !unicode.IsSymbol(before) && !unicode.IsSymbol(after))
}

// shownFormat: format characters (Cf) that are drawn, such as the Arabic number sign.
func shownFormat(r rune) bool { return unicode.Is(unicode.Prepended_Concatenation_Mark, r) }
