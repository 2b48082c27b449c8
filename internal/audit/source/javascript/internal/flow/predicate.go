// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"net/url"
	"path"
	"strings"
)

// The meaning of a condition is found by trying it. There is no list of recognised guards: any
// function of the language that can be computed for a constant can be a guard, in any
// combination.

// A family is a kind of attack, with values of it for each form in which a guard may see them. A
// form without values has no such attack: a resolved path has no "..".
type family struct {
	bit    Bits
	values map[form][]string
	// extended derives further values from a constant that the guard compares with. They begin
	// with it, end with it or hold it, and are attacks all the same: a guard by
	// startsWith("allowed.example") lets "allowed.example.evil.example" through, and no fixed
	// list contains that host.
	extended func(f form, c string) []string
}

// shellFamily is a metacharacter of shells, in positions where guards look: alone, inside, in a
// path, in a URL, before an extension.
func shellFamily(bit Bits, with string) family {
	list := []string{with, "a" + with + "b", with + "id", "/a/" + with + "b", "http://example.com/" + with + "b", "a" + with + "b.png", "1" + with + "2", "a/" + with + "b"}
	return family{bit, map[form][]string{formRaw: list, formPiece: list, formJoined: {"/a/" + with + "b"}, formResolved: {"/a/" + with + "b"}},
		func(_ form, c string) []string { return []string{c + with + "b", "a" + with + c, c + "/" + with + c} }}
}

// hostFamily is a range of addresses: as hosts, bare addresses and URLs with and without ports.
func hostFamily(bit Bits, hosts ...string) family {
	m := map[form][]string{formHost: hosts}
	for _, h := range hosts {
		bare := strings.Trim(h, "[]")
		m[formAddress] = append(m[formAddress], bare)
		m[formHost] = append(m[formHost], bare)
		m[formRaw] = append(m[formRaw], "http://"+h+"/", "https://"+h+"/a", "http://"+h+":8080/", h)
		m[formURL] = append(m[formURL], "http://"+h+"/", "https://"+h+":8443/a")
	}
	return family{bit, m, nil}
}

// ranged adds the name that ipaddr.js has for a range.
func ranged(f family, name string) family {
	f.values[formRange] = []string{name}
	return f
}

// families are all kinds of attack. Their order does not matter. Most have two values of a kind
// or more, so that a guard of one literal does not count as a guard of the range.
var families = []family{
	{bitDots, map[form][]string{
		formRaw: {"../x", "../../etc/passwd", "a/../../x", "/a/../../x"}, formResolved: {"/etc/passwd", "/x"}, formReal: {"/etc/passwd", "/x"},
		formJoined: {"/etc/passwd", "/x"}, formRelative: {"../x", "../../etc/passwd"}, formPiece: {".."},
	}, func(f form, c string) []string {
		if f == formRaw {
			return []string{c + "/../x", strings.TrimRight(c, "/") + "/../../etc/passwd", "../" + c}
		}
		return nil
	}},
	{bitAbs, map[form][]string{
		formRaw: {"/etc/passwd", "/x"}, formResolved: {"/etc/passwd", "/x"}, formReal: {"/etc/passwd", "/x"},
		formJoined: {"/etc/passwd", "/x"}, formRelative: {"../x", "../../etc/passwd"},
	}, nil},
	{bitSibling, map[form][]string{
		formRaw: {"../root-evil/x"}, formResolved: {"/root-evil/x"}, formReal: {"/root-evil/x"}, formJoined: {"/root-evil/x"}, formRelative: {"../root-evil/x"}, formPiece: {".."},
	}, func(f form, c string) []string {
		if f == formRelative || f == formPiece || strings.TrimRight(c, "/") == ".." {
			return nil
		}
		return []string{strings.TrimRight(c, "/") + "-evil/x"}
	}},
	shellFamily(bitSemi, ";"), shellFamily(bitDollar, "$(id)"), shellFamily(bitTick, "`id`"), shellFamily(bitPipe, "|id"),
	shellFamily(bitAmp, "&id"), shellFamily(bitNewline, "\nid"), shellFamily(bitQuote, "\""), shellFamily(bitSingle, "'"), shellFamily(bitSpace, " "),
	{bitDash, map[form][]string{formRaw: {"-x", "--output=x", "--x=y"}, formPiece: {"-x", "--output=x"}}, func(_ form, c string) []string { return []string{"-" + c} }},
	ranged(hostFamily(bitLocalhost, "localhost"), "loopback"), ranged(hostFamily(bitLoopback, "127.0.0.1", "127.8.9.10"), "loopback"),
	ranged(hostFamily(bitTen, "10.0.0.1", "10.200.3.4"), "private"), ranged(hostFamily(bitOneSevenTwo, "172.16.0.1", "172.31.255.1"), "private"),
	ranged(hostFamily(bitOneNineTwo, "192.168.0.1", "192.168.200.3"), "private"), ranged(hostFamily(bitLinkLocal, "169.254.169.254"), "linkLocal"),
	ranged(hostFamily(bitZero, "0.0.0.0"), "unspecified"), ranged(hostFamily(bitLoopback6, "[::1]"), "loopback"), ranged(hostFamily(bitMapped6, "[::ffff:7f00:1]"), "ipv4Mapped"),
	hostFamily(bitPublic, "evil.example", "93.184.216.34", "www.evil.example"),
	{bitHostPrefix, map[form][]string{formRaw: {"http://allowed.evil.example/"}, formURL: {"http://allowed.evil.example/"}, formHost: {"allowed.evil.example"}}, extendHost},
	{bitTail, map[form][]string{formRaw: {".evil.example/", "@evil.example/", ":80@evil.example/", "x:@evil.example/", "http://u@evil.example/", "evil.example"}}, func(_ form, c string) []string {
		list := []string{"@evil.example/" + c}
		if !endsHost(c) {
			list = append(list, c+"@evil.example/", c+".evil.example/")
		}
		return list
	}},
}

// endsHost reports whether a text directly behind a host ends it.
func endsHost(s string) bool { return s != "" && strings.ContainsRune(`/?#\`, rune(s[0])) }

// extendHost derives an attacker's hosts from an allowed one. In front of a constant that begins
// with a dot there is a subdomain of the allowed host, and behind the end of its name a path;
// neither is an attack.
func extendHost(f form, c string) []string {
	var list []string
	switch f {
	case formHost:
		list = []string{c + ".evil.example", "evil-" + strings.TrimPrefix(c, ".")}
		if !strings.HasPrefix(c, ".") {
			list = append(list, "evil"+c)
		}
	case formRaw, formURL:
		bare := strings.TrimPrefix(strings.TrimPrefix(c, "https://"), "http://")
		allowed := hostIn(c)
		for _, v := range []string{c + ".evil.example/", c + "@evil.example/", "https://evil.example/" + bare, "https://evil.example/?" + c, "https://" + bare + ".evil.example/"} {
			if h := hostIn(v); h == "" || h != allowed {
				list = append(list, v)
			}
		}
	}
	return list
}

// hostIn is the host of a URL.
func hostIn(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// normalized are values as path.normalize leaves them: ".." stands only at the beginning.
func (f family) normalized(values []string) []string {
	if f.bit&bitsPath == 0 {
		return values
	}
	var out []string
	for _, v := range values {
		if v = path.Clean(v); f.bit == bitAbs || strings.HasPrefix(v, "..") {
			out = append(out, v)
		}
	}
	return out
}

// resolved are the families of the addresses that a name resolves to. dns.lookup gives an address
// back as it is, so for its results the families of the text follow, too.
func (h *hole) resolved(b Bits) Bits {
	if h.lookup {
		return b<<dnsShift | b
	}
	return b << dnsShift
}

// isHost reports whether the families are those of hosts.
func (f family) isHost() bool { return f.bit&(bitsHost) != 0 }

// placeholder stands for text that is unknown, but not the caller's: a folder, a host.
func (f family) placeholder() string {
	if f.isHost() {
		return "known.example"
	}
	return "/known-folder"
}

// A ternary is the answer of a guard for one value.
type ternary uint8

// The answers of a guard. perhaps is none: the guard could not be computed for the value, so
// nothing follows from it.
const (
	perhaps ternary = iota
	always
	never
)

// tern is the answer of a guard that always has one.
func tern(b bool) ternary {
	if b {
		return always
	}
	return never
}

// subject is the argument that a guard looks at. With two arguments in one text, trying one value
// for both would prove too much.
func subject(text []part) (h *hole, ok bool) {
	for _, p := range text {
		switch {
		case p.hole == nil:
		case h == nil:
			h = p.hole
		case h.origin != p.hole.origin:
			return nil, false
		}
	}
	return h, h != nil
}

// fill writes a text with a value in place of the argument.
func fill(text []part, value, placeholder string) string {
	var b strings.Builder
	for _, p := range text {
		switch {
		case p.hole != nil:
			b.WriteString(value)
		case p.unknown:
			b.WriteString(placeholder)
		default:
			b.WriteString(p.s)
		}
	}
	return b.String()
}

// predicate finds the meaning of a guard by trying it on the attacks of each family. If no attack
// makes it true, then the family is excluded where it is true, and the other way round:
//
//	p.startsWith("/srv/")    // false for "/etc/passwd": where true, bitAbs is excluded
//	p.includes("..")         // true for all of bitDots: where false, they are excluded
//
// A guard looks at a text, and the argument may be only a part of it. So each attack is put into
// the place of the hole first, and unknown parts get a placeholder:
//
//	path.join(root, p).startsWith(root)    // tried on "/known-folder/" + attack
//
// with is the text that the guard compares with; further attacks are derived from it. The result
// is as good as the values are: a guard of exactly these values counts as a guard of the family.
// Values are therefore plain ones, as guards in real servers mean them.
func predicate(text []part, with []part, holds func(value, with string) ternary) Value {
	h, ok := subject(text)
	if !ok {
		return anyTruth(len(holes(text)) > 0)
	}
	var yes, no Bits
	for _, f := range families {
		// Without values for this form, the family cannot occur here, and nothing is said of it.
		values := f.values[h.form]
		if len(values) == 0 {
			continue
		}
		c := fill(with, "", f.placeholder())
		if f.extended != nil && c != "" {
			values = append(values[:len(values):len(values)], f.extended(h.form, c)...)
		}
		// The text was normalised first, so the attacks look different to the guard.
		if h.normal && h.form == formRaw {
			values = f.normalized(values)
		}
		excludedYes, excludedNo := true, true
		for _, v := range values {
			r := holds(fill(text, v, f.placeholder()), c)
			excludedYes = excludedYes && r == never
			excludedNo = excludedNo && r == always
		}
		// A guard of resolved addresses excludes the shifted families.
		bit := f.bit
		if h.form == formAddress {
			bit = h.resolved(bit)
		}
		if excludedYes {
			yes |= bit
		}
		if excludedNo {
			no |= bit
		}
	}
	// A deny list of addresses may also be an allow list of addresses.
	if h.form == formHost {
		y, n := namesExcluded(text, fill(with, "", "known.example"), holds)
		yes, no = yes|y, no|n
	}
	// Links were resolved in front of the guard.
	if h.form == formReal {
		if yes&bitDots != 0 {
			yes |= bitReal
		}
		if no&bitDots != 0 {
			no |= bitReal
		}
	}
	return Value{{kind: isTruth, dep: true, yes: known(h.origin.id, yes), no: known(h.origin.id, no)}}
}

// namesExcluded reports where a guard of a host lets only addresses through, by trying names.
// Where no name passes, the host is an address.
func namesExcluded(text []part, with string, holds func(value, with string) ternary) (yes, no Bits) {
	yes, no = bitAddress, bitAddress
	for _, name := range []string{"www.example.org", "a-1.example", "localhost", "intranet"} {
		switch holds(fill(text, name, ""), with) {
		case always:
			yes = 0
		case never:
			no = 0
		default:
			return 0, 0
		}
	}
	return yes, no
}

// among is a guard that is true only for the program's own values, as a look-up in a table is.
// Nothing is then an attack. For a host the same is true of its addresses, since the program
// chose the name.
func among(text []part) Value {
	out := Atom{kind: isTruth, dep: true}
	for _, h := range holes(text) {
		// A known scheme or extension says nothing about the rest of the value.
		if h.form == formScheme || h.form == formOther || h.form == formType {
			continue
		}
		bits := bitsAll
		if h.form == formAddress {
			bits = h.resolved(bitsPrivate)
		}
		if h.form == formHost {
			bits = bitsHost | bitsPrivate<<dnsShift
		}
		out.yes = out.yes.and(known(h.origin.id, bits))
	}
	return Value{out}
}

// live reports whether a text is still an attack of the family, after a function has cleaned it.
func live(bit Bits, s string) bool {
	switch bit {
	case bitDots, bitSibling:
		for _, seg := range strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' }) {
			if seg == ".." {
				return true
			}
		}
		return false
	case bitAbs:
		return strings.HasPrefix(s, "/")
	case bitSemi:
		return strings.Contains(s, ";")
	case bitDollar:
		return strings.Contains(s, "$")
	case bitTick:
		return strings.Contains(s, "`")
	case bitPipe:
		return strings.Contains(s, "|")
	case bitAmp:
		return strings.Contains(s, "&")
	case bitNewline:
		return strings.Contains(s, "\n")
	case bitQuote:
		return strings.Contains(s, `"`)
	case bitSingle:
		return strings.Contains(strings.ReplaceAll(s, `'\''`, ""), "'")
	case bitSpace:
		return strings.Contains(s, " ")
	case bitDash:
		return strings.HasPrefix(s, "-")
	case bitTail:
		return !endsHost(s)
	}
	return true
}

// cleaned are the families that a function removes from a text: none of their values survives.
func cleaned(h hole, f func(string) (string, bool)) Bits {
	if h.form != formRaw && h.form != formPiece {
		return 0
	}
	var bits Bits
	for _, fam := range families {
		// Cleaning a text does not change where a host leads.
		if fam.isHost() {
			continue
		}
		gone := true
		for _, v := range fam.values[formRaw] {
			out, ok := f(v)
			gone = gone && ok && !live(fam.bit, out)
		}
		if gone {
			bits |= fam.bit
		}
	}
	return bits
}
