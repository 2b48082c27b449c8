// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/secrets"
)

// A source is a text that a result holds, and the way back to where it stands.
type source struct {
	text []byte
	edit func(start, end int, text string) []result.Edit
}

// raw is the result as it stands.
func (s *search) raw() source { return source{s.result.Raw, s.result.Replace} }

// joined is the text of all blocks, which a model reads as one. It reports whether there are
// several.
func (s *search) joined() (source, bool) {
	blocks := s.result.TextBlocks()
	if len(blocks) < 2 {
		return source{}, false
	}
	var text []byte
	starts := make([]int, len(blocks)+1) // of the blocks, in text
	for i, t := range blocks {
		text = append(text, result.Unquote(s.result.Raw[t.Start:t.End])...)
		starts[i+1] = len(text)
	}
	edit := func(start, end int, text string) []result.Edit {
		first, _ := slices.BinarySearch(starts, start+1)
		last, _ := slices.BinarySearch(starts, end)
		var edits []result.Edit
		for i := first - 1; i < last; i++ {
			if from, to := max(start, starts[i]), min(end, starts[i+1]); from < to {
				edits = append(edits, s.result.ReplaceText(blocks[i], from-starts[i], to-starts[i], text))
				text = ""
			}
		}
		return edits
	}
	return source{text, edit}, true
}

// token is a token as it stands, without its quotes.
func (s *search) token(t result.Token) source {
	from := t.Start + 1
	return source{s.result.Raw[from : t.End-1], func(start, end int, text string) []result.Edit {
		return s.result.Replace(from+start, from+end, text)
	}}
}

// unquoted is the text of a token, without the escapes of JSON.
func (s *search) unquoted(t result.Token) source {
	return source{[]byte(result.Unquote(s.result.Raw[t.Start:t.End])), func(start, end int, text string) []result.Edit {
		return []result.Edit{s.result.ReplaceText(t, start, end, text)}
	}}
}

// unpercented yields the parts of a source around its percent-encoded characters (RFC 3986, section 2.1), with
// these decoded.
func (src source) unpercented(yield func(source) bool) {
	for start, end := range aroundEscapes(src.text) {
		text, escapes := decodePercent(src.text[start:end])
		edit := func(from, to int, text string) []result.Edit {
			return src.edit(start+escapes.before(from), start+escapes.before(to), forQuery.Replace(text))
		}
		if !yield(source{text, edit}) {
			return
		}
	}
}

// escapeReach is how much text, in bytes, is looked at to either side of an escape: a name or a value with the
// escape may be that long. The words at the ends are looked at as a whole.
const escapeReach = 1 << 8

// aroundEscapes yields the start and end of each part.
func aroundEscapes(text []byte) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		start, end := 0, 0
		for i := nextEscape(text, 0); i < len(text); i = nextEscape(text, i+3) {
			if i-escapeReach > end {
				if end > 0 && !yield(start, end) {
					return
				}
				start = end + 1 + bytes.LastIndexAny(text[end:i-escapeReach], betweenWords)
			}
			if end < i+escapeReach {
				end = min(i+escapeReach, len(text))
				if n := bytes.IndexAny(text[end:], betweenWords); n >= 0 {
					end += n
				} else {
					end = len(text)
				}
			}
		}
		if end > 0 {
			yield(start, end)
		}
	}
}

// betweenWords are the characters that part words, in ASCII.
const betweenWords = " \t\r\n\\\"'<>"

// nextEscape is the offset of the first escape from an offset on, or the length of text.
func nextEscape(text []byte, from int) int {
	for from < len(text) {
		n := bytes.IndexByte(text[from:], '%')
		if n < 0 {
			break
		}
		if from += n; isEscape(text[from:]) {
			return from
		}
		from++
	}
	return len(text)
}

func isEscape(s []byte) bool {
	return len(s) > 2 && s[0] == '%' && unhex(s[1]) < 16 && unhex(s[2]) < 16
}

// forQuery encodes what base64 has and a query must not.
var forQuery = strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D")

// decodePercent returns the decoded text, and where in it escapes stood.
func decodePercent(raw []byte) (text []byte, at escapes) {
	text = make([]byte, 0, len(raw))
	from := 0
	for i := nextEscape(raw, 0); i < len(raw); i = nextEscape(raw, from) {
		text = append(text, raw[from:i]...)
		at = append(at, len(text))
		text = append(text, unhex(raw[i+1])<<4|unhex(raw[i+2]))
		from = i + 3
	}
	return append(text, raw[from:]...), at
}

// Escapes are the offsets of the bytes of a decoded text that were escapes, in order.
type escapes []int

// before returns where in the raw text a byte of the decoded text stands.
func (e escapes) before(at int) int {
	n, _ := slices.BinarySearch(e, at)
	return at + 2*n
}

func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

func marker(m secrets.Match) string { return secrets.Marker(m.Pattern) }
