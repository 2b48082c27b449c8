// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/result"
)

// percent looks into the percent-encoded text of a token (RFC 3986, section 2.1).
func (s *search) percent(t result.Token) {
	raw := s.result.Raw[t.Start:t.End]
	if bytes.IndexByte(raw, '%') < 0 {
		return
	}
	text, offsets := decodePercent(raw)
	if len(text) == len(raw) {
		return
	}
	for _, m := range s.scanner.Scan(string(text)) {
		s.add(m, s.result.Replace(t.Start+offsets[m.Start], t.Start+offsets[m.End], marker(m)))
	}
}

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

// minBase64 is the length of the shortest base64 that is looked into: a secret of some 15
// bytes.
const minBase64 = 20

// base64 looks one level down into the base64 of a token, be it a blob or a part of a text,
// in one line or in several.
func (s *search) base64(t result.Token) {
	s.runs(t, oneLine)
	if bytes.Contains(s.result.Raw[t.Start:t.End], []byte(`\n`)) {
		s.runs(t, lines)
	}
}

// Whether base64 goes on behind the end of a line.
const (
	oneLine = false
	lines   = true
)

func (s *search) runs(t result.Token, wrapped bool) {
	inner := s.result.Raw[t.Start+1 : t.End-1]
	for i := 0; i < len(inner); {
		n := 0
		for i+n < len(inner) {
			step := isBase64(inner[i+n:])
			if step == 0 && wrapped && n > 0 {
				step = lineEnd(inner[i+n:])
			}
			if step == 0 {
				break
			}
			n += step
		}
		if n >= minBase64 {
			end := i + n
			for end < len(inner) && inner[end] == '=' && end < i+n+2 {
				end++
			}
			s.decoded(t, t.Start+1+i, t.Start+1+end)
			n = end - i
		}
		i += max(n, 1)
	}
}

// lineEnd is the length of the escapes of a line's end, or 0.
func lineEnd(s []byte) int {
	for _, end := range []string{`\r\n`, `\n`} {
		if bytes.HasPrefix(s, []byte(end)) {
			return len(end)
		}
	}
	return 0
}

// isBase64 is the length of the character of base64 that s begins with, or 0. JSON may
// escape the slash.
func isBase64(s []byte) int {
	switch c := s[0]; {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '+', c == '/', c == '-', c == '_':
		return 1
	case c == '\\' && len(s) > 1 && s[1] == '/':
		return 2
	}
	return 0
}

// decoded looks at what a run of base64 between two offsets of Raw holds. A secret in it is
// replaced, and the whole encoded again, so that it stays base64.
func (s *search) decoded(t result.Token, start, end int) {
	run := unwrap.Replace(string(s.result.Raw[start:end]))
	encoding, text := decode(run)
	if !isText(text) {
		return
	}
	matches := s.scanner.Scan(string(text))
	if len(matches) == 0 {
		return
	}
	var clean bytes.Buffer
	pos := 0
	for _, m := range matches {
		clean.Write(text[pos:m.Start])
		clean.WriteString(marker(m))
		pos = m.End
	}
	clean.Write(text[pos:])
	s.add(matches[0], []result.Edit{{Start: start, End: end, Text: encoding.EncodeToString(clean.Bytes())}})
}

// unwrap takes out what JSON and the ends of lines put into base64.
var unwrap = strings.NewReplacer(`\/`, "/", `\r`, "", `\n`, "")

// decode reads base64 of either alphabet, padded or not (RFC 4648, sections 4 and 5).
func decode(run string) (*base64.Encoding, []byte) {
	encoding := base64.StdEncoding
	if strings.ContainsAny(run, "-_") {
		encoding = base64.URLEncoding
	}
	bare := strings.TrimRight(run, "=")
	if bare == run && len(run)%4 != 0 {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	text, err := encoding.DecodeString(run)
	if err != nil { // a word before it, or one character too many
		text, _ = encoding.WithPadding(base64.NoPadding).DecodeString(bare[:len(bare)-len(bare)%4])
	}
	return encoding, text
}

// isText reports whether bytes are text, perhaps with some others in it, and not an image or
// the like.
func isText(b []byte) bool {
	sample := b[:min(len(b), 4000)]
	printable, valid := 0, utf8.Valid(b)
	for _, c := range sample {
		if ' ' <= c && c < 0x7f || c == '\n' || c == '\r' || c == '\t' || c >= 0x80 && valid {
			printable++
		}
	}
	return len(b) > 0 && printable*10 >= len(sample)*8
}
