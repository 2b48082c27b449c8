// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package address says of an IP address what kind it is: public, or one that leads to this
// machine, to a private network, to a cloud's metadata, or nowhere. An IPv4 address inside
// an IPv6 address counts as what it is.
package address

import (
	"encoding/binary"
	"net/netip"
)

// A Group is what an address leads to.
type Group uint8

// The groups.
const (
	Public   Group = iota // the internet
	Loopback              // this machine
	Private               // a network that is not the internet's
	Metadata              // a cloud's service that gives credentials to who asks from inside
	Special               // nothing that a URL means: multicast, documentation, reserved …
)

// A Class is what is known of an address.
type Class struct {
	Group Group
	Name  string // "the loopback address"; "" for a public one
	Form  string // how an IPv4 address is embedded: "inside a 6to4 address"; "" for none
}

// Classify says what kind an address is. A zone is left out of account.
func Classify(addr netip.Addr) Class {
	addr = addr.WithZone("")
	if !addr.Is6() {
		return lookup(addr)
	}
	if class := lookupMetadata(addr); class.Group != Public {
		return class
	}
	for _, e := range embedded(addr.As16()) {
		if class := lookup(e.addr); class.Group != Public {
			class.Form = e.form
			return class
		}
	}
	if addr.Is4In6() {
		return Class{} // the embedded address is public
	}
	return lookup(addr)
}

func lookup(addr netip.Addr) Class {
	if class := lookupMetadata(addr); class.Group != Public {
		return class
	}
	for i := range ranges {
		if r := &ranges[i]; r.prefix.Contains(addr) {
			if r.group == Public {
				return Class{}
			}
			return Class{Group: r.group, Name: r.name}
		}
	}
	if addr.Is6() && !globalUnicast.Contains(addr) {
		return Class{Group: Special, Name: "a reserved IPv6 address"}
	}
	return Class{}
}

func lookupMetadata(addr netip.Addr) Class {
	for i := range metadata {
		if metadata[i].prefix.Contains(addr) {
			return Class{Group: Metadata, Name: metadata[i].name}
		}
	}
	return Class{}
}

// Embedded returns the IPv4 addresses that packets to an IPv6 address may be sent on to.
func Embedded(addr netip.Addr) []netip.Addr {
	if !addr.Is6() {
		return nil
	}
	var addrs []netip.Addr
	for _, e := range embedded(addr.As16()) {
		addrs = append(addrs, e.addr)
	}
	return addrs
}

type embeddedAddr struct {
	addr netip.Addr
	form string
}

func embedded(b [16]byte) []embeddedAddr {
	at := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	high, low := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	switch {
	case high == 0 && low>>32 == 0xffff: // RFC 4291, section 2.5.5.2
		return []embeddedAddr{{at(12), "inside an IPv4-mapped IPv6 address"}}
	case high == 0 && low>>32 == 0 && low > 1: // RFC 4291, section 2.5.5.1
		return []embeddedAddr{{at(12), "inside an IPv4-compatible IPv6 address"}}
	case high == 0 && low>>32 == 0xffff0000: // RFC 2765, section 2.1
		return []embeddedAddr{{at(12), "inside an IPv4-translated IPv6 address"}}
	case high == 0x64_ff9b<<32 && low>>32 == 0: // RFC 6052, section 2.1
		return []embeddedAddr{{at(12), "inside a NAT64 address"}}
	case high>>48 == 0x2002: // RFC 3056, section 2
		return []embeddedAddr{{at(2), "inside a 6to4 address"}}
	case high>>32 == 0x2001_0000: // RFC 4380, section 4: the server, and the client inverted
		for i := 12; i < 16; i++ {
			b[i] = ^b[i]
		}
		return []embeddedAddr{{at(4), "inside a Teredo address"}, {at(12), "inside a Teredo address"}}
	case low>>32&^0x0200_0000 == 0x5efe: // RFC 5214, section 6.1
		return []embeddedAddr{{at(12), "inside an ISATAP address"}}
	}
	return nil
}
