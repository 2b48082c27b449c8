// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package whatwg

import (
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// A Host is the host of a URL: a name, an address, or nothing.
type Host struct {
	Text     string     // the name in ASCII and lower case, or the address; "" for none
	Addr     netip.Addr // of an address; not valid for a name
	Opaque   bool       // of a scheme that gives hosts no meaning: Text is as written
	Digits   string     // an IPv4 address as it is written, in ASCII
	Spelling Spelling
}

// Spelling says in which unusual ways a host is written.
type Spelling uint16

// The ways.
const (
	Percent     Spelling = 1 << iota // characters are percent-encoded
	NonASCII                         // characters are not ASCII
	TrailingDot                      // a dot stands behind the last label
	Decimal                          // an IPv4 address as one decimal number
	Short                            // an IPv4 address in two or three parts
	Octal                            // an IPv4 address with an octal part
	Hex                              // an IPv4 address with a hexadecimal part
)

// ParseHost reads a host of an http or https URL (URL Standard, section 3.5).
func ParseHost(input string) (Host, error) {
	if strings.HasPrefix(input, "[") {
		return parseBrackets(input)
	}
	domain, h := input, Host{}
	if strings.IndexByte(input, '%') >= 0 {
		h.Spelling |= Percent
		domain = percentDecode(input)
	}
	if !isASCII(domain) {
		h.Spelling |= NonASCII
	}
	text, err := ToASCII(domain)
	switch {
	case err != nil:
		return Host{}, err
	case text == "":
		return Host{}, ErrNoHost
	case strings.IndexFunc(text, forbiddenInDomain) >= 0:
		return Host{}, ErrHost
	}
	if strings.HasSuffix(text, ".") {
		h.Spelling |= TrailingDot
	}
	h.Text = text
	if !endsInNumber(text) {
		return h, nil
	}
	addr, spelling, err := parseIPv4(text)
	if err != nil {
		return Host{}, err
	}
	h.Addr, h.Text, h.Digits, h.Spelling = addr, addr.String(), text, h.Spelling|spelling
	return h, nil
}

// parseBrackets reads an IPv6 address. netip takes what the standard takes, and zones.
func parseBrackets(input string) (Host, error) {
	inside, ok := strings.CutSuffix(input[1:], "]")
	if strings.IndexByte(inside, '%') >= 0 {
		return Host{}, ErrZone
	}
	addr, err := netip.ParseAddr(inside)
	if !ok || err != nil || !addr.Is6() {
		return Host{}, ErrIPv6
	}
	return Host{Text: addr.String(), Addr: addr}, nil
}

// parseOpaque reads a host of a scheme that the standard gives no meaning.
func parseOpaque(input string) (Host, error) {
	if strings.HasPrefix(input, "[") {
		return parseBrackets(input)
	}
	if strings.IndexFunc(input, forbiddenInHost) >= 0 {
		return Host{}, ErrHost
	}
	return Host{Text: input, Opaque: true}, nil
}

// profile is UTS #46 as the URL Standard wants it of "domain to ASCII", not strict.
var profile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
)

// ToASCII turns a name into ASCII and lower case (URL Standard, section 3.3).
func ToASCII(domain string) (string, error) {
	if isASCII(domain) {
		lower := strings.ToLower(domain)
		if !strings.Contains(lower, "xn--") {
			return lower, nil
		}
	}
	if !utf8.ValidString(domain) || strings.Contains(domain, sharpS) {
		return "", ErrName
	}
	ascii, err := profile.ToASCII(domain)
	if err != nil || lostLabel(domain, ascii) {
		return "", ErrName
	}
	return ascii, nil
}

// sharpS is the capital ẞ: "ss" to parsers with tables before Unicode 15.1, and "ß", which
// is another name, to those since.
const sharpS = "\u1e9e"

// lostLabel reports that a label of a name may have become empty: the profile lets "xn--"
// with nothing behind it pass.
func lostLabel(domain, ascii string) bool {
	inner, dot := strings.CutSuffix(ascii, ".")
	if dot && !slices.ContainsFunc(dots, func(d string) bool { return strings.HasSuffix(domain, d) }) {
		return true
	}
	return slices.Contains(strings.Split(inner, "."), "")
}

// dots are the characters that UTS #46 maps to a dot, and the dot.
var dots = []string{".", "\u3002", "\uff0e", "\uff61"}

func forbiddenInHost(r rune) bool {
	return r == 0 || r < 0x80 && strings.IndexByte("\t\n\r #/:<>?@[\\]^|", byte(r)) >= 0
}

func forbiddenInDomain(r rune) bool {
	return r < 0x20 || r == '%' || r == 0x7f || forbiddenInHost(r)
}

func percentDecode(s string) string {
	decoded := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
		}
		decoded = append(decoded, c)
	}
	return strings.ToValidUTF8(string(decoded), "\ufffd")
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
