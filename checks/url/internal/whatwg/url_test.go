// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package whatwg

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var addrs = cmpopts.EquateComparable(netip.Addr{})

func TestParse(t *testing.T) {
	t.Parallel()
	name := func(text string) Host { return Host{Text: text} }
	for input, want := range map[string]URL{
		"https://example.com":            {Scheme: "https", Host: name("example.com"), Port: 443},
		"HTTPS://EXAMPLE.com:443/a?b#c":  {Scheme: "https", Host: name("example.com"), Port: 443, Rest: "/a?b#c"},
		"http://example.com:0081?q":      {Scheme: "http", Host: name("example.com"), Port: 81, HasPort: true, Rest: "?q"},
		"http://example.com:/":           {Scheme: "http", Host: name("example.com"), Port: 80, Rest: "/"},
		" \x00ht\ntp:\\\\a\\b\t@c ":      {Scheme: "http", Host: name("a"), Port: 80, Rest: `\b@c`},
		"http:a":                         {Scheme: "http", Host: name("a"), Port: 80},
		"http:////a/b":                   {Scheme: "http", Host: name("a"), Port: 80, Rest: "/b"},
		"http://u:p:q@r@a/":              {Scheme: "http", Userinfo: true, Username: "u", Password: "p:q@r", Host: name("a"), Port: 80, Rest: "/"},
		"http://@a/":                     {Scheme: "http", Userinfo: true, Host: name("a"), Port: 80, Rest: "/"},
		"http://[2001:DB8:0::1]:8080/":   {Scheme: "http", Host: Host{Text: "2001:db8::1", Addr: netip.MustParseAddr("2001:db8::1")}, Port: 8080, HasPort: true, Rest: "/"},
		"ws://a":                         {Scheme: "ws", Host: name("a"), Port: 80},
		"file:///etc/passwd":             {Scheme: "file", Rest: "/etc/passwd"},
		"file://localhost/etc/passwd":    {Scheme: "file", Rest: "/etc/passwd"},
		"file://c:/x":                    {Scheme: "file", Rest: "c:/x"},
		"file:x":                         {Scheme: "file", Rest: "x"},
		`file:\\server\share`:            {Scheme: "file", Host: name("server"), Rest: `\share`},
		"mailto:a@example.com":           {Scheme: "mailto", Rest: "a@example.com"},
		"ssh://git@h:22/x":               {Scheme: "ssh", Userinfo: true, Username: "git", Host: Host{Text: "h", Opaque: true}, Port: 22, HasPort: true, Rest: "/x"},
		"foo://":                         {Scheme: "foo", Host: Host{Opaque: true}},
		"git+ssh.x-1:/x":                 {Scheme: "git+ssh.x-1", Rest: "/x"},
		"http://" + "１２７．０．０．１":          {Scheme: "http", Host: Host{Text: "127.0.0.1", Digits: "127.0.0.1", Addr: netip.MustParseAddr("127.0.0.1"), Spelling: NonASCII}, Port: 80},
		"http://M%C3%BCnchen.de./":       {Scheme: "http", Host: Host{Text: "xn--mnchen-3ya.de.", Spelling: Percent | NonASCII | TrailingDot}, Port: 80, Rest: "/"},
		"http://a_b--c.-.example/":       {Scheme: "http", Host: name("a_b--c.-.example"), Port: 80, Rest: "/"},
		"http://faß.de/":                 {Scheme: "http", Host: Host{Text: "xn--fa-hia.de", Spelling: NonASCII}, Port: 80, Rest: "/"},
		"http://0x.org.0x7f.example/":    {Scheme: "http", Host: name("0x.org.0x7f.example"), Port: 80, Rest: "/"},
		"http://xn--mnchen-3ya.de:65535": {Scheme: "http", Host: name("xn--mnchen-3ya.de"), Port: 65535, HasPort: true},
	} {
		got, err := Parse(input)
		if err != nil {
			t.Errorf("%q: %v", input, err)
		} else if diff := cmp.Diff(want, got, addrs); diff != "" {
			t.Errorf("%q (-want +got):\n%s", input, diff)
		}
	}
}

func TestParseFails(t *testing.T) {
	t.Parallel()
	for want, inputs := range map[error][]string{
		ErrNoScheme: {"", "  ", "example.com", "//example.com", "1http://a", "ht tp://a", ":", "/a:b"},
		ErrNoHost:   {"http://", "http://#", "http:///?x", "http://:80/", "http://u@/", "foo://u@/", "foo://:1/"},
		ErrPort:     {"http://a:65536/", "http://a:99999999999999999999/", "http://a:b/", "http://a:1:2/", "http://a:-1"},
		ErrHost:     {"http://a b/", "http://a%00b/", "http://a%40b/", "http://a<b/", "http://a|b/", "http://a%/", "http://a%2525/", "http://]/", "foo://a^b/"},
		ErrName:     {"http://xn--/", "http://xn--a/", "http://a.xn--/", "http://\u200d/", "http://a\ufffdb/", "http://%ff/", "http://\xff/", "http://FAẞ.de/", "http://%C2%AD/"},
		ErrIPv4:     {"http://256.1.1.1/", "http://1.2.3.4.5/", "http://0x100000000/", "http://1.2.3.08/", "http://a.1/", "http://1..1/", "http://4294967296/", "http://1.16777216/", "http://99999999999999999999999999/"},
		ErrIPv6:     {"http://[::1", "http://[]/", "http://[:::]/", "http://[1.2.3.4]/", "http://[::1]]/", "http://[::1.2.3]/", "http://[12345::]/", "foo://[x]/", "http://[::01.2.3.4]/", "http://[::1]x/"},
		ErrZone:     {"http://[fe80::1%25eth0]/", "http://[::1%]/"},
	} {
		for _, input := range inputs {
			if got, err := Parse(input); !errors.Is(err, want) {
				t.Errorf("%q: %+v, %v; want %v", input, got, err, want)
			}
		}
	}
}

func TestIPv4Spellings(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]Host{
		"127.0.0.1":           {Text: "127.0.0.1"},
		"127.0.0.1.":          {Text: "127.0.0.1", Spelling: TrailingDot},
		"2130706433":          {Text: "127.0.0.1", Spelling: Decimal},
		"0x7f000001":          {Text: "127.0.0.1", Spelling: Hex},
		"0X7F.1":              {Text: "127.0.0.1", Spelling: Hex | Short},
		"0177.0.0.01":         {Text: "127.0.0.1", Spelling: Octal},
		"0x7f.010.65535":      {Text: "127.8.255.255", Spelling: Hex | Octal | Short},
		"127.1":               {Text: "127.0.0.1", Spelling: Short},
		"0x.0x.0":             {Text: "0.0.0.0", Spelling: Hex | Short},
		"0":                   {Text: "0.0.0.0", Spelling: Decimal},
		"%31%32%37%2e1":       {Text: "127.0.0.1", Digits: "127.1", Spelling: Percent | Short},
		"①②⑦。1":               {Text: "127.0.0.1", Digits: "127.1", Spelling: NonASCII | Short},
		"00000000000000000.1": {Text: "0.0.0.1", Spelling: Octal | Short},
	} {
		want.Addr = netip.MustParseAddr(want.Text)
		if want.Digits == "" {
			want.Digits = strings.ToLower(input)
		}
		got, err := ParseHost(input)
		if err != nil {
			t.Errorf("%q: %v", input, err)
		} else if diff := cmp.Diff(want, got, addrs); diff != "" {
			t.Errorf("%q (-want +got):\n%s", input, diff)
		}
	}
}

// FuzzParse holds that Parse returns the final form: read again, it is the same.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		u, err := Parse(input)
		if err != nil {
			if !cmp.Equal(u, URL{}, addrs) {
				t.Errorf("%q: an error and %+v", input, u)
			}
			return
		}
		if u.Scheme != strings.ToLower(u.Scheme) || u.Scheme == "" {
			t.Errorf("%q: the scheme is %q", input, u.Scheme)
		}
		if u.Host.Opaque || u.Host.Text == "" {
			return
		}
		written := u.Host.Text
		if u.Host.Addr.Is6() {
			written = "[" + written + "]"
		}
		again, err := ParseHost(written)
		if err != nil || again.Text != u.Host.Text || again.Addr != u.Host.Addr {
			t.Errorf("%q: the host %q read again is %+v, %v", input, written, again, err)
		}
	})
}
