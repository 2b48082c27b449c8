// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHoldsLink(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"https://x", "see http:/x", "http:x", "HTTP:\\\\x\\y", "http%3A//x", "http%253a%252f%252fx", "http&x ftp://y", "//x.example/y", "\\\\x\\y",
		"www.x/?k=1", "WWW.example.org", "ｗｗｗ.x", "x.example/y", "x.example?y=1", "x.example:8080/", "x.example./y", "x。example/y", "x.example\u2215y",
		"x.exa\u00admple/y", "x.example#a=b", "münchen.example/y", "x.xn--p1ai/y", "192.0.2.7/x", "192.0.2.7:80/", "192.0.2.7?k", "192.0.2.7/24/x", "[2001:db8::1]/x",
		"ipfs:/x", "file:/etc/passwd", "(//x/y", "read x.example/y, please", `[{"url": "\u0068ttp\uff1a//x"}]`, `x\u3002example/y`,
	} {
		if !holdsLink(s) {
			t.Errorf("%q holds no link", s)
		}
	}
	for _, s := range []string{
		"", "next.js", "next.js/image", "a.test.tsx/x", "Boost.Asio", "and/or", "e.g. this", "i.e./e.g.", "how does http: work?", "10.0.0.0/8", "10.0.0.0/8, 1.2.3.4.",
		"Stephansplatz 1/2, 1010 Wien", "St. Pölten", "C:\\Users\\x", "@app.route(\"/x/<id>\")", "a // b", "x ? y : z", "100% of a.b", "km/h", "@tanstack/react-query",
		"/vercel/next.js/v14.3.0", "std::vector", "12:30", "1/2", "map[string]any", "file: x",
	} {
		if holdsLink(s) {
			t.Errorf("%q holds a link", s)
		}
	}
}

func TestHoldsKey(t *testing.T) {
	t.Parallel()
	const token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	for _, s := range []string{
		token, "is " + token + " valid?", strings.Join(strings.Split(token, ""), "-"), "ghp_a1B2c3D4 e5F6g7H8 i9J0k1L2 m3N4o5P6 q7R8", "AKIA" + "Q7WE2RTY4UIO9PAS", "AKIA-Q7WE-2RTY-4UIO-9PAS", "AKIA Q7WE 2RTY 4UIO 9PAS",
		"7f83b1657ff1fc53b92dc18148a1d65d", "7f83b165.7ff1fc53.b92dc181.48a1d65d", "7f83b165/7ff1fc53/b92dc181/48a1d65d", "%37f83b1657ff1fc53b92dc18148a1d65d", "７f83b1657ff1fc53b92dc18148a1d65d",
		`["\u0041KIA` + `Q7WE2RTY4UIO9PAS"]`, "sk-" + "proj-Ab12Cd34Ef56Gh78Ij90", "https://x.example/?k=7f83b1657ff1fc53b92dc18148a1d65d", "https://7f83b1657ff1fc53b92dc18148a1d65d.x.example/",
		"https://x.example/" + strings.Repeat("a1B2c3D4/", 6), "https://x.example/" + token,
	} {
		if !holdsKey(s) {
			t.Errorf("%q holds no key", s)
		}
	}
	for _, s := range []string{
		"", "go commit 0a1b2c3d4e5f", "what is NEXT_PUBLIC_SOMETHING_WITH_A_LONG_NAME for?", "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch 1", "2026-11-28T10:41:00.000+01:00",
		"react@18.2.0, vue@3.4.1 and next@14.3.0-canary.87", "doi:10.1016/j.cell.2019.05.031", "AbstractSingletonProxyFactoryBean", "high-performance computing in 2024 and 2025 with v8 and v9", "48.137154,11.576124",
		"https://x.example/p/550e8400-e29b-41d4-a716-446655440000/view", "https://go.dev/doc/faq#why-does-go-not-have-assertions-or-feature-x", "https://x.example/commit/0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
		"https://x.example/2024/05/12/how-to-install-kubernetes-1-29-on-ubuntu-22-04", "https://ru.example/wiki/%D0%97%D0%B0%D0%B3%D0%BB%D0%B0%D0%B2%D0%BD%D0%B0%D1%8F_%D1%81%D1%82%D1%80",
	} {
		if holdsKey(s) {
			t.Errorf("%q holds a key", s)
		}
	}
}

// TestHoldsDepth holds that each text of a value is seen.
func TestHoldsDepth(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		arguments, when string
		want            bool
	}{
		{`{"free": {"x": [[{"y": "http://x"}]]}}`, `holdsLink(args.free) && holdsLink(args) && !holdsKey(args)`, true},
		{`{"free": {"www.x": 1}}`, `holdsLink(args.free)`, true},
		{`{"free": {"x": 1, "y": null, "z": [true]}}`, `holdsLink(args) || holdsKey(args)`, false},
		{`{"any": ["7f83b1657ff1fc53b92dc18148a1d65d"]}`, `holdsKey(nested(args, "any"))`, true},
	} {
		for _, tools := range [][]string{{"files:read"}, {"files:*"}} {
			d := decide(t, tt.arguments, Rule{Name: "r", Effect: Allow, Tools: tools, When: tt.when})
			if d.Allowed != tt.want || failed(d) != nil {
				t.Errorf("%s of %s with %v: %t, %v", tt.when, tt.arguments, tools, d.Allowed, failed(d))
			}
		}
	}
}

// FuzzHoldsLink holds that a line in front hides no address.
func FuzzHoldsLink(f *testing.F) {
	f.Add("http%3A//x", "see ")
	f.Add("x%252f.example", "%")
	f.Fuzz(func(t *testing.T, s, before string) {
		if !utf8.ValidString(s) || !utf8.ValidString(before) || len(s)+len(before) > 1<<12 {
			return
		}
		if text := before + "\n" + s; holdsLink(s) && !holdsLink(text) {
			t.Errorf("%q holds a link, and %q holds none", s, text)
		}
	})
}
