// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolvet/toolvet/call/result"
)

// maxWork is how often each byte may be decoded or scanned: fourteen readings of hexadecimal
// digits, and as many scans of what they say, as a whole and cut up, in a result, in its
// blocks, and in both without percent-encoding.
const maxWork = 100

// FuzzEncoded holds that whatever stands around it, an encoded secret is found, that nothing
// of it is left in any reading, and that a result in which nothing is found stays as it is.
func FuzzEncoded(f *testing.F) {
	for i := range encodings {
		f.Add(i, "", "", 0)
		f.Add(i, "x", "AbC", 5)
		f.Add(i, "https://h/x/ab/", "/-_", 17)
	}
	f.Add(0, "eyJhbGciOiJIUzI1NiJ9eyJzdWIiOiIx", "AKIAIOSFODNN7EXAMPLEZZ", 40)
	f.Add(3, "Z2hwX3g3S3EybVY5c1I0dFcxekI4bkM1ZEYzZ0g2akwwcFFhWXUzRQ", "6768705f78374b71326d", 3)
	f.Fuzz(func(t *testing.T, encoding int, before, after string, split int) {
		if len(before)+len(after) > 2000 {
			return
		}
		e := encodings[abs(encoding)%len(encodings)]
		text := inAlphabet(before) + e.encode(`"token": "`+planted+`",`) + inAlphabet(after)
		split = abs(split) % len(text)
		for _, raw := range [][]byte{textResult(text), textResult(text[:split], text[split:])} {
			clean, n := redacted(t, raw)
			if got := visible(t, clean); n == 0 || givesAway(got) {
				t.Errorf("%s: %q becomes %q", e.name, text, got)
			}
		}
		raw := textResult(before, after)
		if clean, n := redacted(t, raw); n == 0 && !bytes.Equal(raw, clean) {
			t.Errorf("nothing is found, and %s becomes %s", raw, clean)
		}
	})
}

// FuzzSearch holds that any result is looked at in linear time, without a panic, and is JSON
// with as many values afterwards.
func FuzzSearch(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"Z2hwX3g3S3Ey\n  bVY5c1I0dFcxekI4bkM1"},{"text":"%41\/\\u0041&amp;#65;"}],"password":123456789}`)
	f.Add(`{"ghp_x7Kq2mV9sR4tW1zB8nC5dF3gH6jL0pQaYu3E":1,"":["\ud83d\ude00%","\\x4"]}`)
	for _, sample := range hostile {
		f.Add(`["` + sample + `"]`)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := result.Read("tools/call", json.RawMessage(raw))
		if err != nil || !json.Valid([]byte(raw)) {
			return
		}
		s := search{ctx: t.Context(), result: r, scanner: scanner(t), options: new(Options)}
		s.all()
		s.settle()
		if s.work > maxWork*(len(raw)+100) {
			t.Errorf("%d bytes are looked at for %d", s.work, len(raw))
		}
		var edits []result.Edit
		for _, h := range s.found {
			edits = append(edits, h.edits...)
		}
		clean, err := r.Apply(edits)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		after, err := result.Read("tools/call", clean)
		if err != nil || len(after.Tokens()) != len(r.Tokens()) {
			t.Errorf("%q becomes %q", raw, clean)
		}
	})
}

// hostile are texts that are meant to be looked at again and again.
var hostile = []string{
	"A", "QUFBQUFB", "QQBBAEEA", `\u001b[1m`, `\u001b[`, "aGVsbG8gd29ybGQ/", "/", "-_", "4141414141414141", "41/", "MFRGGZDF", `QUFB\n`, `QUFBQUFB\n  `, `\\n`, `\\/`, `\\\\`, "%41", "%2541",
	"&amp;", "&#65;", `\\u0026amp;`, "%", "cGFzc3dvcmQ9", "password=", "ghp_", "Z2hwXw", "a b ",
}

func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	for _, sample := range hostile {
		for _, size := range []int{1 << 10, 32 << 10} {
			texts := strings.Repeat(sample, size/len(sample))
			for _, raw := range []string{`["` + texts + `"]`, `{"content":[{"text":"` + texts + `"},{"text":"` + texts + `"}]}`} {
				r, err := result.Read("tools/call", json.RawMessage(raw))
				if err != nil {
					t.Fatal(err)
				}
				s := search{ctx: t.Context(), result: r, scanner: scanner(t), options: new(Options)}
				s.all()
				s.settle()
				if s.work > maxWork*len(raw) {
					t.Errorf("%s: %d bytes are looked at for %d", sample, s.work, len(raw))
				}
			}
		}
	}
}

func abs(n int) int { return max(n, -(n + 1)) }

// inAlphabet is what of a text is in the alphabet of base64.
func inAlphabet(text string) string {
	return strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && inStretch[c] {
			return c
		}
		return -1
	}, text)
}

// givesAway reports whether a text holds the planted token, as it stands or in any reading.
func givesAway(text string) bool {
	for _, plain := range []string{text, unescapeURL(text), html.UnescapeString(text), strings.NewReplacer("\n", "", "\r", "", " ", "").Replace(text)} {
		if strings.Contains(plain, planted) {
			return true
		}
		chars := strings.NewReplacer("-", "+", "_", "/").Replace(inAlphabet(plain))
		for phase := range min(8, len(chars)) {
			for size, decode := range map[int]func(string) ([]byte, error){4: base64.StdEncoding.DecodeString, 8: base32.StdEncoding.DecodeString, 2: hex.DecodeString} {
				var b []byte
				for at := phase; at+size <= len(chars); at += size {
					group, _ := decode(chars[at : at+size]) // what is none, gives nothing away
					b = append(b, group...)
				}
				if bytes.Contains(b, []byte(planted)) {
					return true
				}
			}
		}
	}
	return false
}
