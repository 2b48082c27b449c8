// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/checks/url/internal/address"
	"github.com/toolvet/toolvet/checks/url/internal/whatwg"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A reading is a place in a value where a reader may begin to look for a host.
type reading struct {
	scheme    string // the text before it, in lower case
	authority string // up to the first slash
	explicit  bool   // it stands where nothing but a host can stand
}

var (
	schemeBefore = lazyregexp.New(`^([A-Za-z][A-Za-z0-9+.-]*):`)
	portBehind   = lazyregexp.New(`^(?:[0-9]+(?:[/\\?#]|$)|$)`)
)

// readings reads a value as if it began with a host, and again behind each scheme that it
// begins with: jdbc:postgresql://host has two. Any number of slashes may stand before.
func readings(value string) []reading {
	var list []reading
	scheme := ""
	for len(list) < 8 {
		rest := strings.TrimLeft(value, `/\+`) // a form has + for a space
		authority, _, _ := strings.Cut(rest, "/")
		list = append(list, reading{scheme, authority, len(value)-len(rest) > 1})
		m := schemeBefore.FindStringSubmatch(rest)
		if m == nil || portBehind.MatchString(rest[len(m[0]):]) {
			break
		}
		scheme, value = strings.ToLower(m[1]), rest[len(m[0]):]
	}
	return list
}

var brackets = lazyregexp.New(`\[([^\[\]]*)`)

// leads names the link-local or metadata address that some reader takes for the host of a
// reading, or nothing. Readers differ about the begin and end of the host, so it may be anything
// between two characters at which one of them stops.
func (r reading) leads() string {
	const ends = `\?#@[]{}^`
	explicit := r.explicit || strings.ContainsAny(r.authority, "@:")
	var hosts []string
	for _, m := range brackets.FindAllStringSubmatch(r.authority, -1) {
		hosts = append(hosts, m[1])
	}
	for part := range strings.FieldsFuncSeq(r.authority, func(c rune) bool { return strings.ContainsRune(ends, c) }) {
		hosts = append(hosts, part)
		hosts = append(hosts, strings.Split(part, ":")...)
	}
	for _, h := range hosts {
		if name := leadsInside(h, explicit); name != "" {
			return name
		}
	}
	if filledIn(r.authority) {
		return "a pattern of addresses, which some clients fill in"
	}
	return ""
}

// leadsInside names the link-local or metadata address that a host is, however it is
// written, or nothing. A name without a dot is only a host where nothing else can stand.
func leadsInside(text string, explicit bool) string {
	for _, addr := range addresses(text) {
		if class := address.Classify(addr); class.Group == address.Metadata || linkLocal(addr) {
			return class.Name
		}
	}
	h, err := whatwg.ParseHost(text)
	if err != nil || h.Addr.IsValid() {
		return ""
	}
	name := hostOf(h).name
	if class := classifyName(name); class.Group == address.Metadata && (explicit || strings.Contains(name, ".")) {
		return class.Name
	}
	if spellsAddress(name) {
		for _, addr := range spelt(name) {
			if address.Classify(addr).Group == address.Metadata || linkLocal(addr) {
				return "a name that spells such an address"
			}
		}
	}
	return ""
}

func linkLocal(addr netip.Addr) bool {
	return slices.ContainsFunc(append(address.Embedded(addr), addr), netip.Addr.IsLinkLocalUnicast)
}

// lastInHex finds an IPv4 address behind an IPv6 one, in eight digits: no address, but meant
// for one.
var lastInHex = lazyregexp.New(`:([0-9A-Fa-f]{8})$`)

// addresses are the addresses that some reader takes a host for.
func addresses(text string) []netip.Addr {
	var list []netip.Addr
	withoutZone, _, _ := strings.Cut(text, "%")
	if addr, err := netip.ParseAddr(withoutZone); err == nil {
		list = append(list, addr)
	}
	if h, err := whatwg.ParseHost(text); err == nil && h.Addr.IsValid() {
		list = append(list, h.Addr)
	}
	if m := lastInHex.FindStringSubmatch(text); m != nil {
		list = append(list, inetAton([]string{"0x" + m[1]}, false)...)
	}
	if ascii, err := whatwg.ToASCII(text); err == nil {
		parts := strings.Split(strings.Trim(ascii, "."), ".")
		list = append(list, inetAton(parts, false)...)
		list = append(list, inetAton(parts, true)...)
	}
	return list
}

// inetAton reads one to four numbers like old readers: some cut off excess, and some ignore a
// leading zero.
func inetAton(parts []string, decimal bool) []netip.Addr {
	if len(parts) > 4 {
		return nil
	}
	var value uint64
	for i, part := range parts {
		n, ok := number(part, decimal)
		if !ok {
			return nil
		}
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		value = value<<bits | n&(1<<bits-1)
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)})}
}

// number reads a number modulo 2^32: in hexadecimal behind 0x, in octal behind 0 if it can
// be and is not to be decimal.
func number(s string, decimal bool) (uint64, bool) {
	base := 10
	switch {
	case len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x':
		s, base = s[2:], 16
	case len(s) > 1 && s[0] == '0' && !decimal && strings.Trim(s, "01234567") == "":
		base = 8
	}
	if s == "" {
		return 0, false
	}
	var n uint64
	for _, c := range s {
		digit, err := strconv.ParseUint(string(c), base, 8)
		if err != nil {
			return 0, false
		}
		n = (n*uint64(base) + digit) & (1<<32 - 1)
	}
	return n, true
}

var (
	inDecimals = lazyregexp.New(`(?:^|[.-])([0-9]{1,3})[.-]([0-9]{1,3})[.-]([0-9]{1,3})[.-]([0-9]{1,3})[.-]`)
	inHex      = lazyregexp.New(`(?:^|[.-])([0-9a-f]{8})\.`)
)

// spelt are the addresses in a name, for services that answer with them.
func spelt(name string) []netip.Addr {
	var list []netip.Addr
	for _, m := range inDecimals.FindAllStringSubmatch(name, -1) {
		list = append(list, inetAton(m[1:], true)...)
	}
	for _, m := range inHex.FindAllStringSubmatch(name, -1) {
		list = append(list, inetAton([]string{"0x" + m[1]}, false)...)
	}
	return list
}

// patterned finds digits and what curl fills in: 169.254.169.{253,254}, 169.254.[160-170].1.
var patterned = lazyregexp.New(`^(?:.*@)?[0-9a-fA-FxX.,-]*[\[{][0-9a-fA-FxX.,\[\]{}-]*$`)

// filledIn reports whether a host is a pattern of addresses.
func filledIn(authority string) bool {
	host, _, _ := strings.Cut(authority, ":")
	return strings.ContainsAny(host, "0123456789") && strings.Contains(host, ".") && patterned.MatchString(host)
}
