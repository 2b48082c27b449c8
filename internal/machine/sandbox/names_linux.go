// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"net"
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// maxNames bounds the names that get an address.
const maxNames = 10_000

// names are the names that were looked up inside. Each has an address of its own, so that a
// connection to it tells whom it is meant for.
type names struct {
	fixed map[string][]netip.Addr // of names and of those below them; never changes

	mu   sync.Mutex
	by   map[string]netip.Addr
	told map[string]int // how often a name with several addresses was asked for
	of   map[netip.Addr]string
	next netip.Addr
}

// newNames gives out addresses from first on. The default are addresses that nobody has
// (RFC 2544, for benchmarks of networks).
func newNames(first netip.Addr, fixed map[string][]netip.Addr) *names {
	if !first.Is4() {
		first = netip.MustParseAddr("198.18.0.1")
	}
	return &names{fixed: fixed, by: map[string]netip.Addr{}, told: map[string]int{}, of: map[netip.Addr]string{}, next: first}
}

// fixedAddresses are those that were given for a name or for one that it is below.
func (n *names) fixedAddresses(name string) []netip.Addr {
	for name != "" {
		if list := n.fixed[name]; len(list) > 0 {
			return list
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return nil
}

// address is that of a name. It has none if there are too many.
func (n *names) address(name string) netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a, ok := n.by[name]; ok {
		return a
	}
	if list := n.fixedAddresses(name); len(list) > 0 {
		return list[0]
	}
	if len(n.by) >= maxNames {
		return netip.Addr{}
	}
	a := n.next
	n.next = a.Next()
	n.by[name], n.of[a] = a, name
	return a
}

// turn is the address of a name that a question gets, and for how many seconds it holds.
func (n *names) turn(name string, a netip.Addr) (netip.Addr, uint32) {
	list := n.fixedAddresses(name)
	if len(list) < 2 {
		return a, 60
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	i := min(n.told[name], len(list)-1)
	if len(n.told) < maxNames {
		n.told[name]++
	}
	return list[i], 0
}

// named puts the name in the place of an address that was given out for it.
func (n *names) named(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return address
	}
	if name := n.nameOf(a); name != "" {
		return net.JoinHostPort(name, port)
	}
	return address
}

// nameOf is the name that an address was given out for, or "".
func (n *names) nameOf(a netip.Addr) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of[a.Unmap()]
}

// answer answers a question, and says for which name; "" if it is none. Names have addresses
// of IPv4, and nothing else.
func (n *names) answer(question []byte) (answer []byte, name string) {
	var p dnsmessage.Parser
	header, err := p.Start(question)
	if err != nil || header.Response {
		return nil, ""
	}
	q, err := p.Question()
	if err != nil {
		return nil, ""
	}
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: header.ID, Response: true, RecursionDesired: header.RecursionDesired, RecursionAvailable: true})
	b.EnableCompression()
	if b.StartQuestions() != nil || b.Question(q) != nil || b.StartAnswers() != nil {
		return nil, ""
	}
	name = cmp.Or(strings.ToLower(strings.TrimSuffix(q.Name.String(), ".")), ".")
	if q.Type == dnsmessage.TypeA {
		if a := n.address(name); a.IsValid() {
			a, ttl := n.turn(name, a)
			if b.AResource(dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: ttl}, dnsmessage.AResource{A: a.As4()}) != nil {
				return nil, name
			}
		}
	}
	answer, err = b.Finish()
	if err != nil {
		return nil, name
	}
	return answer, name
}
