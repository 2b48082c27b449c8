// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	neturl "net/url"
	"strings"
	"testing"
)

// guessing are options such as those of a preset.
var guessing = &Options{Guess: true, Private: warn, Loopback: warn, SingleLabel: allow}

func verdict(o *Options, raw string) string {
	_, found := o.judged(raw)
	switch {
	case refuses(found):
		return "refused"
	case len(found) > 0:
		return "warned of"
	}
	return "fine"
}

// TestGuess holds the verdicts on values that are URLs only by a guess.
func TestGuess(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][]string{
		"fine": {
			"https://example.org/a?b=c#d", " https://example.org/\n", "http://wiki/x", "https://example.org/?next=http://169.254.169.254/",
			"https://example.org/169.254.169.254", "https://example.org/a,b;c",
		},
		"warned of": {
			"", "test", "a b c", "line\nbreak", "/docs?page=2", "../x", "./x", "#top", "?q=1", "//example.org/x", "example.org/x", "localhost:3000",
			"localhost:3000/x", "host:80", "metadata", "metadata/v1.json", "instance-data", "C:\\x", "urn:isbn:1", "spotify:track:1", "data:text/plain,x",
			"data:text/plain," + strings.Repeat("x", 10_000), "http://localhost/", "http://10.0.0.1/", "10.0.0.1:80", "http://{host}/x", "https://", "https://a b/",
			"http://999.1.1.1/", "notes://a", "http://[::1", "php: the right way", "0.5", "1.2.3", "169", "https://example.org:99999/", "see file: a.txt",
			"a@example.org", "{169}", "[a]", "[1, 2]", "v1.2.{x}",
		},
		"refused": {
			"http://169.254.169.254/latest", "169.254.169.254/latest", "169.254.169.254", "//169.254.169.254/", "http:169.254.169.254", " http://169.254.169.254",
			"0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "0xa9.254.0251.65193", "169.254.43518", "0169.0254.0169.0254/", "425.510.425.510", "7147006462/x",
			"[::ffff:169.254.169.254]:80/x", "::ffff:169.254.169.254", "[::ffff:a9fe:a9fe", "fe80::1%eth0", "http://[fe80::1%25eth0]/", "[fe80::1]", "64:ff9b::a9fe:a9fe/x",
			"a@169.254.169.254", "https://example.org@169.254.169.254/", "http://169.254.169.254@example.org/", "@169.254.169.254/", "a:b@169.254.169.254:80",
			`\\169.254.169.254\x`, `http:\\169.254.169.254`, `/\169.254.169.254`, "https:/169.254.169.254", "///169.254.169.254", `example.org\@169.254.169.254`, "a#@169.254.169.254/", "a?@169.254.169.254/",
			"169.254.\t169.254", "http://169.254.\n169.254/", "ht\ntp://169.254.169.254", "https://example.org/\nhttp://169.254.169.254/", "\x01169.254.169.254", "169.254.169.254\r\nHost: x",
			"http%3A%2F%2F169.254.169.254%2F", "%2F%2F169.254.169.254", "%31%36%39.254.169.254", "http://%2531%2536%2539.254.169.254", "169。254。169。254", "①⑥⑨.254.169.254", "http：／／169.254.169.254／",
			"169.254.169.254 ", "<http://169.254.169.254/>", "URL:http://169.254.169.254/", "https://a/,http://169.254.169.254/", "see http://169.254.169.254/ for it", "jdbc:postgresql://169.254.169.254/x",
			"169.254.169.254.", "169.254.169.254..", "http://169.254.169.254:99999/", "http://169.254.169.254%00.example.org/", "http://169.254.169.{253,254}/", "169.254.[160-170].1", "{169}.254.169.254",
			"metadata.google.internal/x", "METADATA.google.internal.", "http://metadata/x", "metadata:80", "//instance-data/", "a@metadata", "169-254-169-254.nip.io", "http://x.169.254.169.254.sslip.io/", "a9fea9fe.nip.io",
			"http://[::ffff:a9fea9fe]/", "https://example.org/\r\nHost: x", "ht\ntps://example.org/", "100.100.100.200", "fd00:ec2::254", "http://[fd00:ec2::254]/", "169.254.0.1",
			"file:///etc/passwd", "FILE:/etc/passwd", "url:file:///etc/passwd", "file%3A///etc/passwd", "https://a/ file:///etc/passwd", "javascript:alert(1)", "gopher://127.0.0.1:6379/_x", "jar:http://a!/b", "ldap://a/",
			"http://224.0.0.1/", `http://example.org\@10.0.0.1/`, strings.Repeat("x", 10_000), "http://169.254.169.254/" + strings.Repeat("x", 10_000),
		},
	} {
		for _, raw := range values {
			if got := verdict(guessing, raw); got != want {
				_, found := guessing.judged(raw)
				t.Errorf("%+.80q is %s, want %s: %v", raw, got, want, found)
			}
		}
	}
}

// TestGuessListed holds that a scheme listed in the options is never a scheme of attacks.
func TestGuessListed(t *testing.T) {
	t.Parallel()
	o := &Options{Guess: true, Schemes: []string{"http", "https", "file", "about"}}
	for raw, want := range map[string]string{"file:///tmp/a.html": "fine", "about:blank": "fine", "javascript:x": "refused", "file://169.254.169.254/x": "refused"} {
		if got := verdict(o, raw); got != want {
			t.Errorf("%q is %s, want %s", raw, got, want)
		}
	}
}

// FuzzGuess holds that a guess refuses each spelling of a metadata address, for any lenient
// reader, and that no message repeats a value.
func FuzzGuess(f *testing.F) {
	places := []string{
		"%s", "%s/latest", "//%s/", "http://%s", "http:%s", " \thttp:/%s/", `\\%s\`, "u:p@%s/", "https://example.org@%s", "%s:80", "%s?x", "%s#x",
		"URL:<http://%s/>", "a,http://%s", "https://example.org/\n%s", "http%%3a//%s/",
	}
	for i := range places {
		f.Add(uint16(0xa9fe), "fe80::1", uint8(i))
		f.Add(uint16(0x0101), "%", uint8(i))
	}
	f.Fuzz(func(t *testing.T, low uint16, noise string, place uint8) {
		address := 0xa9fe0000 | uint32(low)
		for name, spell := range spellings {
			host := spell(address)
			raw := fmt.Sprintf(places[int(place)%len(places)], host)
			if verdict(guessing, raw) != "refused" {
				t.Errorf("%q passes (%s)", raw, name)
			}
			if encoded := neturl.QueryEscape(raw); verdict(guessing, encoded) != "refused" {
				t.Errorf("%q passes (%s)", encoded, name)
			}
		}
		_, found := guessing.judged(noise)
		for _, finding := range found {
			if len(noise) > 16 && strings.Contains(finding.String(), noise) {
				t.Errorf("%q: the message repeats it: %s", noise, finding)
			}
		}
		if addr, err := netip.ParseAddr(noise); err == nil && linkLocal(addr) && !refuses(found) {
			t.Errorf("%q passes", noise)
		}
	})
}

// TestInetAton holds the reading of numbers against the addresses that they are of.
func TestInetAton(t *testing.T) {
	t.Parallel()
	for _, addr := range []uint32{0, 1, 0x7f000001, 0xa9fea9fe, 0xffffffff} {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], addr)
		want := netip.AddrFrom4(b)
		for _, spelt := range []string{
			fmt.Sprintf("%d.%d.%d.%d", b[0], b[1], b[2], b[3]), fmt.Sprint(addr), fmt.Sprintf("0x%x", addr), fmt.Sprintf("0%o", addr),
			fmt.Sprintf("%d.%d", b[0], addr&0xffffff), fmt.Sprintf("%d.%d.%d", b[0], b[1], addr&0xffff), fmt.Sprint(uint64(addr) + 1<<32), fmt.Sprintf("%d.%d.%d.%d", int(b[0])+256, b[1], b[2], b[3]),
		} {
			if got := inetAton(strings.Split(spelt, "."), false); len(got) != 1 || got[0] != want {
				t.Errorf("%s is %v, want %s", spelt, got, want)
			}
		}
	}
	for _, none := range []string{"", "a", "1..2", "1.2.3.4.5", "0x", "0xg", "1.2.3.-4", "1e3"} {
		if got := inetAton(strings.Split(none, "."), false); got != nil {
			t.Errorf("%q is %v", none, got)
		}
	}
}
