// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/tail"
)

// DefaultTimeout is the Timeout of a [Server] that sets none. Launchers such as
// npx may have to download the server first.
const DefaultTimeout = 30 * time.Second

// A Command says how to start a server. It is a [Dialer].
type Command struct {
	Args       []string // the program and its arguments
	Env        []string // the whole environment; nil inherits ours
	Dir        string   // working directory; "" is ours
	Supervisor []string // command that runs supervisor.Run, to leave no process of the server behind
}

// options say how to talk to a server.
type options struct {
	Stderr  io.Writer     // receives the server's output beside its messages; nil keeps only its end, for errors
	Timeout time.Duration // of the start with its handshake, of a list, of Call; default [DefaultTimeout]
	Limits  call.Limits   // of a message from the server
	Handler Handler       // handles the server's own requests and notifications
	// Capabilities are the client's capabilities for the handshake, a JSON object; nil is {}.
	// Handler.Request must support them.
	Capabilities json.RawMessage
}

// A client is a connection to a running server. Its methods may be called concurrently; package internal/servers documents
// those for other packages.
type client struct {
	conn         *conn
	timeout      time.Duration
	limits       call.Limits
	offers       json.RawMessage            // the client's capabilities
	meta         map[string]json.RawMessage // _meta of every request; nil for servers before 2026-07-28
	version      string
	capabilities json.RawMessage // as the server wrote them; nil: none
	info         json.RawMessage
	instructions json.RawMessage // for models, a JSON string as the server wrote it; nil: none; no decision may depend on them
	close        sync.Once
}

// connect opens the connection to a server and shakes hands; see servers.Connect.
func connect(ctx context.Context, d Dialer, o options) (*client, error) {
	timeout := cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stderr := &tail.Writer{Next: o.Stderr}
	transport, err := d.Dial(within, stderr)
	switch {
	case err != nil:
		return nil, err
	case transport == nil:
		return nil, errors.New("the Dialer returns neither a Transport nor an error")
	}
	c := &client{conn: newConn(transport, stderr, o), timeout: timeout, limits: o.Limits, offers: o.Capabilities}
	if c.offers == nil {
		c.offers = json.RawMessage("{}")
	}
	if err := c.shakeHands(within); err != nil {
		c.Close(ctx)
		return nil, &handshakeError{err}
	}
	return c, nil
}

func (c *client) Close(ctx context.Context) {
	c.close.Do(func() { c.conn.close(ctx) })
}

func (c *client) Done() <-chan struct{} { return c.conn.gone }

func (c *client) Err() error {
	select {
	case <-c.conn.gone:
		return fmt.Errorf("%s%s", c.conn.end(), c.conn.circumstances())
	default:
		return nil
	}
}

func (c *client) ProtocolVersion() string { return c.version }

func (c *client) ServerInfo() json.RawMessage { return c.info }

func (c *client) Call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	params, err := callParams(nil, tool, arguments, c.limits)
	if err != nil {
		return nil, err
	}
	return c.Do(ctx, Request{Method: "tools/call", Params: params})
}

func (c *client) Do(ctx context.Context, r Request) (json.RawMessage, error) {
	return c.conn.do(ctx, r, c.meta)
}

// request is Do for requests of the client itself.
func (c *client) request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encoding the request %s: %w", method, err)
	}
	return c.conn.do(ctx, Request{Method: method, Params: raw, own: true}, c.meta)
}
