// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
)

// DefaultTimeout is the Timeout of a [Command] that sets none. Launchers such as
// npx may have to download the server first.
const DefaultTimeout = 30 * time.Second

// A Command says how to start a server and how long to wait for it.
type Command struct {
	Args       []string      // the program and its arguments
	Env        []string      // the whole environment; nil inherits ours
	Dir        string        // working directory; "" is ours
	Stderr     io.Writer     // receives the server's standard error; nil keeps only its end, for errors
	Supervisor []string      // command that runs supervisor.Run, to leave no process of the server behind
	Timeout    time.Duration // of the start with its handshake, of listing the tools, of a call; default [DefaultTimeout]
	Limits     call.Limits   // of a message from the server
}

// Options say how to talk to a server.
type Options struct {
	Stderr  io.Writer     // receives the server's output beside its messages; nil keeps only its end, for errors
	Timeout time.Duration // of the start with its handshake, of a list, of [Client.Call]; default [DefaultTimeout]
	Limits  call.Limits   // of a message from the server
	Handler Handler       // handles the server's own requests and notifications
	// Capabilities are the client's capabilities for the handshake, a JSON object; nil is {}.
	// Handler.Request must support them.
	Capabilities json.RawMessage
}

// A Client is a connection to a running server. Its methods may be called
// concurrently.
type Client struct {
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

// Start starts a server and shakes hands with it; see [Connect].
func Start(ctx context.Context, c Command) (*Client, error) {
	return Connect(ctx, c, Options{Stderr: c.Stderr, Timeout: c.Timeout, Limits: c.Limits})
}

// Connect opens the connection to a server and shakes hands. It offers the protocol version
// 2025-11-25 and accepts the server's choice, back to 2024-11-05. If the server refuses
// initialize, Connect tries server/discover, as of 2026-07-28.
//
// The error is a *[HandshakeError] unless the connection could not be opened.
//
// Ctx and o.Timeout bound the start. The connection then lasts until [Client.Close], even
// after ctx is done.
func Connect(ctx context.Context, d Dialer, o Options) (*Client, error) {
	timeout := cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stderr := &tail{next: o.Stderr}
	transport, err := d.Dial(within, stderr)
	if err != nil {
		return nil, err
	}
	client := &Client{conn: newConn(transport, stderr, o), timeout: timeout, limits: o.Limits, offers: o.Capabilities}
	if client.offers == nil {
		client.offers = json.RawMessage("{}")
	}
	if err := client.shakeHands(within); err != nil {
		client.Close(ctx)
		return nil, &HandshakeError{err}
	}
	return client, nil
}

// Close ends the session and the server, first politely, then by force, and waits for the
// end. Once ctx is done, Close uses force at once.
func (c *Client) Close(ctx context.Context) {
	c.close.Do(func() { c.conn.close(ctx) })
}

// Done returns a channel that is closed when no more answers will come.
func (c *Client) Done() <-chan struct{} { return c.conn.gone }

// Err returns nil until [Client.Done] is closed, then the reason why no more answers will come.
func (c *Client) Err() error {
	select {
	case <-c.conn.gone:
		return fmt.Errorf("%s%s", c.conn.end(), c.conn.circumstances())
	default:
		return nil
	}
}

// ProtocolVersion returns the version of MCP agreed on in the handshake.
func (c *Client) ProtocolVersion() string { return c.version }

// ServerInfo returns the server's name and version as it wrote them, or nil if it gave none.
// The server may claim any name, so no decision may depend on it.
func (c *Client) ServerInfo() json.RawMessage { return c.info }

// Call calls a tool and returns the CallToolResult as the server wrote it. Arguments are a
// JSON object. The result may report an error of the tool. Err is not nil if there is no
// result; it is a *[RefusedError] if the server answered with an error.
func (c *Client) Call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	params, err := callParams(nil, tool, arguments, c.limits)
	if err != nil {
		return nil, err
	}
	return c.Do(ctx, Request{Method: "tools/call", Params: params})
}

// Do makes a request and returns the result as the server wrote it. The error is a
// *[RefusedError] if the server answered with one, and a *[GoneError] if it died. When ctx
// is done, Do cancels the request at the server.
func (c *Client) Do(ctx context.Context, r Request) (json.RawMessage, error) {
	return c.conn.do(ctx, r, c.meta)
}

// request is Do for requests of the client itself.
func (c *Client) request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encoding the request %s: %w", method, err)
	}
	return c.conn.do(ctx, Request{Method: method, Params: raw, own: true}, c.meta)
}
