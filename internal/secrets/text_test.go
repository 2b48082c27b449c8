// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarker(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		Marker("aws-access-token"):       true,
		"x " + Marker("a.1") + " y":      true,
		"[redacted:]":                    false,
		"[redacted:Aws]":                 false,
		"[redacted]":                     false,
		"[redacted: aws]":                false,
		"[redacted:x [redacted:jwt]":     true,
		"":                               false,
		Marker(strings.Repeat("a", 101)): false,
	} {
		if got := ContainsMarker(s); got != want {
			t.Errorf("ContainsMarker(%q) = %v, want %v", s, got, want)
		}
	}
	for _, r := range standard(t).all() {
		if !ContainsMarker(Marker(r.ID)) {
			t.Errorf("the marker of %s is not known as one", r.ID)
		}
	}
}

func TestNormalForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a \"b\"`:                                 `a "b"`,
		`a \\"b\\"`:                               `a "b"`,
		`x\ny\nz\tw`:                              "x\ny\nz\tw",
		`a\/b \u003d \u0022 \u00e9`:               `a/b = " \u00e9`,
		`\u0026#65; &amp;#x42; \\u0026amp;`:       `A B &`,
		`\x41\\x62 \xe9 \x4`:                      `Ab \xe9 \x4`,
		`a &quot;b&#39; &amp;&lt; &nbsp; &`:       `a "b' &< &nbsp; &`,
		"p\u200ba\u00ads\u2060s\U000e0041":        "pass",
		"ｐａｓｓ𝐰𝗈𝓇𝕕":                                "password",
		"\u212aey=ſecret":                         "Key=secret",
		`end \`:                                   `end \`,
		"é ü 漢字 \xff":                             "é ü 漢字 \xff",
		`p\u200ba\\u00ads\udb40\udc41s`:           "pass",
		`\uff50\ud835\udfd8\\ud835\\udfd8 \u6f22`: `p00 \u6f22`,
		`\ud835 \ud835\u0041 \ud835\\udfd8`:       `\ud835 \ud835A \ud835\\udfd8`,
		`p\u0000a\u0000s\x00s` + "\x00":           "pass",
		"p\u3164\u115fass":                        "pass",
		"gh\x1b[0m\x1b[1;31mp_ a":                 "ghp_ a",
		`gh\u001b[0mp_\x1b[Kx \e[31mq\033[m`:      "ghp_x \x1bq\x1b",
		"id=\x1b[33m5f\x1b[0m":                    "id=\x1b5f\x1b",
		"\x1b[2J\x1b[9 \x1b[":                     "\x1b[2J\x1b[9 \x1b[",
		"plain":                                   "plain",
	} {
		n, differs := normalForm(t.Context(), text, nil)
		if !differs {
			n.text = text
		}
		if n.text != want || differs != (text != want) {
			t.Errorf("normalForm(%q) = %q, %v, want %q", text, n.text, differs, want)
		}
	}
}

// TestHidden finds secrets that do not look like one in the raw text, and redacts them whole.
func TestHidden(t *testing.T) {
	t.Parallel()
	s := standard(t)
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
	var spaced, wide strings.Builder
	for _, c := range token {
		spaced.WriteString(string(c) + "\u200b")
		if c > ' ' {
			wide.WriteRune(c + 0xfee0)
		}
	}
	for text, want := range map[string]string{
		"a " + spaced.String() + "b":                              "a [redacted:github-pat]b",
		"a " + wide.String() + " b":                               "a [redacted:github-pat] b",
		`{"text":"twitterToken=\"3bsvq6uoe4ys64as52li5ojza\"\n"}`: `{"text":"twitterToken=\"[redacted:twitter-api-key]\"\n"}`,
		"<pre>" + token + "</pre>":                                "<pre>[redacted:github-pat]</pre>",
		`{"k":"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----\n"}`: `{"k":"[redacted:private-key]\n"}`,
	} {
		if got := redact(s, text); got != want {
			t.Errorf("redact(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzNormalForm holds that offsets of the normal form lead into the raw text, in order, and that
// unchanged text has the same bytes.
func FuzzNormalForm(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, differs := normalForm(t.Context(), text, nil)
		if !differs {
			return
		}
		last := 0
		for i := range len(n.text) + 1 {
			raw := n.raw(i)
			if raw < last || raw > len(text) {
				t.Fatalf("offset %d of %q is %d of %q, after %d", i, n.text, raw, text, last)
			}
			last = raw
		}
		if last != len(text) {
			t.Errorf("the end of %q is %d of %q", n.text, last, text)
		}
	})
}

// TestDictionary compares with looking for each word alone.
func TestDictionary(t *testing.T) {
	t.Parallel()
	words := lowered([]string{"a", "ab", "abc", "bc", "c", "caab", "-b", "é", "aaa"})
	d := newDictionary(words)
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var b strings.Builder
		for range random.IntN(30) {
			b.WriteString([]string{"a", "A", "b", "C", "-", "é", "x", "\xff"}[random.IntN(8)])
		}
		text := b.String()
		type hit struct {
			word string
			end  int
		}
		var got, want []hit
		add := func(w, at int) { got = append(got, hit{words[w], at + len(words[w])}) }
		d.find(t.Context(), text, add)
		for _, w := range d.letters {
			d.findLetter(t.Context(), text, w, add)
		}
		for end := range len(text) + 1 {
			for _, w := range words {
				if strings.HasSuffix(asciiLower(text[:end]), w) {
					want = append(want, hit{w, end})
				}
			}
		}
		order := func(x, y hit) int {
			if x.end != y.end {
				return x.end - y.end
			}
			return strings.Compare(x.word, y.word)
		}
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(hit{})); diff != "" {
			t.Fatalf("in %q (-want +got):\n%s", text, diff)
		}
		if d.contains(text) != (len(want) > 0) {
			t.Fatalf("contains(%q) = %v", text, d.contains(text))
		}
	}
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// TestVendored holds that the licences of the patterns are with them, and that each pattern has a
// word: one without would be applied to every text as a whole.
func TestVendored(t *testing.T) {
	t.Parallel()
	for _, r := range standard(t).all() {
		if len(r.places) == 0 {
			t.Errorf("the pattern %s has no words", r.ID)
		}
		for _, a := range r.Pattern.Allow {
			if _, err := newAllow(a); err != nil {
				t.Errorf("the pattern %s: %v", r.ID, err)
			}
		}
		r.regex() // panics if it does not compile
	}
}
