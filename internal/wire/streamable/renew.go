// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

var errOver = errors.New("the server has ended the session, and what it held is lost: connect again")

var initialized = []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)

// renew replaces a session that the server has ended, with the client's own initialize (2025-11-25,
// basic/transports, Session Management). The client does not notice, so the new session must be like
// the old: of the same revision, without subscriptions or a log level to lose.
func (c *Client) renew(old session) error {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	c.mu.Lock()
	now, hello, stateful := c.session, c.hello, c.stateful
	c.mu.Unlock()
	switch {
	case now != old:
		return nil // another goroutine has
	case hello == nil || stateful:
		return errOver
	}
	m, err := jsonrpc.DecodeEnvelope(hello, c.limits)
	if err != nil {
		return err
	}
	p := c.newPost(m, hello)
	result, header, err := c.private(p, c.headers(p, session{}))
	if err != nil {
		return fmt.Errorf("the server has ended the session, and a new one failed: %w", err)
	}
	next := session{id: header.Get(sessionHeader), version: textAt(result, c.limits, "protocolVersion")}
	if next.version != old.version {
		return errOver
	}
	note := c.newPost(jsonrpc.Envelope{Method: "notifications/initialized"}, initialized)
	defer note.cancel()
	resp, err := c.send(note.ctx, http.MethodPost, note, c.headers(note, next), noteTimeout)
	if err != nil {
		return err
	}
	c.passRest(resp)
	c.mu.Lock()
	c.session = next
	c.mu.Unlock()
	c.log.Warn("the server had ended the session: a new one continues")
	c.listen()
	return nil
}
