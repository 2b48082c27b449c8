// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// webURL says what is wrong with the URL of something on the web; "": nothing.
func webURL(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return "must be a URL such as https://host/path"
	case u.User != nil:
		return "must hold no user name and no password"
	case strings.Contains(s, "#"):
		return "must have no fragment (#)"
	}
	return ""
}

// secureURL is webURL for what secrets go to, or trust comes from.
func secureURL(s string) string {
	if problem := webURL(s); problem != "" {
		return problem
	}
	if u, err := url.Parse(s); err == nil && u.Scheme == "http" && !Loopback(u.Hostname()) {
		return "must begin with https:// : http is for this machine alone"
	}
	return ""
}

// Loopback reports whether a host, a name or an IP address without brackets, is this machine.
func Loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761, section 6.3
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

func (d *decoder) secureURL(n ast.Node) string { return d.url(n, secureURL) }
func (d *decoder) webURL(n ast.Node) string    { return d.url(n, webURL) }

func (d *decoder) url(n ast.Node, problem func(string) string) string {
	s, ok := d.text(n)
	if what := problem(s); ok && what != "" {
		d.errorf(positionOf(n), "%s", what)
	}
	return s
}
