// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package urlstate

import (
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/url"
)

// A refusedError is a connection that is not allowed.
type refusedError struct{ finding check.Finding }

func (e *refusedError) Error() string { return e.finding.Message }

var (
	loopbackV4 = prefixes("127.0.0.0/8", "0.0.0.0/32")
	loopbackV6 = prefixes("::1/128", "::/128")
	privateV4  = prefixes("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16")
	privateV6  = prefixes("64:ff9b:1::/48", "fc00::/7")
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// guard judges an address in the moment of the connection, twice: as the URL's host is judged,
// and by a table that is not ours. That one refuses a little more: routed ranges such as 6to4
// that hold no web server.
func guard(o *url.Options) control {
	v4, v6 := []netip.Prefix{}, []netip.Prefix{ssrf.IPv6NAT64Prefix} // the embedded address is judged
	if o.Loopback == "warn" || o.Loopback == "allow" {
		v4, v6 = append(v4, loopbackV4...), append(v6, loopbackV6...)
	}
	if o.Private == "warn" || o.Private == "allow" {
		v4, v6 = append(v4, privateV4...), append(v6, privateV6...)
	}
	table := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
	return func(network, address string, c syscall.RawConn) error {
		connecting, err := netip.ParseAddrPort(address)
		if err != nil {
			return &refusedError{check.Finding{Level: check.SecurityLevel, Message: "the host resolves to something that cannot be judged"}}
		}
		if f := leads.OfURLs(o).JudgeAddr("the connection leads to", connecting.Addr()); f != nil && f.Severity == check.Error {
			f.Level = check.SecurityLevel
			return &refusedError{*f}
		}
		if err := table.Safe(network, address, c); err != nil {
			return &refusedError{check.Finding{Level: check.SecurityLevel, Message: "the connection leads to a special-purpose address: only public hosts are allowed"}}
		}
		return nil
	}
}
