// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// A session is a session from the server (2025-11-25, basic/transports, Session Management). Only
// the principal that began it may use it.
type session struct {
	id, owner string
	client    *relay.Client
	active    int // requests and streams in progress
	resuming  int // resumed streams among them
	expiry    *time.Timer
}

// sessions holds the sessions begun through this proxy.
type sessions struct {
	idle   time.Duration
	places *mcphttp.Room // a session enters before the server begins it

	mu   sync.Mutex
	byID map[string]*session
}

// begin enters a session. The owner must hold a place for it, which the session gives back at its
// end. The session is in use until released. Begin returns nil if the id is another principal's.
func (t *sessions) begin(id, owner string, client *relay.Client) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.byID[id]; old != nil {
		if old.owner != owner {
			return nil
		}
		t.remove(old)
	}
	if t.byID == nil {
		t.byID = map[string]*session{}
	}
	s := &session{id: id, owner: owner, client: client, active: 1}
	t.byID[id] = s
	return s
}

// use returns a session of a principal, or nil if there is none. The session is in use until
// released.
func (t *sessions) use(id, owner string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.owner != owner {
		return nil
	}
	s.active++
	if s.expiry != nil {
		s.expiry.Stop()
	}
	return s
}

func (t *sessions) release(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.active--; s.active > 0 || t.byID[s.id] != s {
		return
	}
	s.expiry = time.AfterFunc(t.idle, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.active == 0 {
			t.remove(s)
		}
	})
}

// resume marks a stream of a session as resumed until done is called.
func (t *sessions) resume(s *session) (done func()) {
	count := func(n int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		s.resuming += n
	}
	count(1)
	return func() { count(-1) }
}

// resumed reports whether the client has resumed a stream of the session.
func (t *sessions) resumed(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.resuming > 0
}

func (t *sessions) end(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(s)
}

func (t *sessions) remove(s *session) {
	if t.byID[s.id] != s {
		return
	}
	delete(t.byID, s.id)
	t.places.Leave(s.owner)
	go s.client.Close() // it records lost calls, and may wait for the log
}

// maxPeers bounds the principals with a cached list of tools.
const maxPeers = 1000

// maxVersions bounds the versions that one principal may speak, or claim to, so it cannot evict
// the lists and tasks of others.
const maxVersions = 8

// peers holds the views of the server for principals without a session. A list of tools may vary
// with the credentials, and with the version of the protocol.
type peers struct {
	mu    sync.Mutex
	byKey map[peerKey]*peer
	clock int
}

type peerKey struct {
	owner   string
	version string // "" before 2026-07-28; part of the key, so a refused version cannot spoil others
}

type peer struct {
	server *relay.Server
	used   int
}

// of returns a principal's view of the server, or makes one with fresh.
func (t *peers) of(key peerKey, fresh func() (*relay.Server, error)) (*relay.Server, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock++
	if p := t.byKey[key]; p != nil {
		p.used = t.clock
		return p.server, nil
	}
	server, err := fresh()
	if err == nil {
		t.set(key, server)
	}
	return server, err
}

func (t *peers) set(key peerKey, server *relay.Server) {
	if t.byKey == nil {
		t.byKey = map[peerKey]*peer{}
	}
	t.evict(maxVersions, func(k peerKey) bool { return k.owner == key.owner })
	t.evict(maxPeers, func(peerKey) bool { return true })
	t.byKey[key] = &peer{server, t.clock}
}

// evict forgets the least recently used entry in among, if there are limit of them.
func (t *peers) evict(limit int, among func(peerKey) bool) {
	var oldest peerKey
	count := 0
	for k, p := range t.byKey {
		if !among(k) {
			continue
		}
		if count++; count == 1 || p.used < t.byKey[oldest].used {
			oldest = k
		}
	}
	if count >= limit {
		delete(t.byKey, oldest)
	}
}
