// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package url is the class of requests to places that callers should not reach.
package url

import (
	_ "embed"

	"github.com/toolvet/toolvet/internal/audit/class"
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
		{Name: "ssrf", Doc: "In the code, the caller names the host of a request without a check"},
		{Name: "ssrf-loopback", Doc: "A request goes to the machine itself: 127.0.0.1, another port of it, localhost, ::1"},
		{Name: "ssrf-private", Doc: "A request goes to a private address: 10/8, 172.16/12, 192.168/16, fd00::/8"},
		{Name: "ssrf-metadata", Doc: "A request goes to 169.254.169.254, where clouds hand out credentials"},
		{Name: "ssrf-spelling", Doc: "A request goes to the machine itself in another spelling of its address: a number, octal, hexadecimal, short, IPv4 in IPv6"},
		{Name: "ssrf-dns", Doc: "A name that resolves to an internal address passes, because only the name is checked"},
		{Name: "ssrf-rebinding", Doc: "A name is looked up for the check and again to connect, and leads elsewhere the second time"},
		{Name: "ssrf-redirect", Doc: "A public address passes the check, and its redirect is followed elsewhere"},
		{Name: "ssrf-shared-space", Doc: "A remark: a request goes to 100.64/10, which carriers share"},
		{Name: "ssrf-ranges", Doc: "In the code, some internal ranges are excluded and others are not"},
		{Name: "ssrf-unchecked-way", Doc: "In the code, a check of the address can be bypassed"},
		{Name: "allow-list-prefix", Doc: "Only the beginning or end of an allowed host is compared: example.org.evil.test or evilexample.org passes"},
		{Name: "file-scheme", Doc: "A file:// URL is read"},
		{Name: "browser-private", Doc: "The page that the caller names opens in a browser, also if it is one of the machine itself or of a private network", Severity: class.Medium, Means: "a browser opens the caller's pages of private networks, too"},
		{Name: "request-path", Doc: "A value in the path of a service's URL leads the request to another path of that service by two dots", Severity: class.Medium, Means: "a value leads requests to other paths of a service"},
		{Name: "browser-by-design", Doc: "A remark: the tool's purpose is to open the caller's page",
			Design: "opens any page that its callers name, and runs its scripts",
			Fix:    "a purpose has no fix in the code: list the hosts that callers need (url: {hosts: [...]}), and start the browser without the logins of a person"},
		{Name: "optional-guard", Doc: "A remark: the server's owner can switch the guard off"},
		{Name: "through-library", Doc: "A remark: the URL is a library's result from the caller's text"},
		{Name: "unseen-guard", Doc: "A remark: the code calls a function named like a check of the URL, and its body is unknown"},
	},
	Fix: class.Fix{
		Any:        "accept only http and https, resolve the name, refuse loopback, private, link-local and reserved addresses, connect to the checked address, and repeat this for each redirect",
		TypeScript: "parse with new URL, allow only http: and https:, and use an agent whose lookup refuses addresses unless ipaddr.js calls them \"unicast\" (IPv4-mapped ones, too); redirect: \"manual\", and each Location the same way",
		Python:     "parse with urllib.parse, allow only http and https, refuse addresses of socket.getaddrinfo unless ipaddress.ip_address(a).is_global, connect to the checked address, and follow_redirects=False",
		Go:         "give the client's Transport a net.Dialer whose Control refuses all but global unicast addresses (netip.Addr: IsPrivate, IsLoopback, IsLinkLocalUnicast, after Unmap); it holds for redirects, too",
	},
}
