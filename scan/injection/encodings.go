// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	minBase64  = 24 // bytes
	minHex     = 32 // digits
	minEscapes = 6  // in a row, or for per cent signs in a word
	minOctets  = 4  // numbers of eight binary digits
	minDecoded = 4  // words
	minWrapped = 3  // words, in a form that nobody needs for letters
	minNumbers = 12 // numbers of letters in a row
	minDigits  = 64 // binary digits in one word
)

// encodings decodes possible encodings of text, and of what comes out, and reports instructions in the result. All
// forms of a layer together are no longer than the text.
func (s *scanner) encodings(v *view, w *words) {
	d := decoder{scanner: s, view: v, words: w}
	d.layer()
	d.letters()
	d.leet()
	d.disguised()
	d.morse()
}

// maxLayers bounds how often an encoding is undone.
const maxLayers = 3

// layer undoes the encodings that others are wrapped in.
func (d *decoder) layer() {
	d.base64()
	d.octets()
	d.numbers()
	d.escapes()
	d.shifts()
}

// inner looks for encodings in what was decoded from a span.
func (d *decoder) inner(text string, w *words, at span) {
	if d.depth+1 >= maxLayers {
		return
	}
	start, end := d.view.original(at.start, at.end, len(d.scanner.text))
	next := decoder{scanner: d.scanner, view: &view{text: text, whole: &span{start, end}}, words: w, depth: d.depth + 1}
	next.layer()
}

// wrapping are the rules for forms that nobody needs for letters: of these, a short order is one as well.
var wrapping = map[string]bool{"percent": true, "escapes": true, "html-references": true, "hex": true, "numbers": true, "binary": true, "morse": true, "base64": true, "base32": true, "caesar": true}

// hasLongWord tells whether a text has a word that may be encoded in turn.
func hasLongWord(text string) bool {
	size := 0
	for i := range len(text) {
		if byteClass[text[i]]&inWord == 0 {
			size = 0
			continue
		}
		if size++; size == minLong {
			return true
		}
	}
	return strings.Contains(text, "%") || strings.Contains(text, `\`) || strings.Contains(text, "&#")
}

// A decoder looks for encoded text in a view.
type decoder struct {
	*scanner
	view *view
	*words
	depth int // how often the view was decoded
}

// decoded reports text that was decoded from a span of the view, if it gives orders.
// Deliberate says that nobody writes prose in this form by chance.
func (d *decoder) decoded(raw string, at span, rule string, deliberate bool) {
	d.steps += len(raw)
	least := minDecoded
	if d.depth > 0 || wrapping[rule] {
		least = minWrapped
	}
	few := countWords(raw, least) < least
	if few && (!deliberate || !hasLongWord(raw)) {
		return
	}
	var hidden []hiddenSpan
	deliberate = deliberate && !json.Valid([]byte(raw)) // the parameters of a page
	if deliberate {
		hidden = []hiddenSpan{{span{0, len(raw)}, kindEncoded, rule}}
	}
	text := fold(d.pace, raw).text
	words := read(d.pace, text)
	if deliberate {
		d.inner(text, words, at)
	}
	if few {
		return
	}
	r := newReading(words, d.pace, text, hidden)
	score := 0
	for _, group := range r.groups() {
		score = max(score, sum(group))
	}
	if deliberate && score < enough && sentence(raw) && (r.begins(actionWord) || r.shortOrder() || d.toldToDecode(at.start)) {
		score = enough
	}
	if score < enough && (deliberate || rule != "percent") {
		score = max(score, addressed(text[:min(len(text), maxAddress)]))
	}
	d.steps += r.steps
	if score >= enough {
		start, end := d.view.original(at.start, at.end, len(d.scanner.text))
		d.report(kindEncoded, rule, start, end, score)
	}
}

// shortOrder tells whether a short text begins with an order of the kinds that the grammar knows.
func (r *reading) shortOrder() bool {
	return len(r.text) <= maxShortOrder && len(r.hits) > 1 && r.hits[0].word == 0 && r.hits[0].class&orderWords != 0
}

const maxShortOrder = 120 // bytes

// sentence tells whether a text is made of words and spaces, as sentences are and data is
// not.
func sentence(text string) bool {
	letters, spaces := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case byteClass[c]&isLetter != 0 && c != '_' || c >= utf8.RuneSelf:
			letters++
		case c == ' ' || c == '\n':
			spaces++
		}
	}
	return spaces >= minWrapped-1 && (letters+spaces)*10 >= 8*len(text)
}

// begins tells whether a clause begins with a word of a class.
func (r *reading) begins(c class) bool {
	return slices.ContainsFunc(r.hits, func(h hit) bool {
		return h.class&c != 0 && r.clauseBegins(int(h.start))
	})
}

// toldToDecode tells whether "decode and follow" or the like stands in front of i.
func (d *decoder) toldToDecode(i int) bool {
	from := max(i-60, 0)
	d.steps += i - from
	var seen class
	for _, h := range read(d.pace, d.view.text[from:i]).hits {
		seen |= h.class
	}
	return seen&decodeWord != 0 && seen&(followWord&^decodeWord) != 0
}

// base64 decodes base64 and hexadecimal numbers.
func (d *decoder) base64() {
	end := 0
	for _, l := range d.long {
		if d.over() {
			return
		}
		if l.start < end {
			continue
		}
		at := d.extend(l, end)
		end = at.end
		word := d.view.text[at.start:at.end]
		if size := at.end - at.start; size >= minHex && size%2 == 0 {
			if raw, err := hex.DecodeString(word); err == nil && printable(string(raw)) {
				d.decoded(string(raw), at, "hex", true)
				continue
			}
		}
		if at.end-at.start < minBase64 {
			continue
		}
		if text, ok := fromBase64(word); ok {
			d.decoded(text, at, "base64", true)
		} else if text, ok := fromDigits(word); ok {
			d.decoded(text, at, "binary", true)
		} else if text, ok := fromBase32(word); ok {
			d.decoded(text, at, "base32", true)
		}
	}
}

// fromDigits decodes binary digits without spaces between the bytes.
func fromDigits(word string) (string, bool) {
	if len(word) < minDigits || len(word)%8 != 0 || strings.Trim(word, "01") != "" {
		return "", false
	}
	raw := make([]byte, 0, len(word)/8)
	for i := 0; i < len(word); i += 8 {
		n, _ := strconv.ParseUint(word[i:i+8], 2, 8) // they are 0 and 1 alone
		raw = append(raw, byte(n))
	}
	return string(raw), printable(string(raw))
}

// fromBase32 decodes base32 with or without padding.
func fromBase32(word string) (string, bool) {
	word = strings.TrimRight(word, "=")
	if strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return "", false
	}
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(word)
	return string(raw), err == nil && printable(string(raw))
}

// numbers decodes rows of the numbers of letters: 73 103 110, 49 67 6e, 0x49 0x67.
func (d *decoder) numbers() {
	for _, at := range d.codes {
		if d.over() {
			return
		}
		row := d.view.text[at.start:at.end]
		d.steps += 2 * len(row)
		for _, base := range [...]int{10, 16} {
			if text, ok := fromNumbers(row, base); ok {
				d.decoded(text, at, "numbers", true)
				break
			}
		}
	}
}

func fromNumbers(row string, base int) (string, bool) {
	var raw []byte
	for word := range strings.FieldsFuncSeq(row, func(r rune) bool { return r > 'z' || byteClass[byte(r)]&inWord == 0 }) {
		n, err := strconv.ParseUint(strings.TrimPrefix(word, "0x"), base, 8)
		if err != nil {
			return "", false
		}
		raw = append(raw, byte(n))
	}
	return string(raw), printable(string(raw))
}

// extend returns the span around a word that is of the alphabet of base64.
func (d *decoder) extend(l span, from int) span {
	text := d.view.text
	isCode := func(c byte) bool {
		return byteClass[c]&(isLetter|isDigit) != 0 || c == '+' || c == '/' || c == '-' || c == '='
	}
	for l.start > from && isCode(text[l.start-1]) {
		l.start--
		d.steps++
	}
	for l.end < len(text) && isCode(text[l.end]) {
		l.end++
		d.steps++
	}
	if i := strings.IndexByte(strings.TrimRight(text[l.start:l.end], "="), '='); i >= 0 && l.start+i+3 < l.end {
		l.start += i + 1 // key=value
	}
	return l
}

// octets decodes binary digits in groups of eight.
func (d *decoder) octets() {
	for i := 0; i < len(d.bits) && !d.over(); {
		var raw []byte
		j := i
		for ; j < len(d.bits) && (j == i || d.bits[j].start-d.bits[j-1].end <= 2); j++ {
			n, _ := strconv.ParseUint(d.view.text[d.bits[j].start:d.bits[j].end], 2, 8) // the reader saw 0 and 1 alone
			raw = append(raw, byte(n))
		}
		if len(raw) >= minOctets && printable(string(raw)) {
			d.decoded(string(raw), span{d.bits[i].start, d.bits[j-1].end}, "binary", true)
		}
		i = j
	}
}

// escapes decodes per cent signs, references of HTML and escapes of programming languages.
func (d *decoder) escapes() {
	text := d.view.text
	d.steps += 3 * len(text)
	if strings.IndexByte(text, '&') >= 0 {
		d.runs("&#", "html-references", html.UnescapeString)
	}
	if strings.IndexByte(text, '\\') >= 0 {
		d.runs(`\u`, "escapes", unescape)
		d.runs(`\x`, "escapes", unescape)
		d.runs(`\1`, "escapes", unescape)
	}
	// Of the lines, only those with one of the signs are looked at: they are few.
	next := [...]int{-1, -1}
	for at := 0; !d.over(); {
		for i, sign := range [...]byte{'%', '+'} {
			if next[i] >= at {
				continue
			}
			if next[i] = strings.IndexByte(text[at:], sign); next[i] < 0 {
				next[i] = len(text)
			} else {
				next[i] += at
			}
		}
		first := min(next[0], next[1])
		if first == len(text) {
			return
		}
		start := max(at, strings.LastIndexByte(text[at:first], '\n')+1+at)
		end := first + lineEnd(text[first:])
		if queryEscapes(text[start:end]) >= minEscapes {
			d.percent(span{start, end})
		}
		if at = end + 1; at > len(text) {
			return
		}
	}
}

// maxEscape is how long an escape is at most, with a character behind it.
const maxEscape = 9

// runs decodes runs of escapes that begin with mark and stand close together.
func (d *decoder) runs(mark, rule string, decode func(string) string) {
	text := d.view.text
	for at := 0; !d.over(); {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			return
		}
		run := run{from: at + i, to: at + i}
		for next := 0; next >= 0 && next <= maxEscape; {
			run.to += next + len(mark)
			run.count++
			next = strings.Index(text[run.to:min(len(text), run.to+maxEscape+len(mark))], mark)
		}
		end := min(len(text), run.to+maxEscape-len(mark))
		if n := strings.IndexAny(text[run.to:end], ";\" \n"); n >= 0 {
			end = run.to + n + 1
		}
		if run.count >= minEscapes {
			if plain := decode(text[run.from:end]); printable(plain) {
				d.decoded(plain, span{run.from, end}, rule, true)
			}
		}
		at = run.to
	}
}

// percent decodes the words of a line that have many per cent signs.
func (d *decoder) percent(line span) {
	for at := line.start; at < line.end; {
		n := line.end - at
		for _, space := range []byte(" \t") {
			if i := strings.IndexByte(d.view.text[at:at+n], space); i >= 0 {
				n = i
			}
		}
		word := d.view.text[at : at+n]
		if queryEscapes(word) >= minEscapes {
			percent := strings.Contains(word, "%")
			deliberate := (percent || n <= plusEvery*queryEscapes(word)) && !strings.Contains(word, "://") && strings.Count(word, "=") < 2 // a query
			if !deliberate && !percent && !d.mayMatch(span{at, at + n}) {
				at += n + 1
				continue // the pluses part the same words that spaces would
			}
			d.decoded(unpercent(word), span{at, at + n}, "percent", deliberate)
		}
		at += n + 1
	}
}

// mayMatch reports whether a phrase or a role may be in a span of the view: a word of a role, or two words of the lexicon
// that stand together.
func (d *decoder) mayMatch(at span) bool {
	i, _ := slices.BinarySearchFunc(d.hits, at.start, func(h hit, start int) int { return int(h.start) - start })
	for ; i < len(d.hits) && at.contains(int(d.hits[i].start)); i++ {
		if d.hits[i].class&roleWord != 0 || i > 0 && d.hits[i].word-d.hits[i-1].word <= maxGap {
			return true
		}
	}
	return false
}

// maxGap is how many words may lie between two of a phrase, and more.
const maxGap = 32

// plusEvery is how many bytes a word of a sentence takes at most, on average, with the plus behind it. Base64 of
// pictures and archives has a plus in 64 characters, and 7 in a line of 76 once in 5,000 lines.
const plusEvery = 12

// queryEscapes counts the escapes of a query: a plus is a space.
func queryEscapes(s string) int { return strings.Count(s, "%") + strings.Count(s, "+") }

// unpercent decodes %41 to A and a plus to a space, and leaves what is no such escape.
func unpercent(s string) string {
	s = strings.ReplaceAll(s, "+", " ")
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 || i+2 >= len(s) {
			b.WriteString(s)
			return strings.ToValidUTF8(b.String(), " ")
		}
		b.WriteString(s[:i])
		if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
			b.WriteByte(byte(n))
			s = s[i+3:]
			continue
		}
		b.WriteByte('%')
		s = s[i+1:]
	}
}

// unescape decodes \u0041 and \x41 to A, and leaves what is no such escape.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		digits := 0
		if s[i] == '\\' && i+1 < len(s) {
			digits = map[byte]int{'u': 4, 'x': 2}[s[i+1]]
			if n, err := strconv.ParseUint(s[i+1:min(i+4, len(s))], 8, 8); err == nil && i+4 <= len(s) {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		if digits > 0 && i+2+digits <= len(s) {
			if n, err := strconv.ParseUint(s[i+2:i+2+digits], 16, 32); err == nil {
				b.WriteRune(rune(n)) // a half of a surrogate pair becomes the replacement character
				i += 1 + digits
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), string(utf8.RuneError))
}
