// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/secrets"
)

// planted is a made-up token; it is put together here so that nobody takes this file for a
// leak.
const planted = "ghp_" + "x7Kq2mV9sR4tW1zB8nC5dF3gH6jL0pQaYu3E"

// encodings are those that are undone.
var encodings = []struct {
	name   string
	encode func(string) string
}{
	{"base64", toString(base64.StdEncoding.EncodeToString)},
	{"base64 without padding", toString(base64.RawStdEncoding.EncodeToString)},
	{"base64 for URLs", toString(base64.URLEncoding.EncodeToString)},
	{"base64 for URLs without padding", toString(base64.RawURLEncoding.EncodeToString)},
	{"base64 in lines", func(s string) string { return inLines(base64.StdEncoding.EncodeToString([]byte(s)), 20, "\n") }},
	{"base64 in indented lines", func(s string) string { return inLines(base64.StdEncoding.EncodeToString([]byte(s)), 32, "\r\n    ") }},
	{"base64 of UTF-16", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(eachByte(s, "%c\x00"))) }},
	{"base64 of UTF-16, big end first", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(eachByte(s, "\x00%c"))) }},
	{"colours", func(s string) string {
		return "\x1b[31m" + s[:len(s)/2] + "\x1b[0m\x1b[1;32m" + s[len(s)/2:] + "\x1b[0m"
	}},
	{"base32", toString(base32.StdEncoding.EncodeToString)},
	{"hexadecimal", toString(hex.EncodeToString)},
	{"capital hexadecimal", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"percent", func(s string) string { return eachByte(s, "%%%02X") }},
	{"base64 in a query", func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) }},
	{"decimal references", func(s string) string { return eachByte(s, "&#%d;") }},
	{"hexadecimal references", func(s string) string { return eachByte(s, "&#x%x;") }},
	{"escapes of JSON", func(s string) string { return eachByte(s, `\u%04x`) }},
	{"escapes of bytes", func(s string) string { return eachByte(s, `\x%02x`) }},
}

func toString(encode func([]byte) string) func(string) string {
	return func(s string) string { return encode([]byte(s)) }
}

func eachByte(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func inLines(s string, width int, end string) string {
	var lines []string
	for ; len(s) > width; s = s[width:] {
		lines = append(lines, s[:width])
	}
	return strings.Join(append(lines, s), end)
}

func unescapeURL(s string) string {
	u, _ := url.PathUnescape(s) // text without an escape gives nothing away
	return u
}

func scanner(t testing.TB) *secrets.Scanner {
	t.Helper()
	s, err := common()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// redacted is a result without its secrets, and how many were found.
func redacted(t testing.TB, raw []byte) ([]byte, int) {
	t.Helper()
	r, err := result.Read("tools/call", raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	s := &search{ctx: t.Context(), result: r, scanner: scanner(t), options: new(Options)}
	s.all()
	s.settle()
	var edits []result.Edit
	for _, h := range s.found {
		edits = append(edits, h.edits...)
	}
	clean, err := r.Apply(edits)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return clean, len(s.found)
}

func textResult(texts ...string) []byte {
	var blocks []map[string]string
	for _, text := range texts {
		blocks = append(blocks, map[string]string{"type": "text", "text": text})
	}
	raw, _ := json.Marshal(map[string]any{"content": blocks}) // texts can be encoded
	return raw
}

// visible are the texts of a result as a model reads them.
func visible(t testing.TB, raw []byte) string {
	t.Helper()
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// TestEncodings finds a secret in each encoding, wherever in a stretch of characters of
// base64 it stands, in one text and split over two.
func TestEncodings(t *testing.T) {
	t.Parallel()
	for _, e := range encodings {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			for _, around := range [][2]string{{"", ""}, {"x", ""}, {"xy", "z"}, {"abc", ""}, {"https://h/x/ab/", ""}, {"/a/", "/b"},
				{"key_", ""}, {"data:text/plain;base64,", ""}, {"a\nb", "\n\nc"}, {"é", "é"}, {"x=", "&y=z"}} {
				for _, plain := range []string{planted, "token: " + planted + "\n", `{"a":1,"token":"` + planted + `"}`} {
					encoded := e.encode(plain)
					text := around[0] + encoded + around[1]
					half := len(around[0]) + len(encoded)/2
					for _, raw := range [][]byte{textResult(text), textResult(text[:half], text[half:])} {
						clean, n := redacted(t, raw)
						if got := visible(t, clean); n == 0 || strings.Contains(got, encoded) || strings.Contains(got, planted) {
							t.Errorf("%q becomes %q", text, got)
						}
					}
				}
			}
		})
	}
}
