// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"testing"
)

// TestFormats adds cases to those of the JSON Schema Test Suite. Each "no" that the library would
// let through is marked.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		format  string
		yes, no []string
	}{
		{"date-time", // RFC 3339 §5.6
			[]string{"2026-01-31T09:30:00Z", "2026-01-31t09:30:00.123456789z", "1985-04-12T23:20:50.52+05:30", "2016-12-31T23:59:60Z", "2016-12-31T15:59:60-08:00", "0000-01-01T00:00:00-00:00"},
			[]string{"", "2026-01-31", "2026-01-31 09:30:00Z", "2026-01-31T09:30:00", "2026-01-31T09:30Z", "2026-02-29T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:00:60Z", "2016-12-31T23:59:60+01:00", "2026-01-31T09:30:00+0100", "2026-01-31T09:30:00.Z", "2026-01-31T+9:30:00Z" /* library */, "26-01-31T09:30:00Z", "2026-01-31T09:30:00Z\n"}},
		{"date",
			[]string{"2026-01-31", "2024-02-29", "9999-12-31"},
			[]string{"", "2026-1-31", "2026-02-30", "2023-02-29", "2026-13-01", "2026-00-10", "20260131", "2026-01-31Z", "+026-01-31", "२०२६-०१-३१", "12026-01-31"}},
		{"time",
			[]string{"09:30:00Z", "23:59:60Z", "09:30:00.5+01:00", "00:00:00-23:59"},
			[]string{"", "09:30:00", "9:30:00Z", "09:60:00Z", "09:30:00+1:00", "09:30:00+24:00", "+9:30:00Z" /* library */, "09:30:00+-1:00" /* library */, "09:30:00 Z", "09.30.00Z"}},
		{"email", // RFC 5321 §4.1.2
			[]string{"a@example.com", "first.last+tag@sub.example.co", `"a b"@example.com`, `"a\"b\\"@example.com` /* library refuses */, "x@[192.0.2.1]", "x@[IPv6:2001:db8::1]", "a@localhost"},
			[]string{"", "a", "@example.com", "a@", "a@@example.com", ".a@example.com", "a.@example.com", "a..b@example.com", "a b@example.com", "a@-example.com", "a@exa_mple.com", "a@[300.1.1.1]", "A <a@example.com>", "ä@example.com", `"a@example.com`, `"a\"@example.com`, "\"\x01\"@example.com", "\"a\\\x01\"@example.com", strings.Repeat("a", 65) + "@example.com", "a@example.com\n", "a@[192.0.2.1"}},
		{"hostname", // RFC 1123 §2.1
			[]string{"example.com", "localhost", "3com.com", "a-b.c", "xn--bcher-kva.example", strings.Repeat("a", 63) + ".b", "1.2.3.4"},
			[]string{"", ".", "a..b", "-a.b", "a-.b", "a_b.c", "a b", "bücher.example", strings.Repeat("a", 64), strings.Repeat("a.", 127), "example.com." /* library */, "a.b\n"}},
		{"ipv4",
			[]string{"192.0.2.1", "0.0.0.0", "255.255.255.255"},
			[]string{"", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.+4" /* library */, "0x7f.0.0.1", "1.2.3.4/24", "::1", "１.2.3.4"}},
		{"ipv6", // RFC 4291 §2.2
			[]string{"::", "::1", "2001:db8::1", "::ffff:192.0.2.1", "1:2:3:4:5:6:7:8", "ABCD::"},
			[]string{"", "1.2.3.4", ":", ":::", "1::2::3", "12345::", "fe80::1%eth0", "[::1]", "::1/64", "1:2:3:4:5:6:7", "::256.1.1.1"}},
		{"uri", // RFC 3986 §3
			[]string{"https://example.com/path?q=1#f", "mailto:a@example.com", "urn:isbn:0451450523", "file:///etc/hosts", "http://[2001:db8::1]:8080/", "http://[v1.x:y]/", "ldap://u:p@host/a?b", "a:", "http://a/%C3%BC", "tel:+1-816", "http://host:/"},
			[]string{"", "//example.com/x", "/path", "example.com", "a b:c", "http://a b/", "http://a/b c" /* library */, "http://a/<x>" /* library */, "http://a/ü" /* library */, "http://a/%zz", "http://a/%2", "http://a:port/", "http://[::1", "http://[1::2::3]/", "http://[::1]x/", `http://a\b`, "1http://a", "http://a#b#c", "http://a[b]/", "http://[vX.y]/", "http://u@v@w@/[", "http://a/b|c"}},
		{"uuid", // RFC 4122 §3
			[]string{"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000", "ABCDEF01-2345-6789-abcd-ef0123456789"},
			[]string{"", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "urn:uuid:123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a4564-26614174000"}},
		{"json-pointer", // RFC 6901 §5
			[]string{"", "/", "/a/0", "/a~0b~1c", "//", "/ü \x00"},
			[]string{"a", "#/a", "/~", "/~2", "/a~", "/~~1x~"}},
		{"regex",
			[]string{"", "^a+$", `(?=a)`, `\p{L}`, "a{2000}"},
			[]string{"(", "a**", "[z-a]", `^\Z`}},
	} {
		f := assertedFormats[tc.format]
		for _, s := range tc.yes {
			if !f.valid(s) {
				t.Errorf("%s refuses %q", tc.format, s)
			}
		}
		for _, s := range tc.no {
			if f.valid(s) {
				t.Errorf("%s accepts %q", tc.format, s)
			}
		}
	}
}

// FuzzFormats checks that no format panics, and that the example in a message has the format.
func FuzzFormats(f *testing.F) {
	examples := 0
	for _, format := range assertedFormats {
		words := strings.Fields(format.words)
		if example := words[len(words)-1]; strings.Contains(format.words, "such as") {
			if !format.valid(example) {
				f.Errorf("%s refuses its own example %q", format.name, example)
			}
			f.Add(example)
			examples++
		}
	}
	if examples == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(_ *testing.T, s string) {
		for _, format := range assertedFormats {
			format.valid(s)
		}
	})
}
