// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// A Client is one client of a server, with its open requests. No two of them have the same id.
// A Client is safe for concurrent use.
type Client struct {
	server    *Server
	pending   *pendingTable
	caller    caller
	questions *questions
	meta      atomic.Pointer[json.RawMessage] // _meta of toolvet's own requests since jsonrpc.Modern; nil before
}

// NewClient returns a client. Its session starts with what the transport knows, such as the
// subject; the client's own messages fill in the rest.
func (s *Server) NewClient(known call.Session) *Client {
	c := &Client{server: s, pending: new(pendingTable), questions: new(questions)}
	c.caller.known.Store(&known)
	return c
}

// Identify changes the principal of later calls, but keeps the client's own information.
func (c *Client) Identify(who call.Session) {
	c.caller.learn(func(s *call.Session) {
		s.Subject, s.Claims, s.Transport, s.ClientAddress = who.Subject, who.Claims, who.Transport, who.ClientAddress
	})
}

// Close forgets the open requests: the client is gone.
func (c *Client) Close() {
	c.Forget(c.pending.all()...)
	c.questions.close(context.Background())
}

// Ended notes that the server has ended, and runs no cancelled call any longer. Without it, cancelled calls count as
// running for [door.HoldTime].
func (c *Client) Ended() { c.pending.ended() }

// Abandon notes that the client is gone, while a server on another machine may go on with the calls.
func (c *Client) Abandon() {
	for _, r := range c.pending.all() {
		r.passage.Abandon()
	}
}

// Waiting returns the number of open requests.
func (c *Client) Waiting() int { return c.pending.len() }

// Waits reports whether a request is still open.
func (c *Client) Waits(r *Request) bool { return c.pending.has(r) }

// Forget drops forwarded requests after their client has stopped waiting. It records calls
// among them as without a result.
func (c *Client) Forget(requests ...*Request) {
	var lost []*door.Passage
	for _, r := range requests {
		if c.pending.forget(r) {
			lost = append(lost, r.passage)
		}
	}
	door.Lost(context.Background(), lost...)
}

// noteRevision remembers the sender information in a client's _meta. Since jsonrpc.Modern every
// request must carry it, including toolvet's own.
func (c *Client) noteRevision(meta map[string]any) {
	if c.meta.Load() != nil || !jsonrpc.IsModern(meta) {
		return
	}
	own := map[string]any{jsonrpc.RevisionKey: meta[jsonrpc.RevisionKey], jsonrpc.CapabilitiesKey: map[string]any{}} // both are required
	for _, key := range []string{jsonrpc.ClientInfoKey, jsonrpc.CapabilitiesKey} {
		if v, ok := meta[key].(map[string]any); ok {
			own[key] = v
		}
	}
	if raw, err := json.Marshal(own); err == nil {
		c.meta.Store((*json.RawMessage)(&raw))
	}
}

// maxMeta bounds the _meta that noteMeta reads, in bytes: its form is small, and no loan is taken for it.
const maxMeta = 64 << 10

// noteMeta is noteRevision for an undecoded _meta.
func (c *Client) noteMeta(raw []byte) {
	if c.meta.Load() != nil || raw == nil || len(raw) > maxMeta {
		return
	}
	if meta, err := call.DecodeArguments(raw, c.server.cfg.Limits); err == nil {
		c.noteRevision(meta)
	}
}
