// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package address

import "net/netip"

// globalUnicast is all that IANA gives out of IPv6 (registry "Internet Protocol Version 6 Address
// Space"). An address outside, and not in the table, is reserved.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// A block is a row of a registry.
type block struct {
	prefix netip.Prefix
	group  Group
	name   string
}

func row(prefix string, group Group, name string) block {
	return block{netip.MustParsePrefix(prefix), group, name}
}

// ranges are the rows of the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC
// 8190), as of RFC 9780 of May 2025, and beside them multicast (RFC 5771, RFC 4291) and
// site-local addresses (RFC 3879). The first match counts, so an exception stands before its
// block. Addresses that a registry calls globally reachable are public here. Of two that it calls
// neither, 6to4 and Teredo, the embedded address decides; a third, 192.88.99.0/24 (RFC 7526, the
// former 6to4 relays), is routed as any other.
var ranges = []block{
	row("0.0.0.0/32", Loopback, "the unspecified address (which leads to this machine)"), // RFC 1122, 3.2.1.3
	row("0.0.0.0/8", Special, "an address of \"this network\""),                          // RFC 791, 3.2
	row("10.0.0.0/8", Private, "a private address"),                                      // RFC 1918
	row("100.64.0.0/10", Private, "a shared (carrier or overlay) address"),               // RFC 6598
	row("127.0.0.0/8", Loopback, "the loopback address"),                                 // RFC 1122, 3.2.1.3
	row("169.254.0.0/16", Special, "a link-local address"),                               // RFC 3927
	row("172.16.0.0/12", Private, "a private address"),                                   // RFC 1918
	row("192.0.0.9/32", Public, "PCP anycast"),                                           // RFC 7723
	row("192.0.0.10/32", Public, "TURN anycast"),                                         // RFC 8155
	row("192.0.0.0/24", Special, "an address reserved for protocols"),                    // RFC 6890, 2.1
	row("192.0.2.0/24", Special, "a documentation address"),                              // RFC 5737
	row("192.88.99.2/32", Special, "an address reserved for protocols"),                  // RFC 6751
	row("192.168.0.0/16", Private, "a private address"),                                  // RFC 1918
	row("198.18.0.0/15", Special, "a benchmarking address"),                              // RFC 2544
	row("198.51.100.0/24", Special, "a documentation address"),                           // RFC 5737
	row("203.0.113.0/24", Special, "a documentation address"),                            // RFC 5737
	row("224.0.0.0/4", Special, "a multicast address"),                                   // RFC 5771
	row("255.255.255.255/32", Special, "the broadcast address"),                          // RFC 8190
	row("240.0.0.0/4", Special, "a reserved address"),                                    // RFC 1112, 4

	row("::1/128", Loopback, "the loopback address"),                                 // RFC 4291
	row("::/128", Loopback, "the unspecified address (which leads to this machine)"), // RFC 4291
	row("64:ff9b::/96", Public, "NAT64"),                                             // RFC 6052: the embedded address decides
	row("64:ff9b:1::/48", Private, "a local-use translation address"),                // RFC 8215
	row("100::/64", Special, "a discard-only address"),                               // RFC 6666
	row("100:0:0:1::/64", Special, "a dummy address"),                                // RFC 9780
	row("2001::/32", Public, "Teredo"),                                               // RFC 4380: the embedded addresses decide
	row("2001:1::1/128", Public, "PCP anycast"),                                      // RFC 7723
	row("2001:1::2/128", Public, "TURN anycast"),                                     // RFC 8155
	row("2001:1::3/128", Public, "DNS-SD SRP anycast"),                               // RFC 9665
	row("2001:3::/32", Public, "AMT"),                                                // RFC 7450
	row("2001:4:112::/48", Public, "AS112"),                                          // RFC 7535
	row("2001:20::/28", Public, "ORCHIDv2"),                                          // RFC 7343
	row("2001:30::/28", Public, "drone remote ID"),                                   // RFC 9374
	row("2001::/23", Special, "an address reserved for protocols"),                   // RFC 2928
	row("2001:db8::/32", Special, "a documentation address"),                         // RFC 3849
	row("3fff::/20", Special, "a documentation address"),                             // RFC 9637
	row("5f00::/16", Special, "a segment-routing address"),                           // RFC 9602
	row("fc00::/7", Private, "a private (unique local) address"),                     // RFC 4193
	row("fe80::/10", Special, "a link-local address"),                                // RFC 4291
	row("fec0::/10", Special, "a site-local address"),                                // RFC 3879
	row("ff00::/8", Special, "a multicast address"),                                  // RFC 4291
}

// metadata are the addresses where clouds hand credentials and settings to a machine, as
// their documentation had them in November 2026.
var metadata = []struct {
	addr netip.Addr
	name string
}{
	// AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, OpenStack and others
	{netip.MustParseAddr("169.254.169.254"), "the address of cloud metadata"},
	{netip.MustParseAddr("fd00:ec2::254"), "the address of AWS's metadata"},
	{netip.MustParseAddr("169.254.170.2"), "the address of AWS's container credentials"},
	{netip.MustParseAddr("169.254.170.23"), "the address of AWS's pod credentials"},
	{netip.MustParseAddr("fd00:ec2::23"), "the address of AWS's pod credentials"},
	{netip.MustParseAddr("fd20:ce::254"), "the address of Google's metadata"},
	{netip.MustParseAddr("168.63.129.16"), "the address of Azure's host services"},
	{netip.MustParseAddr("100.100.100.200"), "the address of Alibaba's metadata"},
	{netip.MustParseAddr("192.0.0.192"), "the address of Oracle's metadata"},
	{netip.MustParseAddr("fd00:c1::a9fe:a9fe"), "the address of Oracle's metadata"},
	{netip.MustParseAddr("fe80::a9fe:a9fe"), "the address of OpenStack's metadata"},
	{netip.MustParseAddr("169.254.0.23"), "the address of Tencent's metadata"},
	{netip.MustParseAddr("169.254.42.42"), "the address of Scaleway's metadata"},
	{netip.MustParseAddr("fd00:42::42"), "the address of Scaleway's metadata"},
	{netip.MustParseAddr("fd00:a9fe:a9fe::1"), "the address of Linode's metadata"},
}
