// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"errors"
	"net/netip"
	neturl "net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/url/internal/whatwg"
)

// otherReaders holds the URL Standard's reading against that of others. A tool may use any
// parser, and it must connect to the judged host.
func (j *judging) otherReaders(raw string, u *whatwg.URL) {
	if why := disagreement(raw, u); why != "" {
		j.refuse("parsers disagree about where this leads: %s", why)
	}
	if strings.Contains(u.Username+u.Password, "@") {
		j.refuse("parsers disagree about which @ the host follows: percent-encode the others as %%40")
	}
	if addr, ok := inDecimal(u.Host); ok {
		j.alternative(host{addr: addr}, "the address has leading zeros, which some readers take for octal and others leave out, so that")
	}
	if h, ok := beforeRFC3986(u); ok {
		j.alternative(h, "an @ follows the host with no / before it (put one there), so that to older readers")
	}
}

// alternative judges a host that some reader takes for the URL's.
func (j *judging) alternative(h host, why string) {
	other := judging{options: j.options}
	other.host(h)
	for _, f := range other.findings {
		if f.Severity == check.Error {
			j.refuse("%s %s", why, f.Message)
			return
		}
	}
}

// disagreement says where Go's net/url, which follows RFC 3986, reads something else than
// the URL Standard, or nothing. Both cut the userinfo at the same @, so that it is enough
// to compare whether there is one.
func disagreement(raw string, u *whatwg.URL) string {
	g, err := parseGo(raw)
	switch {
	case err != nil:
		return whyRefused(raw)
	case g.Scheme != u.Scheme:
		return "the scheme differs"
	case g.Opaque != "" && (u.Host.Text != "" || u.Userinfo):
		return "two slashes must follow the scheme's colon"
	case !sameHost(g.Hostname(), u):
		return "the host differs"
	case g.Port() != "" && !samePort(g.Port(), u.Port):
		return "the port differs"
	case (g.User != nil) != u.Userinfo:
		return "the user name differs"
	}
	return ""
}

// parseGo reads a URL as Go does. Behind the host, a percent sign may encode nothing; the
// standard's readers let it pass: it does not change the host.
func parseGo(raw string) (*neturl.URL, error) {
	g, err := neturl.Parse(raw)
	var escape neturl.EscapeError
	if err == nil || !errors.As(err, &escape) {
		return g, err
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return nil, err
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return neturl.Parse(scheme + "://" + rest)
}

// sameHost compares Go's reading of a host with the standard's, and with net/http's if it is not
// ASCII.
func sameHost(name string, u *whatwg.URL) bool {
	if name == u.Host.Text {
		return true
	}
	if u.Host.Spelling&whatwg.NonASCII != 0 {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return false
		}
		name = ascii
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	h, err := whatwg.ParseHost(name)
	return err == nil && h.Text == u.Host.Text || u.Scheme == "file" && name == "localhost" && u.Host.Text == ""
}

// samePort compares a port with one as it is written, which may have leading zeros.
func samePort(text string, port uint16) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && uint16(n) == port
}

// whyRefused says why a strict parser refuses what the standard reads.
func whyRefused(raw string) string {
	switch {
	case raw != strings.TrimSpace(raw):
		return "leave out the white space at its ends"
	case strings.Contains(raw, `\`):
		return "write slashes instead of backslashes"
	}
	return "strict ones refuse it; write the host in plain characters, and percent-encode special ones behind it"
}

// inDecimal reads an IPv4 address in four parts, of which one has leading zeros, as
// decimal. Python before 3.9.5, Java and many regular expressions do.
func inDecimal(h whatwg.Host) (netip.Addr, bool) {
	parts := strings.Split(strings.TrimSuffix(h.Digits, "."), ".")
	if h.Spelling&whatwg.Octal == 0 || len(parts) != 4 {
		return netip.Addr{}, false
	}
	var b [4]byte
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return netip.Addr{}, false
		}
		b[i] = byte(n)
	}
	return netip.AddrFrom4(b), true
}

// beforeRFC3986 reads the host as parsers did that end it at a slash alone: in
// "https://a#@b/" it is b.
func beforeRFC3986(u *whatwg.URL) (host, bool) {
	if u.Rest == "" || u.Rest[0] != '?' && u.Rest[0] != '#' {
		return host{}, false
	}
	authority, _, _ := strings.Cut(u.Rest, "/")
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return host{}, false
	}
	read, err := whatwg.Parse("http://" + authority[at+1:] + "/")
	return hostOf(read.Host), err == nil
}
