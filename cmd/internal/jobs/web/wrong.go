// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Bounds of wrong logins. An address may try maxWrong wrong tokens at once, and one more each wrongPause.
const (
	maxWrong     = 10
	wrongPause   = 6 * time.Second
	maxAddresses = 10_000 // beyond these, all other addresses count as one
)

// wrongLogins counts wrong tokens by the address of the browser. It is safe for concurrent use.
type wrongLogins struct {
	mu sync.Mutex
	// free is when the last wrong token of an address is paid off: a token bucket, as GCRA counts it.
	free map[netip.Prefix]time.Time
}

// wait returns for how long an address must not try another token; 0 if it may.
func (l *wrongLogins) wait(from netip.Prefix, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := l.free[l.place(from, now)]
	if !free.After(now) {
		return 0
	}
	return max(free.Sub(now)-(maxWrong-1)*wrongPause, 0)
}

// add counts a wrong token.
func (l *wrongLogins) add(from netip.Prefix, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free == nil {
		l.free = map[netip.Prefix]time.Time{}
	}
	at := l.place(from, now)
	free := l.free[at]
	if free.Before(now) {
		free = now
	}
	l.free[at] = free.Add(wrongPause)
}

// place returns where an address counts. L must be locked.
func (l *wrongLogins) place(from netip.Prefix, now time.Time) netip.Prefix {
	if _, ok := l.free[from]; ok || len(l.free) < maxAddresses {
		return from
	}
	for other, free := range l.free {
		if !now.Before(free) {
			delete(l.free, other)
		}
	}
	if len(l.free) < maxAddresses {
		return from
	}
	return netip.Prefix{}
}

// addressOf returns the address of a browser: of IPv6 the network, since one machine has all of it.
func addressOf(r *http.Request) netip.Prefix {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	address, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	address = address.Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	network, err := address.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
