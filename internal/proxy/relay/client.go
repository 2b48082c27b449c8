// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
)

// A Client is one client of a server, with its requests that are not answered yet. An id
// stands for one of those at a time. A Client is safe for concurrent use.
type Client struct {
	server  *Server
	pending *pendingTable
	caller  caller
	roots   roots
	meta    atomic.Pointer[json.RawMessage] // _meta of toolvet's own requests since call.Modern; nil for older
}

// NewClient returns a client of which this is known before it says anything: the subject,
// the transport. What it tells of itself is added.
func (s *Server) NewClient(known call.Session) *Client {
	c := &Client{server: s, pending: new(pendingTable)}
	c.caller.known.Store(&known)
	return c
}

// Identify changes who makes the calls from now on, but not what the client told of itself.
func (c *Client) Identify(who call.Session) {
	c.caller.learn(func(s *call.Session) {
		s.Subject, s.Claims, s.Transport, s.ClientAddress = who.Subject, who.Claims, who.Transport, who.ClientAddress
	})
}

// Close forgets the requests that are not answered: the client is gone.
func (c *Client) Close() {
	c.Forget(c.pending.all()...)
}

// Waiting is how many requests of the client are not answered yet.
func (c *Client) Waiting() int { return c.pending.len() }

// Waits reports whether a request is not answered yet, and not forgotten.
func (c *Client) Waits(r *Request) bool { return c.pending.has(r) }

// Forget drops requests that were forwarded, and whose answers nobody waits for any more. It
// records that nothing came back of calls.
func (c *Client) Forget(requests ...*Request) {
	var lost []*door.Passage
	for _, r := range requests {
		if c.pending.forget(r) {
			lost = append(lost, r.passage)
		}
	}
	door.Lost(context.Background(), lost...)
}

// noteRevision remembers what a request since call.Modern must say of its sender, for
// toolvet's own requests.
func (c *Client) noteRevision(meta map[string]any) {
	if c.meta.Load() != nil || !call.IsModern(meta) {
		return
	}
	own := map[string]any{call.RevisionKey: meta[call.RevisionKey], call.CapabilitiesKey: map[string]any{}} // which it must say
	for _, key := range []string{call.ClientInfoKey, call.CapabilitiesKey} {
		if v, ok := meta[key].(map[string]any); ok {
			own[key] = v
		}
	}
	if raw, err := json.Marshal(own); err == nil {
		c.meta.Store((*json.RawMessage)(&raw))
	}
}

// noteMeta is noteRevision for the text of a _meta.
func (c *Client) noteMeta(raw []byte) {
	if c.meta.Load() != nil || raw == nil {
		return
	}
	if meta, err := call.DecodeArguments(raw, c.server.cfg.Limits); err == nil {
		c.noteRevision(meta)
	}
}
