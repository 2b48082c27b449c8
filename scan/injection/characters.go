// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is usual in writing.
const (
	maxTagsInFlag   = 8 // the flags of regions have 3 to 6 letters, and an end
	minFence        = 2 // characters without width in a row that set an order off
	minInvisible    = 8 // characters without width in a row, or between letters
	minInterleaved  = 4 // single letters of ASCII with invisible characters between
	minSplit        = 4 // invisible characters in the midst of words of ASCII
	minSelectors    = 3 // variation selectors in a row; writing has one, after its character
	minMixedScripts = 2 // words of Latin letters and their look-alikes
	minMixedGreek   = 6 // the same with Greek letters, which formulas have
	minStyled       = 6 // words in a row in a styled alphabet
)

// characters reports invisible and misleading characters.
func (s *scanner) characters() {
	i := nonASCII(s.text)
	if i == len(s.text) {
		return
	}
	s.steps += len(s.text)
	i = max(i-readBefore, 0)
	c := chars{scanner: s}
	for i < len(s.text) && !s.over() {
		if next := c.skip(i); next > i {
			i = next
			continue
		}
		r, size := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s.text[i:])
		}
		if ideograph(r) && c.quiet() {
			c.endWord()
			c.endStyled()
		} else {
			c.next(r, i, size)
		}
		c.last = r
		i += size
	}
	c.end(len(s.text))
}

// ASCII around other characters is read as well: the letters of a word that goes on in another
// alphabet, and two characters behind one without width.
const (
	readBefore = 24
	readBehind = 8
)

// skip returns where to go on in a stretch of ASCII that says nothing.
func (c *chars) skip(i int) int {
	if i < readBehind || nonASCII(c.text[i-readBehind:i+1]) <= readBehind {
		return i
	}
	next := i + nonASCII(c.text[i:])
	if next < len(c.text) {
		for least := max(i, next-readBefore); next > least && isASCIILetter(rune(c.text[next-1])); next-- {
		}
	}
	if next <= i {
		return i
	}
	c.next(' ', i, 1)
	c.next('.', i, 1)
	c.endStyled()
	if strings.IndexByte(c.text[i:next], '\n') >= 0 {
		c.endParagraph()
	}
	c.last = '.'
	return next
}

// quiet tells whether no run of hidden characters is open.
func (c *chars) quiet() bool {
	return c.tags.count|c.selectors.count|c.invisible.count|c.interleaved.count == 0
}

// A run counts characters of one sort that stand together.
type run struct{ from, to, count int }

// add is not inlined: its copies weigh more than they save.
//
//go:noinline
func (r *run) add(i, size int) {
	if r.count == 0 {
		r.from = i
	}
	r.to = i + size
	r.count++
}

// Chars is the state of the search for hidden characters.
type chars struct {
	*scanner
	last rune

	tags, invisible, selectors run
	fences                     []span // short runs of the invisible in ASCII
	afterFlag                  bool   // the tags follow a black flag
	interleaved                run    // letter, invisible, letter, invisible …
	lettersSince               int
	splits                     run // invisible characters in the midst of words

	bidi []int // offsets of what is open in this paragraph

	word    run // of letters
	latin   bool
	alike   bool
	other   bool
	mixed   []span
	greek   int // of the mixed
	isGreek bool
	styled  run
	style   bool // the word is of a styled alphabet
}

func (c *chars) next(r rune, i, size int) {
	c.tag(r, i, size)
	c.selector(r, i, size)
	c.zeroWidth(r, i, size)
	c.direction(r, i, size)
	c.letter(r, i, size)
}

func (c *chars) tag(r rune, i, size int) {
	if isTag(r) {
		if c.tags.count == 0 {
			c.afterFlag = c.last == '🏴'
		}
		c.tags.add(i, size)
		return
	}
	if c.tags.count > 0 {
		if !c.afterFlag || c.tags.count > maxTagsInFlag || c.last != tagBase+0x7f {
			c.report(kindTagCharacters, "tag-characters", c.tags.from, c.tags.to, 100)
		}
		c.tags = run{}
	}
}

func (c *chars) selector(r rune, i, size int) {
	if r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef {
		c.selectors.add(i, size)
		return
	}
	if c.selectors.count >= minSelectors {
		c.report(kindVariation, "variation-selectors", c.selectors.from, c.selectors.to, 100)
	}
	c.selectors = run{}
}

// zeroWidth looks for characters without width where no script wants them: many in a row,
// and between the single letters of a word.
func (c *chars) zeroWidth(r rune, i, size int) {
	hidden := invisible(r) && !(r >= 0xfe00 && r <= 0xfe0f) && r < 0xe0000
	if hidden {
		c.invisible.add(i, size)
		if c.lettersSince == 1 {
			c.interleaved.add(i, size)
		} else {
			c.endInterleaved()
			c.interleaved.add(i, size)
		}
		c.lettersSince = 0
		return
	}
	if n := c.invisible.count; n >= minFence && n < minInvisible && r < utf8.RuneSelf && c.invisible.from > 0 && c.text[c.invisible.from-1] < utf8.RuneSelf {
		c.fences = append(c.fences, span{c.invisible.from, c.invisible.to})
	}
	if c.invisible.count >= minInvisible {
		c.report(kindZeroWidth, "invisible-run", c.invisible.from, c.invisible.to, 100)
	}
	if c.invisible.count > 0 && c.invisible.from > 0 && isASCIILetter(r) && c.invisible.from < len(c.text) && isASCIILetter(rune(c.text[c.invisible.from-1])) && r >= 'a' {
		c.split(c.invisible.from, i)
	}
	c.invisible = run{}
	c.lettersSince++
	if r > '~' || c.lettersSince > 1 {
		c.endInterleaved()
	}
}

// split notes invisible characters within a word. Soft hyphens are there to split words, and editors leave such characters now and then.
func (c *chars) split(from, to int) {
	if strings.HasPrefix(c.text[from:], "\u00ad") {
		return
	}
	if c.splits.count > 0 && from-c.splits.to > maxSplitGap {
		c.endSplits()
	}
	c.splits.add(from, to-from)
}

// maxSplitGap is how many bytes lie between two split words of a disguise at most.
const maxSplitGap = 60

func (c *chars) endSplits() {
	if c.splits.count >= minSplit {
		c.report(kindZeroWidth, "split-words", c.splits.from, c.splits.to, 70)
	}
	c.splits = run{}
}

func (c *chars) endInterleaved() {
	if c.interleaved.count > minInterleaved {
		c.report(kindZeroWidth, "interleaved", c.interleaved.from, c.interleaved.to, 100)
	}
	c.interleaved = run{}
}

// direction looks for overrides, which no right-to-left script needs, and for embeddings and
// isolates left open at the end of their paragraph (CVE-2021-42574).
func (c *chars) direction(r rune, i, size int) {
	switch {
	case r == 0x202d || r == 0x202e:
		c.report(kindBidi, "override", i, i+size, 90)
	case r == 0x202a || r == 0x202b || r >= 0x2066 && r <= 0x2068:
		if len(c.bidi) < 128 { // deeper is not allowed (UAX 9, max_depth)
			c.bidi = append(c.bidi, i)
		}
	case r == 0x202c || r == 0x2069:
		if n := len(c.bidi); n > 0 {
			c.bidi = c.bidi[:n-1]
		}
	case r == '\n':
		c.endParagraph()
	}
}

func (c *chars) endParagraph() {
	if len(c.bidi) > 0 {
		c.report(kindBidi, "left-open", c.bidi[0], c.bidi[0]+3, 50)
		c.bidi = c.bidi[:0]
	}
}

// letter collects words, for those of mixed or styled alphabets.
func (c *chars) letter(r rune, i, size int) {
	if r < utf8.RuneSelf {
		if isASCIILetter(r) {
			c.latin = true
			c.word.add(i, size)
		} else if c.word.count > 0 {
			c.endWord()
		}
		return
	}
	if invisible(r) {
		return
	}
	switch _, alike := likeASCII()[r]; {
	case alike && !unicode.Is(unicode.Latin, r): // not the dotless i
		c.alike = true
		c.isGreek = unicode.Is(unicode.Greek, r)
	case styled(r):
		c.style = true
	case unicode.IsLetter(r):
		if !unicode.Is(unicode.Latin, r) {
			c.other = true
		}
	default:
		c.endWord()
		return
	}
	c.word.add(i, size)
}

func (c *chars) endWord() {
	if c.word.count == 0 {
		return
	}
	if c.latin && c.alike && !c.other && c.word.count > 2 {
		c.mixed = append(c.mixed, span{c.word.from, c.word.to})
		if c.isGreek {
			c.greek++
		}
	}
	if c.style && !c.other {
		c.styled.add(c.word.from, c.word.to-c.word.from)
	} else {
		c.endStyled()
	}
	c.word, c.latin, c.alike, c.other, c.style = run{}, false, false, false, false
}

func (c *chars) endStyled() {
	if c.styled.count >= minStyled {
		c.report(kindLookAlike, "styled-alphabet", c.styled.from, c.styled.to, 50)
	}
	c.styled = run{}
}

func (c *chars) end(size int) {
	c.next(0, size, 0)
	c.fenced(size)
	c.endInterleaved()
	c.endSplits()
	c.endParagraph()
	c.endWord()
	c.endStyled()
	c.foreign = c.mixed
	if n := len(c.mixed); n-c.greek >= minMixedScripts || n >= minMixedGreek {
		c.report(kindLookAlike, "mixed-alphabets", c.mixed[0].start, c.mixed[n-1].end, 70)
	}
}

// fenced reports orders behind a few characters without width, which set them off from the text around them. Editors leave such
// characters in texts, too: behind them there must be what an order is about.
func (c *chars) fenced(size int) {
	for i, f := range c.fences {
		end := min(size, f.end+maxFenced)
		if i+1 < len(c.fences) {
			end = min(end, c.fences[i+1].start)
		}
		text := strings.ToLower(c.text[f.end:end])
		c.steps += 20 * len(text)
		for _, word := range aboutOrders {
			if strings.Contains(text, word) {
				c.report(kindZeroWidth, "fenced", f.start, f.end, 60)
				break
			}
		}
	}
}

// maxFenced is how far behind characters without width an order is looked for.
const maxFenced = 400

var aboutOrders = [...]string{"curl ", "wget ", "|sh", "| sh", ".env", ".ssh", ".aws", "credential", "password", "api key", "api_key", "_token", "secret", "exfil", "base64",
	"override", "directive", "instruction", "ignore ", "you are now", "you are an ai", "execute", "system prompt"}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// styled tells whether a character is a letter of ASCII in fullwidth, mathematical, circled
// or squared form.
func styled(r rune) bool {
	return r >= 0xff21 && r <= 0xff5a || r >= 0x1d400 && r <= 0x1d7ff ||
		r >= 0x249c && r <= 0x24e9 || r >= 0x1f110 && r <= 0x1f189
}
