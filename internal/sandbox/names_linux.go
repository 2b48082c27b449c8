// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/ipv4"
)

// maxNames bounds the names that get an address.
const maxNames = 10_000

// names are the names that were looked up inside. Each has an address of its own, so that a
// connection to it tells whom it is meant for.
type names struct {
	fixed map[string]netip.Addr // of names and of those below them; never changes

	mu   sync.Mutex
	by   map[string]netip.Addr
	of   map[netip.Addr]string
	next netip.Addr
}

// newNames gives out addresses from first on. The default are addresses that nobody has
// (RFC 2544, for benchmarks of networks).
func newNames(first netip.Addr, fixed map[string]netip.Addr) *names {
	if !first.Is4() {
		first = netip.MustParseAddr("198.18.0.1")
	}
	return &names{fixed: fixed, by: map[string]netip.Addr{}, of: map[netip.Addr]string{}, next: first}
}

// fixedAddress is the address that was given for a name or for one that it is below.
func (n *names) fixedAddress(name string) (netip.Addr, bool) {
	for name != "" {
		if a, ok := n.fixed[name]; ok {
			return a, true
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return netip.Addr{}, false
}

// address is that of a name. It has none if there are too many.
func (n *names) address(name string) (a netip.Addr, first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a, ok := n.by[name]; ok {
		return a, false
	}
	if a, ok := n.fixedAddress(name); ok {
		if len(n.by) < maxNames {
			n.by[name] = a
		}
		return a, true
	}
	if len(n.by) >= maxNames {
		return netip.Addr{}, false
	}
	a = n.next
	n.next = a.Next()
	n.by[name], n.of[a] = a, name
	return a, true
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

// domainPort is the port of the DNS.
const domainPort = 53

// listen answers every question of the DNS, whoever it is sent to.
func (n *names) listen(tell func(*Event)) error {
	conn, err := net.ListenPacket("udp4", ":"+strconv.Itoa(domainPort))
	if err != nil {
		return err
	}
	socket := ipv4.NewPacketConn(conn)
	if err := socket.SetControlMessage(ipv4.FlagDst, true); err != nil {
		conn.Close()
		return err
	}
	go n.serve(socket, tell)
	return nil
}

func (n *names) serve(socket *ipv4.PacketConn, tell func(*Event)) {
	buffer := make([]byte, 4096)
	for {
		size, about, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return
		}
		answer, name := n.answer(buffer[:size])
		if name != "" {
			tell(&Event{Name: name})
		}
		if answer != nil && about != nil { // the answer must come from where the question went to
			_, _ = socket.WriteTo(answer, &ipv4.ControlMessage{Src: about.Dst}, from) // who asked asks again
		}
	}
}

// answer answers a question, and says which name is asked for the first time. Names have
// addresses of IPv4, and nothing else.
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
	host := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	if q.Type == dnsmessage.TypeA || q.Type == dnsmessage.TypeAAAA {
		a, first := n.address(host)
		if first {
			name = host
		}
		if q.Type == dnsmessage.TypeA && a.IsValid() {
			if b.AResource(dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 60}, dnsmessage.AResource{A: a.As4()}) != nil {
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
