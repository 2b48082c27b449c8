// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// A Network is how the world is reached. The zero Network is the real one.
type Network struct {
	// Lookup returns the addresses of a name. Default: Go's own resolver, which gives up
	// when its context ends.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that has been judged. Default: net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Roots are the certificate authorities to trust; nil are the system's.
	Roots *x509.CertPool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// ErrForbidden is the error of a connection to an address that is not allowed.
var ErrForbidden = errors.New("the address is not public")

// maxAddresses bounds how many addresses of a name are tried, all at the same time.
const maxAddresses = 4

// Connect connects to a host. Every address of its name must be allowed: public ones are, private
// ones and this machine's if private is set, and those that hand out a cloud's credentials never.
// It dials the judged address.
func (n Network) Connect(ctx context.Context, host string, port int, private bool) (net.Conn, error) {
	addrs, err := n.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if !allowed(a, private) {
			return nil, ErrForbidden
		}
	}
	return n.race(ctx, addrs[:min(len(addrs), maxAddresses)], port)
}

func (n Network) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	lookup := n.Lookup
	if lookup == nil {
		lookup = lookupAt("")
	}
	addrs, err := lookup(ctx, host)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no addresses", IsNotFound: true}
	}
	return addrs, err
}

// race connects to all addresses at once, and keeps the first connection.
func (n Network) race(ctx context.Context, addrs []netip.Addr, port int) (net.Conn, error) {
	dial := n.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type attempt struct {
		conn net.Conn
		err  error
	}
	attempts := make(chan attempt, len(addrs))
	for _, a := range addrs {
		go func() {
			conn, err := dial(ctx, "tcp", net.JoinHostPort(a.Unmap().String(), strconv.Itoa(port)))
			attempts <- attempt{conn, err}
		}()
	}
	var first net.Conn
	var failure error
	for range addrs {
		a := <-attempts // each ends with the context
		switch {
		case a.err != nil:
			failure = a.err
		case first != nil:
			_ = a.conn.Close() // a second one is not needed
		default:
			first = a.conn
			cancel()
		}
	}
	if first != nil {
		return first, nil
	}
	return nil, failure
}

// Secure shakes hands as a TLS client that checks the certificate.
func (n Network) Secure(ctx context.Context, conn net.Conn, host string) (*tls.Conn, error) {
	secured := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: n.Roots, Time: n.Now, MinVersion: tls.VersionTLS12})
	return secured, secured.HandshakeContext(ctx)
}

var (
	public = ssrf.New(ssrf.WithAnyPort())
	// inner are loopback, private (RFC 1918, RFC 4193) and shared (RFC 6598) addresses.
	inner = prefixes("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
	// credentials are handed out here by clouds to whoever asks from inside.
	credentials = prefixes("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::/32", "fe80::/10")
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		list[i] = netip.MustParsePrefix(t)
	}
	return list
}

func within(a netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

func allowed(a netip.Addr, private bool) bool {
	a = a.WithZone("").Unmap()
	if within(a, credentials) {
		return false
	}
	return public.SafeAddr(a) == nil || private && within(a, inner)
}

// ThisMachine reports whether a host's name or address means the machine that asks.
func ThisMachine(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	a, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		err == nil && (a.Unmap().IsLoopback() || a.IsUnspecified())
}
