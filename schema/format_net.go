// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"net/netip"
	"strings"
)

// isIPv4 accepts dotted-quad of RFC 2673 §3.2: no leading zeros.
func isIPv4(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is4()
}

// isIPv6 accepts the addresses of RFC 4291 §2.2, without a zone.
func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// isHostname accepts a host name of RFC 1123 §2.1.
func isHostname(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !isLabel(label) {
			return false
		}
	}
	return true
}

func isLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// isEmail accepts Mailbox of RFC 5321 §4.1.2, within the lengths of §4.5.3.1.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	return (isDotString(local) || isQuotedString(local)) && (isHostname(domain) || isAddressLiteral(domain))
}

func isDotString(s string) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			if !isAlnum(atom[i]) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", atom[i]) < 0 {
				return false
			}
		}
	}
	return true
}

func isQuotedString(s string) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	inner := s[1 : len(s)-1]
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case c < ' ' || c > '~' || c == '"':
			return false
		case c == '\\':
			if i++; i == len(inner) || inner[i] < ' ' || inner[i] > '~' {
				return false
			}
		}
	}
	return true
}

func isAddressLiteral(s string) bool {
	inner, ok := strings.CutPrefix(s, "[")
	if inner, ok2 := strings.CutSuffix(inner, "]"); ok && ok2 {
		if v6, ok := strings.CutPrefix(inner, "IPv6:"); ok {
			return isIPv6(v6)
		}
		return isIPv4(inner)
	}
	return false
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
