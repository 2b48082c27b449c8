// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// maxServing bounds the requests of a server in progress at the same time.
const maxServing = 64

// serve answers a request of the server.
func (c *conn) serve(m jsonrpc.Envelope) {
	handle := c.handlerOf().Request
	switch {
	case m.Method == "ping":
		c.reply(m.ID, json.RawMessage("{}"), nil)
		return
	case c.echoed(m):
		return
	case handle == nil:
		c.reply(m.ID, nil, &RefusedError{Code: methodNotFound, Message: "toolvet does not offer this method"})
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	if why := c.beginServing(m.ID, cancel); why != "" {
		cancel()
		c.reply(m.ID, nil, &RefusedError{Code: jsonrpc.InvalidRequest, Message: why})
		return
	}
	go func() {
		defer cancel()
		result, err := handle(ctx, m.Method, m.Params)
		if c.endServing(m.ID) { // a request that the server has cancelled gets no answer
			c.reply(m.ID, result, err)
		}
	}()
}

// echoed reports whether m is a request of the client's own that comes back, and has it fail.
func (c *conn) echoed(m jsonrpc.Envelope) bool {
	if m.Method != "initialize" && m.Method != "server/discover" { // which no server sends
		return false
	}
	failure := protocol.RequestFailure("the program is no MCP server: it sends back what it reads")
	return c.deliver(answer{Envelope: jsonrpc.Envelope{ID: m.ID, Error: failure.Raw()}, own: true})
}

func (c *conn) beginServing(id json.RawMessage, cancel context.CancelFunc) (why string) {
	key := jsonrpc.IDKey(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.serving[key] != nil:
		return "a request with this id is being answered"
	case len(c.serving) >= maxServing:
		return fmt.Sprintf("%d requests are being answered already", maxServing)
	}
	c.serving[key] = cancel
	return ""
}

func (c *conn) endServing(id json.RawMessage) bool {
	key := jsonrpc.IDKey(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.serving[key]
	delete(c.serving, key)
	return ok
}

// handlerOf returns the handler for a question of the server. If exactly one request is in
// flight, the question belongs to it; otherwise the connection's handler answers. Requests of
// the client itself do not count.
func (c *conn) handlerOf() Handler {
	c.mu.Lock()
	defer c.mu.Unlock()
	var only *waiter
	for _, w := range c.pending {
		if w.own {
			continue
		}
		if only != nil {
			return c.handler
		}
		only = w
	}
	if only == nil || only.Handler == nil {
		return c.handler
	}
	return *only.Handler
}

// reply answers a request of the server.
func (c *conn) reply(id, result json.RawMessage, err error) {
	line, broken := encodeReply(id, result, err)
	if broken != nil {
		line, _ = encodeReply(id, nil, errors.New("the answer is no JSON")) // cannot fail: the text is our own
	}
	select {
	case c.out <- line:
	case <-c.closing:
	case <-c.gone:
	}
}

func encodeReply(id, result json.RawMessage, err error) ([]byte, error) {
	if err == nil {
		if !json.Valid(result) {
			return nil, errors.New("no JSON")
		}
		return framed(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
	}
	code, message := jsonrpc.InternalError, err.Error()
	var refused *RefusedError
	if errors.As(err, &refused) {
		code, message = refused.Code, refused.Message
	}
	text, marshalErr := json.Marshal(message)
	if marshalErr != nil {
		return nil, marshalErr
	}
	return framed(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text))
}

// notified dispatches a notification of the server.
func (c *conn) notified(m jsonrpc.Envelope) {
	switch m.Method {
	case "notifications/progress":
		if w := c.progressing(m.Params); w != nil {
			w.Progress(m.Params)
		}
		return // drop progress of requests that are over
	case "notifications/cancelled":
		c.serverCancels(m.Params)
		return
	}
	if c.handler.Notify != nil {
		c.handler.Notify(m.Method, m.Params)
	}
}

// progressing returns the request that a progress notification belongs to, or nil.
func (c *conn) progressing(params json.RawMessage) *waiter {
	token := memberOf(params, progressKey, c.limits)
	if token == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.pending[jsonrpc.IDKey(token)]; w != nil && w.Progress != nil {
		return w
	}
	return nil
}

func (c *conn) serverCancels(params json.RawMessage) {
	id := memberOf(params, "requestId", c.limits)
	if id == nil {
		return
	}
	key := jsonrpc.IDKey(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.serving[key]; cancel != nil {
		delete(c.serving, key)
		cancel()
	}
}

// memberOf returns a member of an object, or nil.
func memberOf(object json.RawMessage, key string, limits call.Limits) json.RawMessage {
	members, err := strictjson.Members(object, limits)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if m.Key == key {
			return m.Raw
		}
	}
	return nil
}
