// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"net/url"
	"path"
	"strings"
)

// A family is a kind of attack and values of it, by the form in which a guard sees them.
type family struct {
	bit    Bits
	values map[form][]string
	// extended makes further values of a constant that the guard compares with: what begins with
	// it, ends with it, or holds it, and is an attack all the same.
	extended func(f form, c string) []string
}

func shellFamily(bit Bits, with string) family {
	list := []string{with, "a" + with + "b", with + "id", "/a/" + with + "b", "http://example.com/" + with + "b", "a" + with + "b.png", "1" + with + "2", "a/" + with + "b"}
	return family{bit, map[form][]string{formRaw: list, formPiece: list, formJoined: {"/a/" + with + "b"}, formResolved: {"/a/" + with + "b"}},
		func(_ form, c string) []string { return []string{c + with + "b", "a" + with + c, c + "/" + with + c} }}
}

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

func ranged(f family, name string) family {
	f.values[formRange] = []string{name}
	return f
}

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
}

// extendHost makes hosts of an attacker from one that is allowed. What a dot precedes is a part of
// the allowed one, and so is what stands behind the end of its name.
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

func hostIn(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// normalized are values as path.normalize leaves them: what then is absolute no longer climbs.
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

// resolved are families of the addresses that a name resolves to. A lookup gives an address back as
// it is, so that what is known of its answer is known of that, too.
func (h *hole) resolved(b Bits) Bits {
	if h.lookup {
		return b<<dnsShift | b
	}
	return b << dnsShift
}

// isHost says whether the families of a form are those of hosts.
func (f family) isHost() bool { return f.bit&(bitsHost) != 0 }

// placeholder stands for a text that is not known, but not the caller's: a folder, a host.
func (f family) placeholder() string {
	if f.isHost() {
		return "known.example"
	}
	return "/known-folder"
}

// ternary is what a guard says of one value.
type ternary uint8

const (
	perhaps ternary = iota
	always
	never
)

func tern(b bool) ternary {
	if b {
		return always
	}
	return never
}

// subject is the text that a guard looks at, if an argument of one origin stands in it.
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

// fill writes a text with a value where the argument stands.
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

// predicate is what a guard is worth: it is tried on each family. If it is never true for one, then
// where it is true the family is excluded, and the other way round. with are the texts that it
// compares with, of which attacks are made that it may let through.
func predicate(text []part, with []part, holds func(value, with string) ternary) Value {
	h, ok := subject(text)
	if !ok {
		return anyTruth(len(holes(text)) > 0)
	}
	var yes, no Bits
	for _, f := range families {
		values := f.values[h.form]
		if len(values) == 0 {
			continue
		}
		c := fill(with, "", f.placeholder())
		if f.extended != nil && c != "" {
			values = append(values[:len(values):len(values)], f.extended(h.form, c)...)
		}
		if h.normal && h.form == formRaw {
			values = f.normalized(values)
		}
		excludedYes, excludedNo := true, true
		for _, v := range values {
			r := holds(fill(text, v, f.placeholder()), c)
			excludedYes = excludedYes && r == never
			excludedNo = excludedNo && r == always
		}
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
	if h.form == formHost {
		y, n := namesExcluded(text, fill(with, "", "known.example"), holds)
		yes, no = yes|y, no|n
	}
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

// namesExcluded says where a guard of a host is true for addresses alone, and where it is false for
// them alone.
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

// among is a guard that is true only for values that the program itself knows.
func among(text []part) Value {
	out := Atom{kind: isTruth, dep: true}
	for _, h := range holes(text) {
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

// live says whether a text still is of the family: what a function that cleans has left.
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
	}
	return true
}

// cleaned are the families that a function removes from a text.
func cleaned(h hole, f func(string) (string, bool)) Bits {
	if h.form != formRaw && h.form != formPiece {
		return 0
	}
	var bits Bits
	for _, fam := range families {
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
