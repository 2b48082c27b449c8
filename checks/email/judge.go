// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package email

import (
	"net/netip"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/check"
)

// Limits of RFC 5321, section 4.5.3.1, in bytes. A path of 256 includes < and >.
const (
	maxAddress = 254
	maxName    = 64
	maxLabel   = 63
)

// judge says what is wrong with an address, the most important thing alone. The findings
// have no pointer yet.
func (o *Options) judge(s string) []check.Finding {
	security := func(message, mend string) []check.Finding {
		return []check.Finding{{Level: check.SecurityLevel, Message: message, Suggestion: mend}}
	}
	if injects(s) {
		return security("must hold no line breaks, control or invisible characters, plain or percent-encoded: they add headers and receivers to a message", "send the address alone")
	}
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return []check.Finding{{Message: "must be an e-mail address such as name@example.org"}}
	}
	name, host := s[:at], s[at+1:]
	if strings.ContainsAny(name, ",;<>") && !strings.HasPrefix(name, `"`) {
		return security("must be one e-mail address alone, without a display name, angle brackets or a second address", "send name@example.org")
	}
	why := o.name(name)
	if why == "" {
		why = o.host(host)
	}
	switch {
	case why == "" && len(s) > maxAddress:
		why = "must have at most 254 bytes"
	case why == "" && !o.allows(host):
		return security("must be an e-mail address at one of these domains: "+strings.Join(o.Domains, ", "), "")
	case why == "":
		return nil
	}
	return []check.Finding{{Message: why}}
}

// injects reports line ends of headers, here or after one decoding, and invisible characters.
func injects(s string) bool {
	lower := strings.ToLower(s)
	return strings.Contains(lower, "%0a") || strings.Contains(lower, "%0d") || strings.Contains(lower, "%00") ||
		strings.ContainsFunc(s, func(r rune) bool {
			return r < ' ' || r >= 0x7f && r < 0xa0 || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
		})
}

// ascii reports whether only ASCII is allowed.
func (o *Options) ascii() bool { return o.Unicode != nil && !*o.Unicode }

// name judges what stands before the last @ (Local-part).
func (o *Options) name(s string) string {
	switch {
	case len(s) > maxName:
		return "must have at most 64 bytes before the @"
	case strings.HasPrefix(s, `"`):
		if !o.Quoted {
			return "must have no quotes before the @"
		}
		return o.quoted(s)
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return "must have a name before the @ that does not begin or end with a dot, nor has two in a row"
		}
		if strings.ContainsFunc(atom, func(r rune) bool { return !o.atomic(r) }) {
			return "must have nothing before the @ but letters, digits and " + specials + " and dots"
		}
	}
	return ""
}

// specials are the characters of an atom (RFC 5322, section 3.2.3) that are not letters or
// digits.
const specials = "!#$%&'*+-/=?^_`{|}~"

func (o *Options) atomic(r rune) bool {
	if r > unicode.MaxASCII {
		return !o.ascii() && !unicode.IsSpace(r) && r != unicode.ReplacementChar
	}
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(specials, r)
}

func (o *Options) quoted(s string) string {
	const form = "must have a closed quote before the @, with \\ before quotes and backslashes in it"
	if len(s) < 2 || s[len(s)-1] != '"' {
		return form
	}
	inside := s[1 : len(s)-1]
	for i := 0; i < len(inside); i++ {
		switch inside[i] {
		case '"':
			return form
		case '\\':
			if i++; i == len(inside) {
				return form
			}
		}
		if i < len(inside) && inside[i] > unicode.MaxASCII && o.ascii() {
			return "must be in ASCII"
		}
	}
	return ""
}

// host judges what stands behind the @.
func (o *Options) host(s string) string {
	if address, literal := strings.CutPrefix(s, "["); literal {
		if !o.Literal {
			return "must have a domain behind the @, not an address"
		}
		address, closed := strings.CutSuffix(address, "]")
		v6, tagged := strings.CutPrefix(address, "IPv6:")
		ip, err := netip.ParseAddr(v6)
		if !closed || err != nil || ip.Is6() != tagged || ip.Zone() != "" {
			return "must have an address such as [192.0.2.1] or [IPv6:2001:db8::1] behind the @"
		}
		return ""
	}
	if o.ascii() && strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		return "must be in ASCII: write the domain as xn--…"
	}
	return domain(s, o.Local)
}

// domain says what is wrong with a domain, or "".
func domain(s string, local bool) string {
	const form = "must have a domain such as example.org behind the @"
	labels := strings.Split(s, ".")
	if len(labels) < 2 && !local {
		return form
	}
	numeric := true
	for _, label := range labels {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, foreign) {
			return form
		}
		numeric = strings.Trim(label, "0123456789") == ""
	}
	if numeric { // the last label: no top-level domain is a number
		return form
	}
	return ""
}

// foreign characters are in no label of a domain.
func foreign(r rune) bool {
	if r > unicode.MaxASCII {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '·'
	}
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-')
}
