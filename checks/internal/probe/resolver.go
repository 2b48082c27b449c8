// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// Resolver is Go's own resolver for one DNS server, given as an IP address and a port, or for
// those of this machine if that is "". This machine's file of hosts counts first.
func Resolver(server string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: DialDNS(server)}
}

// DialDNS is for net.Resolver.Dial: it connects to server, or, if that is "", to where the
// resolver wants to. The resolver goes on reading for seconds when its context is done,
// unless the connection ends with that.
func DialDNS(server string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if server != "" {
			address = server
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // it fails only if the resolver is done with it
		return conn, nil
	}
}

// At is n with names looked up at a DNS server; "" changes nothing.
func (n Network) At(server string) Network {
	if server != "" {
		n.Lookup = lookupAt(server)
	}
	return n
}

// lookupAt looks names up by Resolver: the system's would hold a thread beyond the context.
func lookupAt(server string) func(ctx context.Context, host string) ([]netip.Addr, error) {
	resolver := Resolver(server)
	return func(ctx context.Context, host string) ([]netip.Addr, error) {
		return resolver.LookupNetIP(ctx, "ip", host)
	}
}
