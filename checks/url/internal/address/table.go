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

// A row is a block as the table has it. The table is data, and read at the start: code that makes it would weigh more.
type row struct {
	prefix string
	group  Group
	name   string
}

func blocks(rows []row) []block {
	list := make([]block, 0, len(rows))
	for _, r := range rows {
		list = append(list, block{netip.MustParsePrefix(r.prefix), r.group, r.name})
	}
	return list
}

// ranges are the rows of the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC
// 8190), as of RFC 9780 of May 2025, and beside them multicast (RFC 5771, RFC 4291) and
// site-local addresses (RFC 3879). The first match counts, so an exception stands before its
// block. Addresses that a registry calls globally reachable are public here. Of two that it calls
// neither, 6to4 and Teredo, the embedded address decides; a third, 192.88.99.0/24 (RFC 7526, the
// former 6to4 relays), is routed as any other.
var ranges = blocks([]row{
	{"0.0.0.0/32", Loopback, "the unspecified address (which leads to this machine)"}, // RFC 1122, 3.2.1.3
	{"0.0.0.0/8", Special, "an address of \"this network\""},                          // RFC 791, 3.2
	{"10.0.0.0/8", Private, "a private address"},                                      // RFC 1918
	{"100.64.0.0/10", Private, "a shared (carrier or overlay) address"},               // RFC 6598
	{"127.0.0.0/8", Loopback, "the loopback address"},                                 // RFC 1122, 3.2.1.3
	{"169.254.0.0/16", Special, "a link-local address"},                               // RFC 3927
	{"172.16.0.0/12", Private, "a private address"},                                   // RFC 1918
	{"192.0.0.9/32", Public, "PCP anycast"},                                           // RFC 7723
	{"192.0.0.10/32", Public, "TURN anycast"},                                         // RFC 8155
	{"192.0.0.0/24", Special, "an address reserved for protocols"},                    // RFC 6890, 2.1
	{"192.0.2.0/24", Special, "a documentation address"},                              // RFC 5737
	{"192.88.99.2/32", Special, "an address reserved for protocols"},                  // RFC 6751
	{"192.168.0.0/16", Private, "a private address"},                                  // RFC 1918
	{"198.18.0.0/15", Special, "a benchmarking address"},                              // RFC 2544
	{"198.51.100.0/24", Special, "a documentation address"},                           // RFC 5737
	{"203.0.113.0/24", Special, "a documentation address"},                            // RFC 5737
	{"224.0.0.0/4", Special, "a multicast address"},                                   // RFC 5771
	{"255.255.255.255/32", Special, "the broadcast address"},                          // RFC 8190
	{"240.0.0.0/4", Special, "a reserved address"},                                    // RFC 1112, 4

	{"::1/128", Loopback, "the loopback address"},                                 // RFC 4291
	{"::/128", Loopback, "the unspecified address (which leads to this machine)"}, // RFC 4291
	{"64:ff9b::/96", Public, "NAT64"},                                             // RFC 6052: the embedded address decides
	{"64:ff9b:1::/48", Private, "a local-use translation address"},                // RFC 8215
	{"100::/64", Special, "a discard-only address"},                               // RFC 6666
	{"100:0:0:1::/64", Special, "a dummy address"},                                // RFC 9780
	{"2001::/32", Public, "Teredo"},                                               // RFC 4380: the embedded addresses decide
	{"2001:1::1/128", Public, "PCP anycast"},                                      // RFC 7723
	{"2001:1::2/128", Public, "TURN anycast"},                                     // RFC 8155
	{"2001:1::3/128", Public, "DNS-SD SRP anycast"},                               // RFC 9665
	{"2001:3::/32", Public, "AMT"},                                                // RFC 7450
	{"2001:4:112::/48", Public, "AS112"},                                          // RFC 7535
	{"2001:20::/28", Public, "ORCHIDv2"},                                          // RFC 7343
	{"2001:30::/28", Public, "drone remote ID"},                                   // RFC 9374
	{"2001::/23", Special, "an address reserved for protocols"},                   // RFC 2928
	{"2001:db8::/32", Special, "a documentation address"},                         // RFC 3849
	{"3fff::/20", Special, "a documentation address"},                             // RFC 9637
	{"5f00::/16", Special, "a segment-routing address"},                           // RFC 9602
	{"fc00::/7", Private, "a private (unique local) address"},                     // RFC 4193
	{"fe80::/10", Special, "a link-local address"},                                // RFC 4291
	{"fec0::/10", Special, "a site-local address"},                                // RFC 3879
	{"ff00::/8", Special, "a multicast address"},                                  // RFC 4291
})

// metadata are the addresses where clouds hand credentials and settings to a machine, as
// their documentation had them in November 2026.
var metadata = blocks([]row{
	// AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, OpenStack and others
	{"169.254.169.254/32", Metadata, "the address of cloud metadata"},
	{"fd00:ec2::254/128", Metadata, "the address of AWS's metadata"},
	{"169.254.170.2/32", Metadata, "the address of AWS's container credentials"},
	{"169.254.170.23/32", Metadata, "the address of AWS's pod credentials"},
	{"fd00:ec2::23/128", Metadata, "the address of AWS's pod credentials"},
	{"fd20:ce::254/128", Metadata, "the address of Google's metadata"},
	{"168.63.129.16/32", Metadata, "the address of Azure's host services"},
	{"100.100.100.200/32", Metadata, "the address of Alibaba's metadata"},
	{"192.0.0.192/32", Metadata, "the address of Oracle's metadata"},
	{"fd00:c1::a9fe:a9fe/128", Metadata, "the address of Oracle's metadata"},
	{"fe80::a9fe:a9fe/128", Metadata, "the address of OpenStack's metadata"},
	{"169.254.0.23/32", Metadata, "the address of Tencent's metadata"},
	{"169.254.42.42/32", Metadata, "the address of Scaleway's metadata"},
	{"fd00:42::42/128", Metadata, "the address of Scaleway's metadata"},
	{"fd00:a9fe:a9fe::1/128", Metadata, "the address of Linode's metadata"},
})
