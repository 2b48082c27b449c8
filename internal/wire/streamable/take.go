// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// A post is a message on its way.
type post struct {
	jsonrpc.Envelope
	line   []byte
	modern bool // of 2026-07-28 or later
	ctx    context.Context
	cancel context.CancelFunc
	sent   func() // the server has the request, or never will
	isSent chan struct{}
}

// begins reports whether p begins a session: since 2026-07-28 there are none.
func (p *post) begins() bool { return p.Method == "initialize" && !p.modern }

// arrival is the time for a written message to reach the server, because another connection can be
// faster.
const arrival = 500 * time.Millisecond

func (c *Client) newPost(m jsonrpc.Envelope, line []byte) *post {
	p := &post{Envelope: m, line: line, isSent: make(chan struct{})}
	p.modern = mcpheader.BodyVersion(m.Params, c.limits) >= jsonrpc.Modern
	p.ctx, p.cancel = context.WithCancel(c.ctx)
	p.sent = sync.OnceFunc(func() { close(p.isSent) })
	return p
}

// take takes a line of the client. An error means that the Client has been stopped.
func (c *Client) take(line []byte) error {
	line = bytes.Trim(line, " \t\r")
	if len(line) == 0 {
		return nil
	}
	all, err := messages(line, c.limits)
	if err != nil {
		return c.run(func() { c.answerError(nil, jsonrpc.InvalidRequest, fmt.Errorf("the batch is refused: %w", err)) })
	}
	for _, text := range all {
		if err := c.message(text); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) message(line []byte) error {
	m, err := jsonrpc.DecodeEnvelope(line, c.limits)
	if err != nil {
		return c.run(func() { c.answerError(m.ID, mcphttp.CodeOf(err), err) })
	}
	p := c.newPost(m, line)
	switch {
	case m.Method == "notifications/cancelled":
		return c.cancelled(p)
	case m.IsRequest():
		return c.request(p)
	case m.Method == "": // an answer goes at once, because the server waits for it
		return c.runNote(func() { c.note(p) })
	}
	before, done := c.place()
	return c.runNote(func() {
		defer done()
		<-before
		c.note(p)
		if m.Method == "notifications/initialized" && !p.modern {
			c.listen()
		}
	})
}

// place returns the channel that a message must wait for. The messages behind it wait until done is
// called.
func (c *Client) place() (before <-chan struct{}, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.before
	own := make(chan struct{})
	c.before = own
	return before, func() { close(own) }
}

// request sends a request and makes sure that it gets an answer.
func (c *Client) request(p *post) error {
	if why := c.enter(p); why != nil {
		return c.run(func() { c.answerError(p.ID, jsonrpc.InvalidRequest, why) })
	}
	c.mu.Lock()
	before, done := (<-chan struct{})(c.before), func() {}
	c.mu.Unlock()
	if p.begins() {
		before, done = c.place()
	}
	return c.run(func() {
		defer done()
		defer p.cancel()
		defer p.sent()
		<-before
		if err := c.exchange(p); err != nil && c.settle(p) && c.ctx.Err() == nil {
			if c.cfg.Told == nil || !c.cfg.Told(p.Method) {
				c.log.Warn("a request got no answer from the server", "method", p.Method, "err", err)
			}
			c.answerError(p.ID, jsonrpc.InternalError, err)
		}
	})
}

// enter registers a request. The error says why it cannot.
func (c *Client) enter(p *post) error {
	key := jsonrpc.IDKey(p.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.open[key] != nil:
		return errors.New(`"id" belongs to a request that is not answered yet: use each id once`)
	case len(c.open) >= maxOpen:
		return errors.New("too many requests wait for an answer: wait for some of them")
	}
	c.open[key] = p
	switch {
	case p.modern:
	case p.Method == "initialize":
		c.hello = p.line
	case p.Method == "resources/subscribe", p.Method == "logging/setLevel":
		c.stateful = true
	}
	return nil
}

// settle removes p from the open requests. It returns false if another goroutine has: the one that
// settles a request answers it.
func (c *Client) settle(p *post) bool {
	key := jsonrpc.IDKey(p.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[key] != p {
		return false
	}
	delete(c.open, key)
	return true
}

// cancelled passes on a cancellation. Since 2026-07-28 it is the end of the request's stream
// (basic/patterns/cancellation); before, it is a message that must not overtake the request.
func (c *Client) cancelled(note *post) error {
	id := find(note.Params, c.limits, "requestId")
	c.mu.Lock()
	p := c.open[jsonrpc.IDKey(id)]
	if p != nil {
		delete(c.open, jsonrpc.IDKey(id))
	}
	c.mu.Unlock()
	switch {
	case p == nil:
		return nil // answered meanwhile
	case p.modern:
		p.cancel()
		return nil
	}
	before, done := c.place()
	return c.runNote(func() {
		defer done()
		<-before
		<-p.isSent
		c.note(note)
		p.cancel() // no answer will come
	})
}

// runNote is run for a message without an answer.
func (c *Client) runNote(f func()) error {
	count := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notes += n
	}
	count(1)
	err := c.run(func() {
		defer count(-1)
		f()
	})
	if err != nil {
		count(-1)
	}
	return err
}

// note sends a message without an answer.
func (c *Client) note(p *post) {
	defer p.cancel()
	for range 2 { // once in a session that has ended, and once in the next
		s := c.current()
		resp, err := c.send(p.ctx, http.MethodPost, p, c.headers(p, s), noteTimeout)
		if err != nil {
			c.log.Warn("the server did not get a message", "method", p.Method, "err", err)
			return
		}
		c.passRest(resp)
		if !s.isOver(resp) || c.renew(s) != nil {
			if resp.StatusCode >= 300 {
				c.log.Warn("the server refused a message", "method", p.Method, "status", resp.Status)
			}
			return
		}
	}
}
