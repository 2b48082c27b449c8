// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"cmp"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"sort"
	"strings"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/secrets"
)

// A code writes bytes as characters of an alphabet, each of which stands for some bits (RFC
// 4648). Groups of characters stand for groups of bytes.
type code struct {
	values       [256]byte // of characters; none for others
	bits         int       // of a character
	chars, bytes int       // of a group
	least        int       // characters that are looked into
	encode       func(text []byte, like []byte) string
}

// none is the value of a character that is not in the alphabet.
const none = 0xff

const base64Chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// codes are what is looked into. Their alphabets are part of that of a stretch.
var codes = []*code{
	newCode(6, minStretch, []string{base64Chars, base64Chars[:62] + "-_"}, func(text, like []byte) string {
		if bytes.ContainsAny(like, "-_") {
			return base64.RawURLEncoding.EncodeToString(text)
		}
		return base64.RawStdEncoding.EncodeToString(text)
	}),
	newCode(5, 24, []string{"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"}, func(text, _ []byte) string {
		return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(text)
	}),
	newCode(4, 32, []string{"0123456789abcdef", "0123456789ABCDEF"}, func(text, like []byte) string {
		if bytes.ContainsAny(like, "ABCDEF") {
			return string(bytes.ToUpper([]byte(hex.EncodeToString(text))))
		}
		return hex.EncodeToString(text)
	}),
}

func newCode(bits, least int, alphabets []string, encode func(text, like []byte) string) *code {
	c := &code{bits: bits, chars: 8, bytes: bits, least: least, encode: encode}
	for c.chars%2 == 0 && c.bytes%2 == 0 {
		c.chars, c.bytes = c.chars/2, c.bytes/2
	}
	for i := range c.values {
		c.values[i] = none
	}
	for _, alphabet := range alphabets {
		for i, char := range []byte(alphabet) {
			c.values[char] = byte(i)
		}
	}
	return c
}

// decode writes the bytes that characters stand for to dst. A rest at the end that makes no byte
// is dropped.
func (c *code) decode(dst, chars []byte) []byte {
	dst = dst[:0]
	acc, n := uint(0), 0
	for _, char := range chars {
		acc = acc<<c.bits | uint(c.values[char])
		if n += c.bits; n >= 8 {
			n -= 8
			dst = append(dst, byte(acc>>n))
		}
	}
	return dst
}

// encoded looks one level down into what a source holds in base64, base32 or hexadecimal
// digits, be it a blob or a part of a text, in one line or in several.
func (s *search) encoded(src source) {
	eachStretch(src.text, func(r *stretch) {
		for _, c := range codes {
			c.eachRun(r.chars, func(start, end int) { s.phases(src, r, c, start, end) })
		}
	})
}

// eachRun visits the runs of characters of the alphabet that are long enough.
func (c *code) eachRun(chars []byte, visit func(start, end int)) {
	for start := 0; start+c.least <= len(chars); {
		end := start + c.least
		i := end - 1
		for i >= start && c.values[chars[i]] != none {
			i--
		}
		if i >= start { // mostly after few looks
			start = i + 1
			continue
		}
		for end < len(chars) && c.values[chars[end]] != none {
			end++
		}
		visit(start, end)
		start = end + 1
	}
}

// phases looks at a part of a stretch. Encoded text may begin at any of its characters: of as
// many readings as a group has characters, one is right.
func (s *search) phases(src source, r *stretch, c *code, start, end int) {
	for phase := range c.chars {
		s.work += end - start
		c.eachText(r.chars[min(start+phase, end):end], func(from, to int) {
			groups := part{r, c, start + phase + from/c.bytes*c.chars, end}
			from, to = from%c.bytes, to-from+from%c.bytes
			s.decoded = c.decode(s.decoded, groups.chars(to))
			for _, matches := range groups.grouped(s.inText(groups.cuts(from, to), from, to)) {
				s.add(matches[0], groups.replace(src, s.decoded, matches))
			}
		})
	}
}

// minText is the length of the shortest text in which a secret is looked for. A shorter one
// may come about by chance.
const minText = 12

// eachText visits the texts among the bytes that characters stand for.
func (c *code) eachText(chars []byte, visit func(from, to int)) {
	size := len(chars) * c.bits / 8
	for from := 0; from+minText <= size; {
		i := from + minText - 1
		for i >= from && isText[c.byteAt(chars, i)] {
			i--
		}
		if i >= from { // mostly after one look: what is no text is seen fast
			from = i + 1
			continue
		}
		to := from + minText
		for to < size && isText[c.byteAt(chars, to)] {
			to++
		}
		visit(from, to)
		from = to + 1
	}
}

// byteAt is a byte of those that characters stand for.
func (c *code) byteAt(chars []byte, i int) byte {
	switch c.bits {
	case 6:
		at, n := i/3*4+i%3, i%3*2
		return c.values[chars[at]]<<(2+n) | c.values[chars[at+1]]>>(4-n)
	case 4:
		return c.values[chars[2*i]]<<4 | c.values[chars[2*i+1]]
	}
	at, n := i*8/5, -(i * 8 % 5)
	acc := uint(0)
	for ; n < 8; n += 5 {
		acc = acc<<5 | uint(c.values[chars[at]])
		at++
	}
	return byte(acc >> (n - 8))
}

// isText are the bytes of a text, as far as secrets and their names go. In UTF-16, as PowerShell
// encodes its commands, every other one is NUL.
var isText = func() (is [256]bool) {
	for c := ' '; c <= '~'; c++ {
		is[c] = true
	}
	is['\t'], is['\n'], is['\r'], is[0] = true, true, true, true
	return is
}()

// inText scans decoded text, as a whole and cut up: what is not encoded may seem to be a text
// too, and would hide the begin or end of a secret beside it.
func (s *search) inText(cuts []int, start, end int) []secrets.Match {
	list := s.matches(start, end)
	if len(cuts) == 0 {
		return list
	}
	from := start
	for _, at := range append(cuts, end) {
		list = append(list, s.matches(from, at)...)
		from = at
	}
	sort.SliceStable(list, func(i, j int) bool { return cmp.Or(list[i].Start-list[j].Start, list[j].End-list[i].End) < 0 })
	return list
}

// matches scans a part of the decoded text.
func (s *search) matches(start, end int) []secrets.Match {
	if end-start < minText {
		return nil
	}
	s.work += end - start
	list := s.scan(string(s.decoded[start:end]))
	for i := range list {
		list[i].Start += start
		list[i].End += start
	}
	return list
}

// A part is what of a stretch is decoded at once.
type part struct {
	run        *stretch
	code       *code
	start, end int // of its characters
}

// chars are those that stand for the first bytes.
func (p part) chars(bytes int) []byte {
	groups := (bytes + p.code.bytes - 1) / p.code.bytes
	return p.run.chars[p.start:min(p.start+groups*p.code.chars, p.end)]
}

// cuts are the possible begins and ends of encoded text in a range, in order.
func (p part) cuts(from, to int) []int {
	var list []int
	for char := p.charAt(from); char < p.end; char++ {
		at := (char - p.start) * p.code.bits / 8
		if at >= to {
			break
		}
		begins := (char-p.start)%p.code.chars == 0 && char > p.start && p.run.mayBegin(char)
		if at > from && (begins || p.run.mayEnd(char)) {
			list = append(list, at)
		}
	}
	return slices.Compact(list)
}

// grouped puts matches together that share a group of bytes.
func (p part) grouped(list []secrets.Match) [][]secrets.Match {
	var all [][]secrets.Match
	end := -1 // of the last group's bytes
	for _, m := range list {
		if last := len(all) - 1; m.Start < end {
			all[last] = append(all[last], m)
		} else {
			all = append(all, []secrets.Match{m})
		}
		end = max(end, (m.End+p.code.bytes-1)/p.code.bytes*p.code.bytes)
	}
	return all
}

// replace is the edit of a source that puts markers in the place of matches with common groups of
// bytes. The text around them stays, and the text behind keeps its phase.
func (p part) replace(src source, decoded []byte, matches []secrets.Match) []result.Edit {
	pos := matches[0].Start / p.code.bytes * p.code.bytes
	first := p.start + pos*8/p.code.bits
	var clean []byte
	for _, m := range matches {
		if m.Start >= pos {
			clean = append(append(clean, decoded[pos:m.Start]...), markerLike(m, decoded[m.Start:m.End])...)
		}
		pos = max(pos, m.End)
	}
	end := min((pos+p.code.bytes-1)/p.code.bytes*p.code.bytes, len(decoded))
	if p.run.mayEnd(p.charAt(pos)) {
		end = pos
	}
	clean = append(clean, decoded[pos:end]...)
	last := p.charAt(end)
	for last < p.end && !p.run.mayEnd(last) && len(clean)%p.code.bytes != 0 {
		clean = append(clean, spaceBehind(clean)...)
	}
	text := p.code.encode(clean, p.run.chars[first:last])
	to := p.run.behind(last - 1)
	if last == len(p.run.chars) && (p.run.equals > 0 || (last-first)%p.code.chars == 0) {
		text += strings.Repeat("=", -len(text)&(p.code.chars-1))
		to = p.run.end
	}
	return src.edit(p.run.begin(first), to, text)
}

// charAt is the character behind those that stand for so many bytes.
func (p part) charAt(bytes int) int { return p.start + (bytes*8+p.code.bits-1)/p.code.bits }

// spaceBehind is a space for the end of text, in the text's encoding.
func spaceBehind(text []byte) string {
	switch n := len(text); {
	case n > 1 && text[n-1] == 0:
		return " \x00"
	case n > 1 && text[n-2] == 0:
		return "\x00 "
	}
	return " "
}

// markerLike is a marker in the encoding of the text that it replaces. That keeps the text behind
// it readable.
func markerLike(m secrets.Match, text []byte) string {
	if len(text) < 2 || text[1] != 0 {
		return marker(m)
	}
	wide := strings.Join(strings.Split(marker(m), ""), "\x00")
	if len(text)%2 == 0 {
		wide += "\x00"
	}
	return wide
}
