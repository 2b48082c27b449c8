// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
)

// letters joins what is written l i k e  t h i s.
func (d *decoder) letters() {
	d.spelledWords()
	for _, at := range d.words.letters {
		if d.over() {
			return
		}
		at = d.withSigns(at)
		d.decoded(joinLetters(d.view.text[at.start:at.end]), at, "spaced-letters", true)
	}
}

// spelledWords joins the words of a line of which several are written l-i-k-e t-h-i-s, among others that are not.
func (d *decoder) spelledWords() {
	text := d.view.text
	for i := 0; i+1 < len(d.words.letters) && !d.over(); {
		first := d.words.letters[i]
		line := span{strings.LastIndexByte(text[max(first.start-maxSpelled, 0):first.start], '\n') + 1, first.end + lineEnd(text[first.end:min(len(text), first.end+maxSpelled)])}
		line.start += max(first.start-maxSpelled, 0)
		d.steps += line.end - line.start
		var b strings.Builder
		count, at := 0, line.start
		for ; i < len(d.words.letters) && d.words.letters[i].start < line.end; i++ {
			run := d.words.letters[i]
			word := text[run.start:min(run.end, line.end)]
			if len(word) < 3 || strings.IndexByte("-.*", word[1]) < 0 {
				continue
			}
			b.WriteString(text[at:run.start])
			b.WriteString(strings.ReplaceAll(word, word[1:2], ""))
			at = min(run.end, line.end)
			count++
		}
		if count > 1 {
			b.WriteString(text[at:line.end])
			d.decoded(b.String(), line, "spaced-letters", false)
		}
	}
}

// maxSpelled bounds a line around a word in single letters, in bytes to either side.
const maxSpelled = 500

// withSigns extends a run of single letters by single signs around it: [ I N S T ].
func (d *decoder) withSigns(at span) span {
	text := d.view.text
	sign := func(i int) bool { return byteClass[text[i]]&inWord == 0 && text[i] != '\n' }
	for n := 0; n < 16 && at.start > 0 && sign(at.start-1); n++ {
		at.start--
	}
	for n := 0; n < 16 && at.end < len(text) && sign(at.end); n++ {
		at.end++
	}
	at.start += len(text[at.start:at.end]) - len(strings.TrimLeft(text[at.start:at.end], " "))
	return at
}

// joinLetters drops the spaces, or other separators, between single letters.
func joinLetters(text string) string {
	if i := strings.IndexAny(text, "-.*|"); i >= 0 && strings.Count(text, text[i:i+1])*3 > len(text) {
		return strings.ReplaceAll(text, text[i:i+1], "")
	}
	var b strings.Builder
	gap := 1 // as if a letter stood in front, for "[ I N S T ]"
	for i := range len(text) {
		if byteClass[text[i]]&inWord != 0 {
			gap = 0
		} else if gap++; gap%2 == 1 && text[i] == ' ' {
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Bounds of what a line must gain by reading digits as letters, to be written so.
const (
	minLeet      = 3 // words of the lexicon
	minLeetWord  = 4 // letters of each
	maxLeetWords = 8 // words of the line for one that is gained
)

// leet reads digits and signs as the letters that they stand for, where they stand among
// letters: 1gn0r3.
func (d *decoder) leet() {
	for _, at := range d.mixed {
		if d.over() {
			return
		}
		line := d.view.text[at.start:at.end]
		d.steps += 2 * len(line)
		plain := unleet(line)
		gain := mayGain(line, plain)
		if gain > 0 && digitsAsLetters(line) {
			start, end := d.view.original(at.start, at.end, len(d.scanner.text))
			d.report(kindEncoded, "digits-as-letters", start, end, 55)
		}
		if gain < minLeet {
			continue
		}
		gained, last := 0, int32(0)
		for _, h := range read(d.pace, plain).hits {
			last = h.word
			if h.end-h.start >= minLeetWord && line[h.start:h.end] != plain[h.start:h.end] {
				gained++
			}
		}
		if gained >= minLeet && gained*maxLeetWords >= int(last) {
			d.decoded(plain, at, "leetspeak", true)
		}
	}
}

// Bounds of a line that is written with digits for letters, whatever it says.
const (
	minDigitWords   = 5
	maxDigitWordsOf = 4  // words of the line for one of these
	maxDigitWord    = 24 // bytes
)

// digitsAsLetters tells whether many words of a line have digits between small letters, as no names, numbers or codes have.
func digitsAsLetters(line string) bool {
	words, mixed := 0, 0
	for word := range strings.FieldsSeq(line) {
		word = strings.Trim(word, ".,:;!?\"'()")
		if len(word) > maxDigitWord {
			return false
		}
		letters, inner, hex := 0, 0, true
		for i := range len(word) {
			c := word[i]
			hex = hex && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f')
			small := func(j int) bool { return j >= 0 && j < len(word) && word[j] >= 'a' && word[j] <= 'z' }
			switch {
			case small(i), i == 0 && byteClass[c]&isLetter != 0:
				letters++
			case leetLetters[c] != 0 && small(i+1) && (small(i-1) || i == 1):
				inner++
			case leetLetters[c] == 0 && c != '\'':
				inner -= len(word) // a sign of code
			}
		}
		if len(word) > 1 {
			words++
		}
		if inner > 0 && !hex && letters*2 > len(word) {
			mixed++
		}
	}
	return mixed >= minDigitWords && mixed*maxDigitWordsOf >= words
}

// mayGain bounds the words that are gained: most lines with digits among their letters gain none.
func mayGain(line, plain string) int {
	gained := 0
	for i := 0; i < len(plain); i++ {
		start, changed, kinds := i, false, byte(0)
		for i < len(plain) && byteClass[plain[i]]&inWord != 0 {
			changed = changed || plain[i] != line[i]
			kinds |= byteClass[plain[i]]
			i++
		}
		if !changed || i-start < minLeetWord-len("'t") {
			continue
		}
		several := kinds&isHigh != 0 || i < len(plain) && plain[i] == '\'' // words, or don't
		if several || i-start <= maxWordSize && lexicon().class(plain[start:i]) != 0 {
			gained++
		}
	}
	return gained
}

var leetLetters = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '$': 's', '@': 'a'}

func unleet(line string) string {
	out := []byte(line)
	for i, c := range out {
		if l := leetLetters[c]; l != 0 {
			out[i] = l
		}
	}
	return string(out)
}

// Words by which a text in Caesar's cipher is known: any of the first under every shift,
// three of the others under that of 13.
var (
	shiftedWords = []string{"ignore", "previous", "instructions", "instruction", "disregard", "system", "prompt", "assistant"}
	rot13Words   = []string{"the", "and", "you", "your", "this", "with", "from", "that", "all", "user", "send", "please"}
)

const minRot13 = 3

// shifted returns the words by which ciphers are known, for the lexicon.
func shifted() map[string]class {
	m := map[string]class{}
	for k := 1; k < 26; k++ {
		for _, w := range shiftedWords {
			m[shift(w, k)] = rotWord
		}
	}
	for _, w := range shiftedWords {
		m[reversed(w)], m[atbash(w)], m[pigLatin(w)] = rotWord, rotWord, rotWord
	}
	for _, w := range rot13Words {
		m[shift(w, 13)] = rotWord
	}
	return m
}

// shift moves the letters of a text k places on in the alphabet.
func shift(text string, k int) string {
	out := []byte(text)
	for i, c := range out {
		switch {
		case c >= 'a' && c <= 'z':
			out[i] = 'a' + byte((int(c-'a')+k)%26)
		case c >= 'A' && c <= 'Z':
			out[i] = 'A' + byte((int(c-'A')+k)%26)
		}
	}
	return string(out)
}

// shifts reads paragraphs in Caesar's cipher, ROT13 among them.
func (d *decoder) shifts() {
	end, count := 0, 0
	for _, h := range d.hits {
		if d.over() {
			return
		}
		if h.class&rotWord == 0 || int(h.start) < end {
			continue
		}
		word := strings.ToLower(d.view.text[h.start:h.end])
		if backwards(word) {
			at := d.paragraph(int(h.start), end)
			d.decoded(reversed(d.view.text[at.start:at.end]), at, "reversed", true)
			d.decoded(wordwise(d.view.text[at.start:at.end], reversed), at, "reversed", true)
			end, count = at.end, 0
			continue
		}
		if c := cipherOf(word); c != nil {
			at := d.paragraph(int(h.start), end)
			d.decoded(c.undo(d.view.text[at.start:at.end]), at, c.rule, true)
			end, count = at.end, 0
			continue
		}
		k, certain := unshift(word)
		if !certain {
			if count++; count < minRot13 {
				continue
			}
		}
		at := d.paragraph(int(h.start), end)
		d.decoded(shift(d.view.text[at.start:at.end], k), at, "caesar", true)
		end, count = at.end, 0
	}
}

// backwards tells whether a word is one by which ciphers are known, from its end to its
// begin.
func backwards(word string) bool { return slices.Contains(shiftedWords, reversed(word)) }

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// A cipher writes letters in another way, and is known by some words.
type cipher struct {
	rule  string
	write func(word string) string
	undo  func(text string) string
}

var wordCiphers = [...]cipher{
	{"atbash", atbash, atbash},
	{"pig-latin", pigLatin, func(text string) string { return wordwise(text, fromPigLatin) }},
}

// cipherOf returns the cipher in which a word is one by which ciphers are known, or nil.
func cipherOf(word string) *cipher {
	for i := range wordCiphers {
		if slices.ContainsFunc(shiftedWords, func(w string) bool { return wordCiphers[i].write(w) == word }) {
			return &wordCiphers[i]
		}
	}
	return nil
}

// atbash reads the alphabet backwards.
func atbash(text string) string {
	out := []byte(text)
	for i, c := range out {
		switch {
		case c >= 'a' && c <= 'z':
			out[i] = 'a' + 'z' - c
		case c >= 'A' && c <= 'Z':
			out[i] = 'A' + 'Z' - c
		}
	}
	return string(out)
}

const vowels = "aeiou"

// pigLatin moves the consonants that a word begins with to its end.
func pigLatin(word string) string {
	if i := strings.IndexAny(word, vowels+"y"); i > 0 {
		return word[i:] + word[:i] + "ay"
	}
	return word + "way"
}

// fromPigLatin undoes pigLatin. How many consonants were moved cannot be known: those behind the last vowel are taken.
func fromPigLatin(word string) string {
	low := strings.ToLower(word)
	if stem, ok := strings.CutSuffix(low, "way"); ok && stem != "" && strings.IndexByte(vowels, stem[0]) >= 0 && (len(stem) < 2 || strings.IndexByte(vowels, stem[len(stem)-1]) >= 0 || len(stem) > 2) {
		return stem
	}
	stem, ok := strings.CutSuffix(low, "ay")
	if i := strings.LastIndexAny(stem, vowels+"y") + 1; ok && i > 0 && i < len(stem) {
		if _, plain := pigWords()[low]; plain {
			return pigWords()[low]
		}
		return stem[i:] + stem[:i]
	}
	return low
}

// pigWords are the words by which ciphers are known, by what they are in pig Latin.
var pigWords = lazy.Value(func() map[string]string {
	m := map[string]string{}
	for _, w := range shiftedWords {
		m[pigLatin(w)] = w
	}
	return m
})

// wordwise changes each word of a text.
func wordwise(text string, change func(string) string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && byteClass[text[j]]&inWord != 0 {
			j++
		}
		if j > i {
			b.WriteString(change(text[i:j]))
			i = j
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// Bounds of Morse's code.
const (
	minMorse = 12 // letters
	maxMorse = 4 << 10
)

var morseLetters = func() map[string]byte {
	m := map[string]byte{}
	for i, code := range strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..") {
		m[code] = byte('a' + i)
	}
	return m
}()

// morse reads rows of dots and dashes.
func (d *decoder) morse() {
	text := d.view.text
	isMorse := func(c byte) bool { return c == '.' || c == '-' || c == ' ' || c == '/' || c == '|' }
	const least = 3 * minMorse // bytes, so every second half of it has one
	d.steps += len(text) / 8
	for i := least/2 - 1; i < len(text); i += least / 2 {
		if !isMorse(text[i]) || !isMorse(text[i-1]) || !isMorse(text[i-2]) { // of a row, the second look has all three
			continue
		}
		if d.over() {
			return
		}
		from, to := i, i+1
		for from > 0 && isMorse(text[from-1]) && i-from < least {
			from--
		}
		for to < len(text) && isMorse(text[to]) && to-from < maxMorse {
			to++
		}
		d.steps += to - from
		if to-from < least {
			continue
		}
		i = to
		if plain := fromMorse(text[from:to]); plain != "" {
			d.decoded(plain, span{from, to}, "morse", true)
		}
	}
}

// fromMorse returns what dots and dashes say, or nothing if there is another sign among them.
func fromMorse(row string) string {
	row = strings.ReplaceAll(strings.ReplaceAll(row, "   ", " / "), "|", "/")
	var b strings.Builder
	letters := 0
	for code := range strings.FieldsSeq(row) {
		switch letter, ok := morseLetters[code]; {
		case ok:
			b.WriteByte(letter)
			letters++
		case code == "/" || code == "//":
			b.WriteByte(' ')
		case strings.Trim(code, ".-") == "" && len(code) <= 6:
			b.WriteByte(' ') // a digit or a sign
		default:
			return ""
		}
	}
	if letters < minMorse {
		return ""
	}
	return b.String()
}

// unshift returns by how much a word of shifted must be moved to be read, and whether it
// alone tells.
func unshift(word string) (k int, certain bool) {
	for k := 1; k < 26; k++ {
		plain := shift(word, k)
		for _, w := range shiftedWords {
			if w == plain {
				return k, true
			}
		}
	}
	return 13, false
}

// maxParagraph bounds how much is read around a word in cipher, to either side.
const maxParagraph = 2000

// paragraph returns the span of the paragraph around i, not before from.
func (d *decoder) paragraph(i, from int) span {
	at := span{max(from, i-maxParagraph), min(len(d.view.text), i+maxParagraph)}
	if n := strings.LastIndex(d.view.text[at.start:i], "\n\n"); n >= 0 {
		at.start += n
	}
	if n := strings.Index(d.view.text[i:at.end], "\n\n"); n >= 0 {
		at.end = i + n
	}
	d.steps += at.end - at.start
	return at
}
