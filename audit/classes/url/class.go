// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package url is the class of requests to places that callers should not reach.
package url

import (
	_ "embed"

	"github.com/toolvet/toolvet/audit/class"
)

//go:embed README.md
var doc string

// Class is about server-side request forgery (SSRF).
var Class = &class.Class{
	Name:     "url",
	Doc:      doc,
	Missing:  "validation of a URL before the request",
	Severity: class.High,
	Minus:    15,
	Guard:    "URL scheme and IP-range validation",
	Plus:     5,
	Kinds: []class.Kind{
		{Name: "ssrf", Doc: "In the code, the caller names the host of a request, and nothing checks it"},
		{Name: "ssrf-loopback", Doc: "A request goes to the machine itself: 127.0.0.1, another port of it, localhost, ::1"},
		{Name: "ssrf-private", Doc: "A request goes to a private address: 10/8, 172.16/12, 192.168/16, fd00::/8"},
		{Name: "ssrf-metadata", Doc: "A request goes to 169.254.169.254, where clouds hand out credentials"},
		{Name: "ssrf-spelling", Doc: "A request goes to the machine itself in another spelling of its address: a number, octal, hexadecimal, short, IPv4 in IPv6"},
		{Name: "ssrf-dns", Doc: "A name that resolves to an internal address passes, because the name alone is looked at"},
		{Name: "ssrf-rebinding", Doc: "A name is looked up to be checked and again to connect, and leads elsewhere the second time"},
		{Name: "ssrf-redirect", Doc: "A public address is checked, and the redirect that it answers with is followed elsewhere"},
		{Name: "ssrf-shared-space", Doc: "A remark: a request goes to 100.64/10, which carriers share"},
		{Name: "ssrf-ranges", Doc: "In the code, some internal ranges are excluded and others are not"},
		{Name: "ssrf-unchecked-way", Doc: "In the code, an address is checked, and there is a way past the check"},
		{Name: "allow-list-prefix", Doc: "An allowed host is compared by its beginning or end alone, so that example.org.evil.test or evilexample.org passes"},
		{Name: "file-scheme", Doc: "A file:// URL is read"},
		{Name: "browser-by-design", Doc: "A remark: the tool opens the page that it is asked to open"},
		{Name: "optional-guard", Doc: "A remark: there is a guard, and the server's owner can switch it off"},
		{Name: "through-library", Doc: "A remark: the URL is what a library made of the caller's text"},
		{Name: "unseen-guard", Doc: "A remark: in the code, something that by its name checks the URL is called, and what it does is not seen"},
	},
	Fix: class.Fix{
		Any:        "take http and https alone, resolve the name, refuse loopback, private, link-local and reserved addresses, connect to the address that was looked at, and do so again for each redirect",
		TypeScript: "parse with new URL, allow http: and https: alone, and use an agent whose lookup refuses addresses that ipaddr.js does not call \"unicast\" (IPv4-mapped ones, too); redirect: \"manual\", and each Location the same way",
		Python:     "parse with urllib.parse, allow http and https alone, refuse addresses of socket.getaddrinfo for which ipaddress.ip_address(a).is_global is false, connect to the address that was looked at, and follow_redirects=False",
		Go:         "give the client's Transport a net.Dialer whose Control refuses addresses that are not global unicast (netip.Addr: IsPrivate, IsLoopback, IsLinkLocalUnicast, after Unmap); it holds for redirects, too",
	},
}
