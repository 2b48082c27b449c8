// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strings"
	"unicode/utf8"
)

// A hit is a word of the lexicon in a text.
type hit struct {
	class      class
	start, end int32 // byte offsets
	word       int32 // how many words stand before it
	sentence   int32 // how many sentences end before it
}

// Words is what one pass over a view finds.
type words struct {
	hits []hit
	// long are words of letters and digits that are long enough to be code.
	long []span
	// letters are runs of single letters with spaces between.
	letters []span
	// mixed are lines with several words of letters and digits: 1gn0r3.
	mixed []span
	// odd are words that digits stand in for letters of.
	odd []span
	// codes are rows of numbers that may stand for letters.
	codes []span
	// bits are numbers of eight binary digits.
	bits []span
	// bangs are runs of exclamation marks that stand alone.
	bangs []run
}

// The roles of a byte.
const (
	isLetter = 1 << iota
	isDigit
	isHigh    // part of a character outside ASCII
	isLeet    // sign that stands for a letter
	isCapital // a letter in upper case
	isSign    // it says something where it stands between words
)

var byteClass = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= 'A' && c <= 'Z':
			table[c] = isLetter | isCapital
		case c >= 'a' && c <= 'z', c == '_':
			table[c] = isLetter
		case c >= '0' && c <= '9':
			table[c] = isDigit
		case c >= utf8.RuneSelf:
			table[c] = isHigh
		case c == '$' || c == '@':
			table[c] = isLeet | isSign
		case strings.IndexByte(".!?;\n\\", byte(c)) >= 0:
			table[c] = isSign
		}
	}
	return table
}()

const inWord = isLetter | isDigit | isHigh

// Bounds of what a reader finds.
const (
	minLong     = 16 // bytes of a word that may be base64 or hex
	minLetters  = 6  // single letters in a row
	minMixed    = 3  // words like 1gn0r3 in a line
	minBangs    = 6  // exclamation marks that stand alone
	maxBangGap  = 40 // bytes between two of them
	hitEvery    = 24 // bytes of prose for a word of the lexicon, about
	maxWordSize = 64 // longer words are in no lexicon
)

// A reader splits a view into words.
type reader struct {
	text    string
	lexicon *trie
	words
	word, sentence int32

	single, singleFrom, singleEnd int // run of single letters
	mixedCount, lineStart         int
	code                          run // of numbers that may stand for letters
}

func read(p *pace, text string) *words {
	return readInto(p, text, make([]hit, 0, len(text)/hitEvery+1))
}

// readInto is read with memory for the hits, which may be none.
func readInto(p *pace, text string, memory []hit) *words {
	r := reader{text: text, lexicon: lexicon()}
	r.hits = memory[:0]
	for i, look := 0, 0; i < len(text); {
		if i >= look {
			if look = i + lookEvery; p.over() {
				break
			}
		}
		switch kind := byteClass[text[i]]; {
		case kind&inWord != 0:
			i = r.readWord(i)
		case kind&isSign != 0:
			i = r.separator(i)
		default:
			i++
		}
	}
	r.endSingles()
	r.endCodes()
	r.endLine(len(text))
	return &r.words
}

// lookEvery is how many bytes are read, about, between two looks at the pace.
const lookEvery = 8

// readWord reads the word at i and returns where it ends.
func (r *reader) readWord(i int) int {
	j, kinds := i+1, byteClass[r.text[i]]
	inner := byte(0) // of all bytes but the first
	if kinds&isHigh != 0 && r.text[i] >= 0xe0 && unspaced(r.text, i) {
		return r.readUnspaced(i)
	}
	for j < len(r.text) {
		kind := byteClass[r.text[j]]
		if kind&inWord == 0 || kind&isHigh != 0 && r.text[j] >= 0xe0 && unspaced(r.text, j) {
			break
		}
		inner |= kind
		j++
	}
	kinds |= inner
	if j+1 < len(r.text) && r.text[j] == '\'' && lower(r.text[j-1]) == 'n' && lower(r.text[j+1]) == 't' {
		j += 2 // don't
	}
	size := j - i
	switch {
	case size == 1:
		r.addSingle(i)
	case size <= maxWordSize && (size < minGlued || inner&isCapital != 0 || r.text[j-1]|' ' == 's'):
		if c := r.lexicon.class(r.text[i:j]); c != 0 {
			r.hit(c, i, j)
		}
	case size <= maxWordSize: // it is not glued, and not off by one
		if r.lexicon.may(r.text[i:j]) {
			if c := r.lexicon.lookup(r.text[i:j]); c != 0 {
				r.hit(c, i, j)
			}
		}
	}
	if size > 1 || kinds == isDigit {
		r.endSingles()
	}
	r.word++
	if kinds&isDigit == 0 && size < minLong {
		return j // most words
	}
	if size > 1 && size <= len("0x49") && kinds&isHigh == 0 {
		r.addCode(i, j)
	}
	if size >= minLong && kinds&isHigh == 0 {
		r.long = append(r.long, span{i, j})
	}
	if kinds == isDigit && size == 8 && strings.Trim(r.text[i:j], "01") == "" {
		r.bits = append(r.bits, span{i, j})
	}
	if kinds&^isCapital == isLetter|isDigit && size > 1 {
		r.mixedCount++
		if undisguised(r.text[i:j]) != "" {
			r.odd = append(r.odd, span{i, j})
		}
	}
	return j
}

// class returns the class of a word, also where its spelling is off by a letter
// ("instrctions"), or where it is glued to what stands before it ("USAIgnore").
func (t *trie) class(word string) class {
	if t.may(word) {
		if c := t.lookup(word); c != 0 {
			return c
		}
	}
	if len(word) < minGlued {
		return 0
	}
	if strings.HasSuffix(word, "ions") && offByOne(word, "instructions") {
		return t.lookup("instructions")
	}
	for i := len(word) - 2; i > 0; i-- {
		if word[i] >= 'A' && word[i] <= 'Z' && word[i+1] >= 'a' && word[i+1] <= 'z' && word[i-1] <= 'Z' {
			if c := t.lookup(word[i:]); c&ignoreWord != 0 {
				return c
			}
			break
		}
	}
	return 0
}

// minGlued is the length of words that are looked at twice: "xIgnore" is the shortest.
const minGlued = 7

// offByOne tells whether a word becomes another by adding, dropping or changing a letter.
func offByOne(word, want string) bool {
	if len(word)-len(want) > 1 || len(want)-len(word) > 1 {
		return false
	}
	i := 0
	for i < len(word) && i < len(want) && lower(word[i]) == want[i] {
		i++
	}
	rest := func(a, b int) bool {
		return i+a <= len(word) && i+b <= len(want) && strings.EqualFold(word[i+a:], want[i+b:])
	}
	return rest(1, 0) || rest(0, 1) || rest(1, 1)
}

func (r *reader) hit(c class, start, end int) {
	r.hits = append(r.hits, hit{c, int32(start), int32(end), r.word, r.sentence})
}

// readUnspaced reads text in a script without spaces, word by word as far as words are
// known.
func (r *reader) readUnspaced(i int) int {
	r.endSingles()
	c, size := r.lexicon.longest(r.text[i:min(len(r.text), i+maxWordSize)])
	if size > 0 {
		r.hit(c, i, i+size)
	} else {
		_, size = utf8.DecodeRuneInString(r.text[i:])
	}
	r.word++
	return i + size
}

// unspaced reports whether the character at i belongs to a script without spaces between words,
// or with endings that are words: Thai, kana, ideographs, hangul.
func unspaced(text string, i int) bool {
	switch c := text[i]; {
	case c == 0xe0:
		return i+1 < len(text) && text[i+1] >= 0xb8 && text[i+1] <= 0xbb
	case c >= 0xe3 && c <= 0xed:
		return true
	}
	return false
}

// separator reads what stands between words and returns where to go on.
func (r *reader) separator(i int) int {
	c := r.text[i]
	var next byte = '\n'
	if i+1 < len(r.text) {
		next = r.text[i+1]
	}
	if c == '!' && next == ' ' && i > 0 && r.text[i-1] == ' ' {
		r.addBang(i)
	}
	switch c {
	case '.', '!', '?', ';':
		if next <= ' ' || next >= utf8.RuneSelf || strings.IndexByte(`"'<>\)[-`, next) >= 0 || r.closes(i+1) {
			r.sentence++
		}
	case '\n':
		r.endLine(i)
		if next == '\n' || next == '\r' {
			r.sentence++
		}
	case '\\': // an escape in a string of JSON
		if next == 'n' || next == 't' || next == 'r' {
			return i + 2
		}
	case '$', '@':
		if byteClass[next]&isLetter != 0 || i > 0 && byteClass[r.text[i-1]]&isLetter != 0 {
			r.mixedCount++
		}
	}
	return i + 1
}

// closes reports whether closing brackets or marks of emphasis stand at i, and no name goes on behind them: "**Stop.** Go", but
// not "os._exit".
func (r *reader) closes(i int) bool {
	from := i
	for i < len(r.text) && strings.IndexByte("])}*_~`|\"'", r.text[i]) >= 0 {
		i++
	}
	if i == from {
		return false
	}
	return i == len(r.text) || byteClass[r.text[i]]&(isLetter|isCapital) != isLetter || strings.IndexByte("])}", r.text[i-1]) >= 0
}

// addBang adds an exclamation mark that stands alone: many of them begin the results of a search
// for suffixes that break a model (Zou et al., arXiv:2307.15043).
func (r *reader) addBang(i int) {
	n := len(r.bangs)
	if n == 0 || i-r.bangs[n-1].to > maxBangGap {
		r.bangs = append(r.bangs, run{})
		n++
	}
	r.bangs[n-1].add(i, 1)
}

// addSingle adds a single letter to the run of them, or begins one. Between two there may
// be up to three spaces, or one other sign.
func (r *reader) addSingle(i int) {
	if r.single > 0 && !spacedOut(r.text[r.singleEnd:i]) {
		r.endSingles()
	}
	if r.single == 0 {
		r.singleFrom = i
	}
	r.single++
	r.singleEnd = i + 1
}

// spacedOut tells whether what stands between two letters may stand between spaced letters.
func spacedOut(gap string) bool {
	signs := 0
	for i := range len(gap) {
		if gap[i] != ' ' {
			signs++
		}
	}
	return len(gap) >= 1 && len(gap) <= 4*signs+3 && len(gap) <= 16
}

func (r *reader) endSingles() {
	if r.single >= minLetters {
		r.letters = append(r.letters, span{r.singleFrom, r.singleEnd})
	}
	r.single = 0
}

// addCode adds a short number to the row of them, or begins one.
func (r *reader) addCode(i, j int) {
	if r.code.count > 0 && i-r.code.to > maxCodeGap {
		r.endCodes()
	}
	r.code.add(i, j-i)
}

// maxCodeGap is what may stand between two numbers of a row: a comma and a space.
const maxCodeGap = 2

func (r *reader) endCodes() {
	if r.code.count >= minNumbers {
		r.codes = append(r.codes, span{r.code.from, r.code.to})
	}
	r.code = run{}
}

func (r *reader) endLine(end int) {
	if r.mixedCount >= minMixed {
		r.mixed = append(r.mixed, span{r.lineStart, end})
	}
	r.mixedCount, r.lineStart = 0, end+1
}
