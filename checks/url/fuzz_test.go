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

	"golang.org/x/net/idna"

	"github.com/toolvet/toolvet/checks/internal/leads"
)

// FuzzJudge holds of every URL that the default options allow: Go's own parser finds the
// same host in it, and the host is no address that the standard library calls internal.
// Of every URL that they refuse: no message repeats it.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/a?b#c", "http://u:p@a:8080/", "http:a", `http:\\a\b`, "http://a:00443/", "http://a#@b/",
		"http://2130706433/", "http://0x7f.1/", "http://010.8.8.8/", "http://8.8.8.8./", "http://[::ffff:8.8.8.8]/",
		"http://[64:ff9b::808:808]:1/", "http://münchen.de/", "http://faß.de/", "http://xn--mnchen-3ya.de/",
		"http://%41.b/", "http://a%zz/%zz", "http://１.１.１.１/", "http://a..b/", "https://wiki", "http://a?b@c/%", "http://１!１.A", "http://0../", "/a", "//a/b",
	} {
		f.Add(seed)
	}
	o := new(Options)
	f.Fuzz(func(t *testing.T, raw string) {
		place, found := o.judged(raw)
		if refuses(found) {
			for _, finding := range found {
				if len(raw) > 16 && strings.Contains(finding.String()+finding.Suggestion, raw) {
					t.Errorf("%q: the message repeats it: %s", raw, finding)
				}
			}
			return
		}
		if internal(place.Addr) {
			t.Errorf("%q: %s is allowed", raw, place.Addr)
		}
		got := goHost(t, raw)
		unusual := place.Addr.Is4() && len(found) > 0 // an address that Go takes for a name, and that is warned of
		if want := hostText(place); got != want && !unusual {
			t.Errorf("%q: Go's host is %q, ours %q", raw, got, want)
		}
	})
}

func internal(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsPrivate() || a.IsLoopback() || a.IsUnspecified() || a.IsLinkLocalUnicast() || a.IsMulticast()
}

func hostText(p leads.Host) string {
	if p.Addr.IsValid() {
		return p.Addr.String()
	}
	return p.Name
}

// goHost is the host that net/http would connect to.
func goHost(t *testing.T, raw string) string {
	t.Helper()
	u, err := neturl.Parse(raw)
	if err != nil { // what is behind the host is all that may be wrong
		scheme, rest, _ := strings.Cut(raw, "://")
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			rest = rest[:i]
		}
		if u, err = neturl.Parse(scheme + "://" + rest); err != nil {
			t.Errorf("%q is allowed, and Go refuses it: %v", raw, err)
			return ""
		}
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if a, err := netip.ParseAddr(host); err == nil {
		return a.String()
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return strings.TrimSuffix(ascii, ".")
	}
	return host
}

// spellings write an IPv4 address in ways that lead to it.
var spellings = map[string]func(a uint32) string{
	"decimal": func(a uint32) string { return fmt.Sprint(a) },
	"hex":     func(a uint32) string { return fmt.Sprintf("0x%X", a) },
	"octal":   func(a uint32) string { return fmt.Sprintf("0%o", a) },
	"parts":   func(a uint32) string { return fmt.Sprintf("0x%x.0%o.%d.0x%04x", a>>24, a>>16&255, a>>8&255, a&255) },
	"two":     func(a uint32) string { return fmt.Sprintf("%d.%d", a>>24, a&0xffffff) },
	"three":   func(a uint32) string { return fmt.Sprintf("%d.%d.%d.", a>>24, a>>16&255, a&0xffff) },
	"percent": func(a uint32) string { return strings.ReplaceAll(dotted(a), ".", "%2e") },
	"wide": func(a uint32) string {
		return strings.Map(func(r rune) rune { return r - '.' + '．' }, dotted(a))
	},
	"mapped": func(a uint32) string { return "[::ffff:" + dotted(a) + "]" },
	"NAT64":  func(a uint32) string { return fmt.Sprintf("[64:ff9b::%x:%x]", a>>16, a&0xffff) },
	"6to4":   func(a uint32) string { return fmt.Sprintf("[2002:%x:%x::1]", a>>16, a&0xffff) },
	"Teredo": func(a uint32) string { return fmt.Sprintf("[2001:0:808:808::%x:%x]", ^a>>16, ^a&0xffff) },
}

func dotted(a uint32) string {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], a)
	return netip.AddrFrom4(b).String()
}

// strict are spellings that are refused because parsers disagree about them.
var strict = map[string]bool{"percent": true}

// FuzzSpellings holds that each spelling of an address is judged as the address is.
func FuzzSpellings(f *testing.F) {
	for _, seed := range []string{"8.8.8.8", "127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "255.255.255.255", "100.100.100.200", "172.32.0.1"} {
		b := netip.MustParseAddr(seed).As4()
		f.Add(binary.BigEndian.Uint32(b[:]))
	}
	o := new(Options)
	f.Fuzz(func(t *testing.T, a uint32) {
		_, found := o.judged("http://" + dotted(a) + "/")
		want := refuses(found)
		for name, spell := range spellings {
			raw := "http://" + spell(a) + "/"
			_, found := o.judged(raw)
			if got := refuses(found); got != (want || strict[name]) {
				t.Errorf("%s, written %s: refused %v, want %v: %v", raw, name, got, want, found)
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	tight := &Options{Hosts: []Pattern{pattern(b, "*.example.org"), pattern(b, "example.org")}, Ports: []int{443}}
	for name, tt := range map[string]struct {
		options *Options
		raw     string
		refused bool
	}{
		"plain":   {new(Options), "https://www.example.org/help/commands/log?x=1#y", false},
		"tight":   {tight, "https://www.example.org/help/commands/log?x=1#y", false},
		"IDN":     {new(Options), "https://münchen.example/", false},
		"decimal": {new(Options), "http://2130706433/", true},
		"IPv6":    {new(Options), "http://[64:ff9b::a9fe:a9fe]/", true},
		"1 MB":    {new(Options), "http://example.org/" + strings.Repeat("a", 1<<20), true},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, found := tt.options.judged(tt.raw); refuses(found) != tt.refused {
					b.Fatal(found)
				}
			}
		})
	}
}
