// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxListeners bounds the addresses of a porter.
const maxListeners = 512

// serverFirst lists ports of protocols in which the server speaks first (FTP, SSH, Telnet, SMTP, POP3,
// IMAP, MySQL). A client would wait in vain, so these ports stay closed, like DNS over TCP.
var serverFirst = map[uint16]bool{21: true, 22: true, 23: true, 25: true, domainPort: true, 110: true, 143: true, 587: true, 3306: true}

// A porter runs in init: it listens at each address that a process inside is about to connect to, and
// passes the connections on.
type porter struct {
	names *names
	out   int // visitsFD

	// patient opens the ports of services that speak first, too: of those behind an allowed host.
	patient bool
	first   []uint16 // ports of such services that are answered

	mu    sync.Mutex
	open  map[netip.AddrPort]net.Listener
	order []netip.AddrPort // of the listeners that may close, the oldest first
}

func newPorter(n *names) *porter {
	return &porter{names: n, out: visitsFD, open: map[netip.AddrPort]net.Listener{}}
}

// openLocal listens at ports of the sandbox itself.
func (p *porter) openLocal(ports []uint16) {
	for _, port := range ports {
		for _, a := range []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()} {
			p.listen(netip.AddrPortFrom(a, port))
		}
	}
}

// expect gets an address before a process connects to it. The sandbox's own addresses are for processes
// inside.
func (p *porter) expect(address string) {
	a, err := netip.ParseAddrPort(address)
	if err != nil || a.Port() == 0 || serverFirst[a.Port()] && !p.patient && !slices.Contains(p.first, a.Port()) {
		return
	}
	a = netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
	if a.Addr().IsLoopback() || a.Addr().IsUnspecified() || a.Addr().IsMulticast() {
		return
	}
	p.listen(a)
}

func (p *porter) listen(a netip.AddrPort) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[a] != nil {
		return
	}
	if len(p.open) >= maxListeners {
		if !p.patient || len(p.order) == 0 {
			return
		}
		p.open[p.order[0]].Close() // the server may connect there again, and opens it so
		delete(p.open, p.order[0])
		p.order = p.order[1:]
	}
	l, err := (&net.ListenConfig{Control: anyAddress}).Listen(context.Background(), "tcp", a.String())
	if err != nil {
		return // a process inside listens there; or nobody answers, and the attempt is reported
	}
	p.open[a] = l
	if !a.Addr().IsLoopback() {
		p.order = append(p.order, a)
	}
	go p.serve(l, a)
}

// anyAddress lets a socket listen at an address without an interface.
func anyAddress(network, _ string, c syscall.RawConn) error {
	if !strings.HasSuffix(network, "6") {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_FREEBIND, 1) })
	if err != nil {
		return err
	}
	return failed
}

func (p *porter) serve(l net.Listener, a netip.AddrPort) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		p.hand(conn, Target{Name: p.names.nameOf(a.Addr()), Address: a})
		conn.Close() // only our descriptor; the receiver has its own
	}
}

// hand passes a connection on. Without a receiver, the sandbox is about to end.
func (p *porter) hand(conn net.Conn, to Target) {
	t, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := t.SyscallConn()
	if err != nil {
		return
	}
	packet, err := json.Marshal(to)
	if err != nil || len(packet) > maxTarget {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.Sendmsg(p.out, packet, unix.UnixRights(int(fd)), nil, 0) })
}
