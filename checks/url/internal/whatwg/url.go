// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package whatwg reads the part of a URL that says where it leads (scheme, userinfo,
// host, port), as the URL Standard (url.spec.whatwg.org, section 4.4, without a base URL)
// has browsers, Node, and much of Python and Rust read it. Path, query and fragment never
// make that parser fail, and are left alone.
package whatwg

import (
	"errors"
	"strings"
)

// A URL says where a URL leads.
type URL struct {
	Scheme   string // in lower case, without the colon
	Userinfo bool   // the authority has an @, even with nothing before it
	Username string // as it is written
	Password string // as it is written
	Host     Host
	Port     uint16 // the scheme's own if none is given; 0 for a scheme that has none
	HasPort  bool   // a port is given, and it is not the scheme's own
	Rest     string // the text behind the authority: path, query, fragment
}

// The faults of a string that is not a URL. The texts complete the sentence "the value is not a
// URL: …" and hold nothing of the value.
var (
	ErrNoScheme = errors.New("it does not begin with a scheme such as https://")
	ErrNoHost   = errors.New("the host is missing")
	ErrPort     = errors.New("the port must be a number up to 65535")
	ErrHost     = errors.New("the host holds a character that no host may hold")
	ErrName     = errors.New("the host is no valid internationalized name")
	ErrIPv4     = errors.New("the host ends in a number, but is no IPv4 address")
	ErrIPv6     = errors.New("what is in brackets is no IPv6 address")
	ErrZone     = errors.New("the IPv6 address has a zone, which means something on one machine alone: leave it out")
)

// special are the schemes whose hosts are parsed as names and addresses, and their ports.
var special = map[string]uint16{"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "file": 0}

// Parse reads a string as the URL Standard does, without a base URL.
func Parse(input string) (URL, error) {
	input = Strip(input)
	end := schemeEnd(input)
	if end < 0 {
		return URL{}, ErrNoScheme
	}
	u := URL{Scheme: strings.ToLower(input[:end])}
	rest := input[end+1:]
	port, isSpecial := special[u.Scheme]
	u.Port = port
	switch {
	case u.Scheme == "file":
		return u.file(rest)
	case isSpecial:
		return u.authority(strings.TrimLeft(rest, `/\`), true)
	case strings.HasPrefix(rest, "//"):
		return u.authority(rest[2:], false)
	}
	u.Rest = rest // an opaque path, or one without an authority
	return u, nil
}

// Strip leaves out what the parser leaves out before it begins: white space and controls
// at both ends, tabs and line breaks anywhere.
func Strip(input string) string {
	input = strings.TrimFunc(input, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(input, "\t\n\r") {
		input = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(input)
	}
	return input
}

// schemeEnd returns where the colon behind a scheme is, or -1.
func schemeEnd(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case isAlpha(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i
		default:
			return -1
		}
	}
	return -1
}

// file reads what follows "file:". Its host is often missing, and localhost is none.
func (u URL) file(rest string) (URL, error) {
	u.Rest = rest
	if len(rest) < 2 || !isSlash(rest[0]) || !isSlash(rest[1]) {
		return u, nil
	}
	host, after := cut(rest[2:], `/\?#`)
	if host == "" || isDriveLetter(host) {
		u.Rest = rest[2:]
		return u, nil
	}
	h, err := ParseHost(host)
	if err != nil {
		return URL{}, err
	}
	if h.Text != "localhost" {
		u.Host = h
	}
	u.Rest = after
	return u, nil
}

func (u URL) authority(s string, isSpecial bool) (URL, error) {
	ends := "/?#"
	if isSpecial {
		ends = `/\?#`
	}
	authority, rest := cut(s, ends)
	u.Rest = rest
	hostPort := authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		u.Userinfo = true
		u.Username, u.Password, _ = strings.Cut(authority[:at], ":")
		hostPort = authority[at+1:]
	}
	host, port, hasPort := cutPort(hostPort)
	if host == "" && (isSpecial || u.Userinfo || hasPort) {
		return URL{}, ErrNoHost
	}
	if err := u.port(port, isSpecial); err != nil {
		return URL{}, err
	}
	var err error
	if isSpecial {
		u.Host, err = ParseHost(host)
	} else {
		u.Host, err = parseOpaque(host)
	}
	if err != nil {
		return URL{}, err
	}
	return u, nil
}

// cutPort cuts at the first colon that is not in brackets.
func cutPort(s string) (host, port string, found bool) {
	inside := false
	for i := range len(s) {
		switch s[i] {
		case '[':
			inside = true
		case ']':
			inside = false
		case ':':
			if !inside {
				return s[:i], s[i+1:], true
			}
		}
	}
	return s, "", false
}

func (u *URL) port(digits string, isSpecial bool) error {
	n := 0
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return ErrPort
		}
		if n = n*10 + int(digits[i]-'0'); n > 65535 {
			return ErrPort
		}
	}
	if digits != "" && !(isSpecial && n == int(u.Port)) {
		u.Port, u.HasPort = uint16(n), true
	}
	return nil
}

// cut cuts before the first of the given characters.
func cut(s, chars string) (before, after string) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func isDriveLetter(s string) bool {
	return len(s) == 2 && isAlpha(s[0]) && (s[1] == ':' || s[1] == '|')
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }
