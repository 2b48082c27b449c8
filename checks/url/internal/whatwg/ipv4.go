// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package whatwg

import (
	"net/netip"
	"strings"
)

// endsInNumber reports whether a name must be an IPv4 address: its last label is a number
// (URL Standard, "ends in a number checker").
func endsInNumber(name string) bool {
	name = strings.TrimSuffix(name, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" || !isDigit(last[0]) {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, _, ok := parseNumber(last)
	return ok
}

// parseIPv4 reads an address in one to four parts, each decimal, octal or hexadecimal
// (URL Standard, "IPv4 parser").
func parseIPv4(name string) (netip.Addr, Spelling, error) {
	parts := strings.Split(strings.TrimSuffix(name, "."), ".")
	if len(parts) > 4 {
		return netip.Addr{}, 0, ErrIPv4
	}
	var value uint64
	var spelling Spelling
	for i, part := range parts {
		n, base, ok := parseNumber(part)
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if !ok || n >= 1<<bits {
			return netip.Addr{}, 0, ErrIPv4
		}
		value = value<<bits | n
		spelling |= base
	}
	switch {
	case len(parts) == 1 && spelling == 0:
		spelling = Decimal
	case len(parts) == 2 || len(parts) == 3:
		spelling |= Short
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), spelling, nil
}

// parseNumber reads one part. A number that is too great for any address is 1<<40.
func parseNumber(s string) (value uint64, base Spelling, ok bool) {
	radix := uint64(10)
	switch {
	case len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x':
		s, radix, base = s[2:], 16, Hex
	case len(s) >= 2 && s[0] == '0':
		s, radix, base = s[1:], 8, Octal
	case s == "":
		return 0, 0, false
	}
	for i := range len(s) {
		if !isHex(s[i]) || uint64(unhex(s[i])) >= radix {
			return 0, 0, false
		}
		value = min(value*radix+uint64(unhex(s[i])), 1<<40)
	}
	return value, base, true
}
