// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	neturl "net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/url/internal/whatwg"
)

// guess judges a value that is only thought to be a URL. A malformed URL brings a warning: it may
// be a reference, a host alone, or no URL at all. But a client may make a URL of it, and whatever
// it makes must not lead to a link-local or metadata address, nor have a scheme of attacks.
func (o *Options) guess(raw string) (leads.Host, []check.Finding) {
	j := judging{options: o}
	trimmed := o.whole(strings.TrimSpace(raw))
	var place leads.Host
	switch u, err := whatwg.Parse(trimmed); {
	case trimmed == "":
		j.warn("is empty, and no URL")
	case len(raw) > o.maxLength() && u.Scheme != "data":
		j.tooLong()
	case err != nil, strings.ContainsAny(u.Host.Text, "{}"), opaque(&u) && !slices.Contains(o.schemes(), u.Scheme):
		j.warn("is no whole URL: begin it with a scheme such as https:// if one is meant")
	default:
		place = j.judge(trimmed)
	}
	if slices.ContainsFunc(j.findings, func(f check.Finding) bool { return f.Severity == check.Error }) {
		return place, j.findings
	}
	if why := o.refusesReading(raw[:min(len(raw), o.maxLength())]); why != "" {
		j.findings = nil
		j.refuse("%s", why)
	}
	return place, j.findings
}

// opaque reports whether nothing says where a URL leads: its scheme may be no scheme at
// all, as in localhost:3000.
func opaque(u *whatwg.URL) bool {
	return u.Host.Text == "" && u.Scheme != "file" && !strings.HasPrefix(u.Rest, "//")
}

// attacks are schemes that a guess refuses unless they are listed: they read files, run code, or
// carry a client's data to a service outside the web.
var attacks = strings.Fields(`file jar netdoc view-source javascript vbscript php phar expect
	gopher gophers dict ldap ldaps tftp telnet smb smbs`)

// refusesReading says why a reading of a value is refused, or nothing.
func (o *Options) refusesReading(raw string) string {
	for _, text := range texts(raw) {
		for piece := range strings.FieldsFuncSeq(text, separates) {
			for _, r := range readings(piece) {
				if slices.Contains(attacks, r.scheme) && !slices.Contains(o.schemes(), r.scheme) {
					return "some readers find a URL in it whose scheme reads files, runs code or speaks to other services than the web's: use https"
				}
				if name := r.leads(); name != "" {
					return "some readers find a host in it that is " + name + ": only public hosts are allowed"
				}
			}
		}
	}
	return ""
}

// maxDecodes is how often a value is decoded.
const maxDecodes = 3

// texts are the texts that readers see in a value: as it stands, percent-decoded, without
// characters that some readers leave out, and with the normal forms of others.
func texts(raw string) []string {
	var list []string
	add := func(s string) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for range maxDecodes + 1 {
		for _, s := range []string{raw, norm.NFKC.String(raw)} {
			add(s)
			add(strings.Map(func(r rune) rune {
				if unicode.IsControl(r) {
					return -1
				}
				return r
			}, s))
		}
		decoded := decode(raw)
		if decoded == raw {
			break
		}
		raw = decoded
	}
	return list
}

// decode percent-decodes what can be.
func decode(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = after
		if c, err := neturl.PathUnescape("%" + after[:min(len(after), 2)]); err == nil {
			b.WriteString(c)
			s = after[min(len(after), 2):]
			continue
		}
		b.WriteByte('%')
	}
}

// separates reports whether a character stands between two URLs of a list, or around one.
func separates(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"'`<>(),;|", r)
}
