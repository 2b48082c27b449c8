// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/scan/secret"
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

// unpercented is a source with its percent-encoding undone (RFC 3986, section 2.1), if
// there is any.
func (src source) unpercented() (source, bool) {
	if bytes.IndexByte(src.text, '%') < 0 {
		return source{}, false
	}
	text, offsets := decodePercent(src.text)
	edit := func(start, end int, text string) []result.Edit {
		return src.edit(offsets[start], offsets[end], forQuery.Replace(text))
	}
	return source{text, edit}, len(text) < len(src.text)
}

// forQuery encodes what base64 has and a query must not.
var forQuery = strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D")

// decodePercent returns the decoded text, and for each of its bytes and its end where it
// stands in raw.
func decodePercent(raw []byte) (text []byte, offsets []int) {
	for i := 0; i < len(raw); {
		offsets = append(offsets, i)
		if raw[i] == '%' && i+2 < len(raw) {
			high, low := unhex(raw[i+1]), unhex(raw[i+2])
			if high < 16 && low < 16 {
				text = append(text, high<<4|low)
				i += 3
				continue
			}
		}
		text = append(text, raw[i])
		i++
	}
	return text, append(offsets, len(raw))
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

func marker(m secret.Match) string { return secret.Marker(m.Pattern) }
