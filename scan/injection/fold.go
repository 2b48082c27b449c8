// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/toolvet/toolvet/internal/lazy"
)

//go:generate sh -c "python3 confusables.py | gofmt > confusables.go"

// fold returns a view of the text with look-alikes replaced by their looks: compatibility forms
// are taken apart (NFKC's mappings), look-alikes of ASCII letters become these letters, tag
// characters become their ASCII, and accents and characters without width go. ASCII is kept as it
// is.
func fold(p *pace, text string) *view {
	first := nonASCII(text)
	if first == len(text) {
		return &view{text: text}
	}
	f := folder{marks: []mark{{0, 0, true}}}
	f.out.Grow(len(text))
	for i := 0; i < len(text) && !p.over(); {
		if text[i] < utf8.RuneSelf {
			n := nonASCII(text[i:])
			f.keep(text[i:i+n], i)
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if ideograph(r) {
			n := ideographs(text[i:])
			f.keep(text[i:i+n], i)
			i += n
			continue
		}
		f.rune(r, text[i:i+size], i)
		i += size
	}
	return &view{text: f.out.String(), marks: f.marks}
}

// nonASCII returns the offset of the first byte that is not ASCII, or the length.
func nonASCII(text string) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if high := binary.LittleEndian.Uint64([]byte(text[i:i+8])) & 0x8080808080808080; high != 0 {
			return i + bits.TrailingZeros64(high)/8
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// ideograph tells whether a character is an ideograph, kana or hangul: of those that are
// kept as they are, by far the most.
func ideograph(r rune) bool {
	return r > 0x3040 && r < 0xa000 && r != 0x3164 || r >= 0xac00 && r < 0xd7a4
}

// ideographs returns how many bytes of ideographs the text begins with.
func ideographs(text string) int {
	for i, r := range text {
		if !ideograph(r) {
			return i
		}
	}
	return len(text)
}

// A folder builds a folded view.
type folder struct {
	out   strings.Builder
	marks []mark
	tags  bool // the last character was a tag
}

// keep copies text that stands at i.
func (f *folder) keep(text string, i int) {
	f.leaveTags(i)
	last := f.marks[len(f.marks)-1]
	if !last.same || last.orig-last.view != i-f.out.Len() {
		f.marks = append(f.marks, mark{f.out.Len(), i, true})
	}
	f.out.WriteString(text)
}

// replace writes s for the character at i. Only s of the same length has offsets of its own.
func (f *folder) replace(s string, i int) {
	if s != "" {
		f.marks = append(f.marks, mark{f.out.Len(), i, false})
		f.out.WriteString(s)
	}
}

// leaveTags ends what tag characters said as a line of its own: it is not of one sentence
// with what people see.
func (f *folder) leaveTags(i int) {
	if f.tags {
		f.tags = false
		f.replace("\n", i)
	}
}

func (f *folder) rune(r rune, raw string, i int) {
	if isTag(r) {
		if !f.tags {
			f.replace("\n", i)
			f.tags = true
		}
		if c := r - tagBase; c >= ' ' && c <= '~' {
			f.replace(string(c), i)
		}
		return
	}
	f.leaveTags(i)
	if s, changed := foldRune(r); changed {
		f.replace(s, i)
		return
	}
	f.keep(raw, i)
}

// tabled is the number of characters whose fold is looked up: most alphabets.
const tabled = 0x3000

// foldRune returns what a character outside ASCII becomes, if it changes.
func foldRune(r rune) (s string, changed bool) {
	if r < tabled {
		f := foldPage(r)[r%foldPageSize]
		return f.to, f.changed
	}
	return computeFold(r)
}

type folded struct {
	to      string
	changed bool
}

// foldPages have the folds of foldPageSize characters each. Most texts need few of them, so a page is made when it is needed.
var foldPages [tabled / foldPageSize]atomic.Pointer[[foldPageSize]folded]

const foldPageSize = 256

// foldPage returns the page of a character outside ASCII and below tabled.
func foldPage(r rune) *[foldPageSize]folded {
	at := &foldPages[r/foldPageSize]
	if p := at.Load(); p != nil {
		return p
	}
	p := new([foldPageSize]folded)
	for i := range p {
		if c := r - r%foldPageSize + rune(i); c >= utf8.RuneSelf {
			p[i].to, p[i].changed = computeFold(c)
		}
	}
	at.Store(p) // another goroutine's is the same
	return p
}

// punctuation is what NFKC keeps apart from the punctuation of ASCII.
var punctuation = map[rune]string{
	utf8.RuneError: " ",
	'‘':            "'", '’': "'", 'ʼ': "'", '‚': "'",
	'“': `"`, '”': `"`, '„': `"`, '«': `"`, '»': `"`, '「': `"`, '」': `"`, '『': `"`, '』': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-",
	'、': ",", '،': ",", '。': ".", '।': ".", '؟': "?", '۔': ".", '【': "[", '】': "]",
}

func computeFold(r rune) (s string, changed bool) {
	if s, ok := punctuation[r]; ok {
		return s, true
	}
	switch {
	case invisible(r):
		return "", true
	case ideograph(r):
		return "", false
	}
	if c, ok := likeASCII()[r]; ok {
		return string(c), true
	}
	if c := drawnLetter(r); c != 0 {
		return string(c), true
	}
	if small := unicode.ToLower(r); small != r && small >= utf8.RuneSelf {
		if s, changed = computeFold(small); !changed {
			s = string(small)
		}
		return s, true
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFKD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if d == nil {
		return "", unicode.Is(accents, r)
	}
	return plain(d), true
}

// drawnLetter returns the letter of ASCII that a character draws, beside those that NFKC takes apart: in a black circle or square, as half
// of a flag, as a small capital, or in dots for the fingers. 0 is none.
func drawnLetter(r rune) byte {
	switch {
	case r >= 0x1f150 && r <= 0x1f169:
		return 'A' + byte(r-0x1f150)
	case r >= 0x1f170 && r <= 0x1f189:
		return 'A' + byte(r-0x1f170)
	case r >= 0x1f1e6 && r <= 0x1f1ff:
		return 'A' + byte(r-0x1f1e6)
	case r >= 0x2801 && r < 0x2840:
		return braille[r-0x2800]
	}
	if i := slices.Index(smallCapitals, r); i >= 0 {
		return "abcdefghijklmnopqrstuvwyz"[i]
	}
	return 0
}

var (
	smallCapitals = []rune("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ")
	// braille are the letters of six dots.
	braille = func() (letters [64]byte) {
		for i, dots := range []byte{0x01, 0x03, 0x09, 0x19, 0x11, 0x0b, 0x1b, 0x13, 0x0a, 0x1a, 0x05, 0x07, 0x0d, 0x1d, 0x15, 0x0f, 0x1f, 0x17, 0x0e, 0x1e, 0x25, 0x27, 0x3a, 0x2d, 0x3d, 0x35} {
			letters[dots] = byte('a' + i)
		}
		return letters
	}()
)

// plain folds the parts of a decomposed character and drops its accents.
func plain(decomposed []byte) string {
	var b strings.Builder
	for _, r := range string(decomposed) {
		if c, ok := likeASCII()[r]; ok {
			r = rune(c)
		}
		if !unicode.Is(accents, r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// accents are marks that a word is readable without: those of Latin, Greek and Cyrillic,
// and the vowel signs of Arabic and Hebrew. The vowel signs of other scripts stay.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1},
	{Lo: 0x0591, Hi: 0x05c7, Stride: 1},
	{Lo: 0x0640, Hi: 0x0640, Stride: 1},
	{Lo: 0x064b, Hi: 0x065f, Stride: 1},
}}

// likeASCII maps letters to the letters of ASCII that they look like.
var likeASCII = lazy.Value(func() map[rune]byte {
	m := map[rune]byte{}
	i := 0
	for _, r := range lookAlikes {
		m[r] = looksLike[i]
		i++
	}
	return m
})

// invisible tells whether a character has neither width nor ink, tags apart.
func invisible(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x2060 && r <= 0x206f, r >= 0x202a && r <= 0x202e:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180f:
		return true
	}
	switch r {
	case 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xfeff, 0xffa0:
		return true
	}
	return false
}

// tagBase is the distance from a character of ASCII to its tag character.
const tagBase = 0xe0000

func isTag(r rune) bool { return r >= tagBase && r <= 0xe007f }
