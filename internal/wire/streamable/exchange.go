// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// exchange sends a request and delivers the messages for it, up to its answer. The error says why there
// is none.
func (c *Client) exchange(p *post) error {
	for tries := 1; ; tries++ {
		s := c.current()
		resp, err := c.send(p.ctx, http.MethodPost, p, c.headers(p, s), c.cfg.HeaderTimeout)
		if err != nil {
			return err
		}
		again, err := c.receive(p, s, resp, tries == 1)
		resp.Body.Close()
		if !again {
			return err
		}
	}
}

// receive takes the response to a request. It returns true if the request must be sent again, because
// the server did nothing for it.
func (c *Client) receive(p *post, s session, resp *http.Response, first bool) (again bool, err error) {
	loan := c.lend()
	defer loan.Return()
	switch {
	case resp.StatusCode == http.StatusAccepted, resp.StatusCode == http.StatusNoContent:
		return false, fmt.Errorf("the server accepts the request with HTTP %d but does not answer", resp.StatusCode)
	case resp.StatusCode/100 != 2:
		return c.refused(p, s, resp, first)
	}
	if p.begins() {
		c.greeted(resp.Header.Get(sessionHeader))
	}
	switch kind := mcphttp.ContentType(resp.Header); kind {
	case jsonType:
		text, err := c.readAll(resp, loan)
		if err != nil {
			return false, err
		}
		c.deliver(text)
	case eventStream:
		if err := c.follow(p, s, resp); err != nil {
			return false, err
		}
	default:
		return false, errors.New("the server's answer is neither JSON nor a stream of events: is its URL that of an MCP endpoint?")
	}
	return false, errors.New("the server answers the request with something else")
}

// refused takes a response with an error status.
func (c *Client) refused(p *post, s session, resp *http.Response, first bool) (again bool, err error) {
	if !p.modern && p.Method != "initialize" && s.isOver(resp) {
		if !first {
			return false, errOver
		}
		if err := c.renew(s); err != nil {
			return false, err
		}
		return true, nil
	}
	var m jsonrpc.Envelope
	if mcphttp.ContentType(resp.Header) == jsonType {
		loan := c.lend()
		defer loan.Return()
		if text, err := c.readAll(resp, loan); err == nil {
			text, _ = oneLine(text)
			m, _ = jsonrpc.DecodeEnvelope(text, c.limits) // other text is ignored
		}
	}
	if m.Error == nil || m.ID != nil && jsonrpc.IDKey(m.ID) != jsonrpc.IDKey(p.ID) || resp.StatusCode == http.StatusUnauthorized {
		return false, c.statusError(resp)
	}
	if first && mismatch(m.Error, c.limits) && p.Method == "tools/call" && c.relist(p) {
		return true, nil
	}
	if c.settle(p) {
		c.write(mcphttp.ErrorWith(p.ID, m.Error))
	}
	return false, nil
}

// mismatch reports whether an error is about headers that disagree with the body.
func mismatch(body json.RawMessage, limits call.Limits) bool {
	return string(find(body, limits, "code")) == strconv.Itoa(mcpheader.HeaderMismatch)
}

// statusError explains a status without a message, and that of wrong credentials: no message of a server says how toolvet gets others.
func (c *Client) statusError(resp *http.Response) error {
	hint := ""
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		hint = ": it wants other credentials"
		if c.cfg.Advice != "" {
			hint += ": " + c.cfg.Advice
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		hint = ": is its URL that of an MCP endpoint for Streamable HTTP?"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		hint = ": try again later"
	}
	return &jsonrpc.Unanswered{Status: resp.StatusCode, Err: fmt.Errorf("the server answers with HTTP %d %s%s", resp.StatusCode, http.StatusText(resp.StatusCode), hint)}
}

// deliver delivers a message of the server or, in 2025-03-26, a batch.
func (c *Client) deliver(text []byte) {
	line, err := oneLine(text)
	if err == nil {
		var all [][]byte
		if all, err = messages(line, c.limits); err == nil {
			for _, m := range all {
				c.fromServer(m)
			}
		}
	}
	if err != nil {
		c.log.Warn("dropped an invalid message of the server", "err", err)
	}
}

// fromServer delivers one message. It drops an answer to a request that was cancelled or has been
// answered.
func (c *Client) fromServer(line []byte) {
	m, err := jsonrpc.DecodeEnvelope(line, c.limits)
	remnant := jsonrpc.Remnant{Method: m.Method != ""}
	if err != nil {
		remnant = jsonrpc.Recover(bytes.NewReader(line))
		c.log.Warn("the server sent an invalid message", "err", err)
	}
	switch {
	case remnant.Method, err == nil && m.ID == nil:
		c.write(line)
		return
	case m.ID == nil:
		return // its request is unknown
	}
	c.mu.Lock()
	p := c.open[jsonrpc.IDKey(m.ID)]
	delete(c.open, jsonrpc.IDKey(m.ID))
	c.mu.Unlock()
	if p == nil {
		c.log.Debug("dropped an answer that nobody waits for")
		return
	}
	if m.Result != nil {
		line = c.learn(p, m, line)
	}
	if own := jsonrpc.OfServer(m.Error); !bytes.Equal(own, m.Error) {
		line = mcphttp.ErrorWith(m.ID, own)
	}
	c.write(line)
}

// learn keeps the parts of an answer that later requests need, and returns the answer for the client.
func (c *Client) learn(p *post, m jsonrpc.Envelope, line []byte) []byte {
	switch {
	case p.begins():
		c.mu.Lock()
		c.session.version = textAt(m.Result, c.limits, "protocolVersion")
		c.mu.Unlock()
	case p.Method == "tools/list" && p.modern:
		return c.learnTools(line)
	}
	return line
}

// greeted begins a session.
func (c *Client) greeted(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.stateful = session{id: id}, false
}

// private makes a request of the Client's own, and returns its result.
func (c *Client) private(p *post, h http.Header) (result json.RawMessage, header http.Header, err error) {
	defer p.cancel()
	resp, err := c.send(p.ctx, http.MethodPost, p, h, noteTimeout)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, c.statusError(resp)
	}
	loan := c.lend()
	defer loan.Return()
	next := func() ([]byte, error) { return c.readAll(resp, loan) }
	if mcphttp.ContentType(resp.Header) == eventStream {
		events := c.events(resp.Body, c.limits.Bytes, loan)
		next = func() ([]byte, error) {
			e, err := events.Next()
			return e.Data, err
		}
	}
	for range maxOpen { // messages before the answer
		text, err := next()
		if err != nil {
			return nil, nil, err
		}
		if len(text) == 0 {
			continue
		}
		m, err := jsonrpc.DecodeEnvelope(text, c.limits)
		switch {
		case err != nil:
			return nil, nil, err
		case m.Method == "" && jsonrpc.IDKey(m.ID) == jsonrpc.IDKey(p.ID):
			if m.Result == nil {
				return nil, nil, errors.New("the server refuses " + p.Method)
			}
			return m.Result, resp.Header, nil
		}
	}
	return nil, nil, io.ErrNoProgress
}
