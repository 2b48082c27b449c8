// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package address

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/google/go-cmp/cmp"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Class{
		"8.8.8.8":              {},
		"2606:4700:4700::1111": {},
		"127.255.255.255":      {Loopback, "the loopback address", ""},
		"0.0.0.0":              {Loopback, "the unspecified address (which leads to this machine)", ""},
		"0.0.0.1":              {Special, `an address of "this network"`, ""},
		"::1":                  {Loopback, "the loopback address", ""},
		"::1%eth0":             {Loopback, "the loopback address", ""},
		"::":                   {Loopback, "the unspecified address (which leads to this machine)", ""},
		"10.0.0.0":             {Private, "a private address", ""},
		"9.255.255.255":        {},
		"172.32.0.0":           {},
		"100.127.255.255":      {Private, "a shared (carrier or overlay) address", ""},
		"100.128.0.0":          {},
		"169.254.169.254":      {Metadata, "the address of cloud metadata", ""},
		"169.254.169.253":      {Special, "a link-local address", ""},
		"192.0.0.192":          {Metadata, "the address of Oracle's metadata", ""},
		"192.0.0.191":          {Special, "an address reserved for protocols", ""},
		"192.0.0.9":            {},
		"192.88.99.1":          {},
		"192.88.99.2":          {Special, "an address reserved for protocols", ""},
		"255.255.255.255":      {Special, "the broadcast address", ""},
		"255.255.255.254":      {Special, "a reserved address", ""},
		"fd00:ec2::254":        {Metadata, "the address of AWS's metadata", ""},
		"fd00:ec2::255":        {Private, "a private (unique local) address", ""},
		"fe80::a9fe:a9fe%1":    {Metadata, "the address of OpenStack's metadata", ""},
		"ff0e::1":              {Special, "a multicast address", ""},
		"5f00::1":              {Special, "a segment-routing address", ""},
		"fec0::1":              {Special, "a site-local address", ""},
		"4000::1":              {Special, "a reserved IPv6 address", ""},
		"100::1":               {Special, "a discard-only address", ""},
		"100:0:0:1::1":         {Special, "a dummy address", ""},
		"2001:1::1":            {},
		"2001:1::4":            {Special, "an address reserved for protocols", ""},
		"3fff:fff::1":          {Special, "a documentation address", ""},
		"64:ff9b:1::1":         {Private, "a local-use translation address", ""},

		"::ffff:8.8.8.8":           {},
		"::ffff:127.0.0.1":         {Loopback, "the loopback address", "inside an IPv4-mapped IPv6 address"},
		"::127.0.0.1":              {Loopback, "the loopback address", "inside an IPv4-compatible IPv6 address"},
		"::8.8.8.8":                {Special, "a reserved IPv6 address", ""},
		"::ffff:0:10.0.0.1":        {Private, "a private address", "inside an IPv4-translated IPv6 address"},
		"::ffff:0:8.8.8.8":         {Special, "a reserved IPv6 address", ""},
		"64:ff9b::169.254.169.254": {Metadata, "the address of cloud metadata", "inside a NAT64 address"},
		"64:ff9b::8.8.8.8":         {},
		"2002:a00:1::1":            {Private, "a private address", "inside a 6to4 address"},
		"2002:808:808::1":          {},
		// The server 8.8.8.8 and the client 192.168.1.1, then the server 127.0.0.1.
		"2001:0:808:808:0:0:3f57:fefe":  {Private, "a private address", "inside a Teredo address"},
		"2001:0:7f00:1::f7f7:f7f7":      {Loopback, "the loopback address", "inside a Teredo address"},
		"2001:0:808:808::f7f7:f7f7":     {},
		"2606:4700::5efe:10.0.0.1":      {Private, "a private address", "inside an ISATAP address"},
		"2606:4700::200:5efe:127.0.0.1": {Loopback, "the loopback address", "inside an ISATAP address"},
		"2606:4700::5efe:8.8.8.8":       {},
		"fe80::5efe:8.8.8.8":            {Special, "a link-local address", ""},
	} {
		if diff := cmp.Diff(want, Classify(netip.MustParseAddr(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// routed are blocks that the other table refuses although the registries do not.
var routed = []netip.Prefix{
	netip.MustParsePrefix("192.31.196.0/24"),
	netip.MustParsePrefix("192.52.193.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("192.175.48.0/24"),
	netip.MustParsePrefix("2620:4f:8000::/48"),
	netip.MustParsePrefix("2001::/32"), // the embedded addresses decide
	netip.MustParsePrefix("2001:1::/32"),
	netip.MustParsePrefix("2001:3::/32"),
	netip.MustParsePrefix("2001:4:112::/48"),
	netip.MustParsePrefix("2001:20::/28"),
	netip.MustParsePrefix("2001:30::/28"),
	netip.MustParsePrefix("2002::/16"), // the embedded address decides
}

// TestOtherTable compares the table with the one of code.dny.dev/ssrf, which is generated from
// the registries.
func TestOtherTable(t *testing.T) {
	t.Parallel()
	inRouted := func(addr netip.Addr) bool {
		for _, p := range append(routed, netip.MustParsePrefix("192.0.0.8/30")) {
			if p.Contains(addr) {
				return true
			}
		}
		return false
	}
	for _, prefix := range append(ssrf.IPv4DeniedPrefixes, ssrf.IPv6DeniedPrefixes...) {
		for _, addr := range []netip.Addr{prefix.Addr(), prefix.Addr().Next(), last(prefix), last(prefix).Prev()} {
			if Classify(addr).Group == Public && !inRouted(addr) {
				t.Errorf("%s, which is in %s, is public", addr, prefix)
			}
		}
	}
	guard := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV6Prefixes(ssrf.IPv6NAT64Prefix))
	for i := range ranges {
		if addr := last(ranges[i].prefix); ranges[i].group != Public && guard.SafeAddr(addr) == nil {
			t.Errorf("%s is refused for %s, and the other table lets it pass", addr, ranges[i].prefix)
		}
	}
}

func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 1 << (7 - bit%8)
	}
	addr, _ := netip.AddrFromSlice(b)
	return addr
}

// FuzzEmbedded holds that an IPv4 address inside an IPv6 address is never judged better than
// alone, and that an address of the standard library's internal kinds is never public.
func FuzzEmbedded(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "10.1.2.3", "169.254.169.254", "8.8.8.8", "0.0.0.0", "255.255.255.255", "224.0.0.1", "192.88.99.2"} {
		b := netip.MustParseAddr(seed).As4()
		f.Add(binary.BigEndian.Uint32(b[:]), uint64(0x2606_4700_0000_0000))
	}
	f.Fuzz(func(t *testing.T, v4 uint32, prefix uint64) {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], v4)
		addr := netip.AddrFrom4(b)
		alone := Classify(addr)
		if standard(addr) && alone.Group == Public {
			t.Errorf("%s is public", addr)
		}
		for what, in := range map[string]netip.Addr{
			"mapped":     join(0, 0xffff<<32|uint64(v4)),
			"compatible": join(0, uint64(v4)),
			"translated": join(0, 0xffff_0000<<32|uint64(v4)),
			"NAT64":      join(0x64_ff9b<<32, uint64(v4)),
			"6to4":       join(0x2002<<48|uint64(v4)<<16, prefix),
			"Teredo":     join(0x2001_0000<<32|uint64(v4), 0xf7f7_f7f7),
			"Teredo too": join(0x2001_0000<<32|0x0808_0808, uint64(^v4)),
			"ISATAP":     join(prefix, 0x5efe<<32|uint64(v4)),
		} {
			got := Classify(in)
			if alone.Group != Public && got.Group == Public {
				t.Errorf("%s %s is public, and %s is %s", what, in, addr, alone.Name)
			}
			if standard(in) && got.Group == Public {
				t.Errorf("%s %s is public", what, in)
			}
		}
	})
}

// standard reports what the standard library calls internal.
func standard(a netip.Addr) bool {
	return a.IsPrivate() || a.IsLoopback() || a.IsUnspecified() || a.IsLinkLocalUnicast() || a.IsMulticast()
}

func join(high, low uint64) netip.Addr {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], high)
	binary.BigEndian.PutUint64(b[8:], low)
	return netip.AddrFrom16(b)
}
