// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/process"
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
	Supervisor []string      // command that runs process.Supervise, so that nothing of the server is left behind
	Timeout    time.Duration // of the start with its handshake, of listing the tools, of a call; default [DefaultTimeout]
	Limits     call.Limits   // of a message from the server
}

// A Client is a connection to a running server. Its methods may be called
// concurrently.
type Client struct {
	conn         *conn
	timeout      time.Duration
	limits       call.Limits
	meta         map[string]any // _meta of every request; nil for servers before 2026-07-28
	version      string
	capabilities json.RawMessage
	close        sync.Once
}

// Start starts a server and shakes hands with it. It offers the protocol version
// 2025-11-25 and takes what the server answers, back to 2024-11-05; a server that
// refuses initialize is asked by server/discover, as of 2026-07-28.
//
// The error is a *[HandshakeError], or says that the command could not be started.
//
// Ctx and c.Timeout bound the start. The server then runs until [Client.Close], also
// when ctx is done.
func Start(ctx context.Context, c Command) (*Client, error) {
	timeout := cmp.Or(max(c.Timeout, 0), DefaultTimeout)
	stderr := &tail{next: c.Stderr}
	proc, err := process.Start(process.Command{
		Args: c.Args, Env: c.Env, Dir: c.Dir, Stderr: stderr, Supervisor: c.Supervisor,
	})
	if err != nil {
		return nil, err
	}
	client := &Client{conn: newConn(proc, stderr, c.Limits), timeout: timeout, limits: c.Limits}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := client.shakeHands(within); err != nil {
		client.Close(ctx)
		return nil, &HandshakeError{err}
	}
	return client, nil
}

// Close ends the session and the server, first politely, then by force, and waits
// for that. When ctx is done, Close does not wait for politeness.
func (c *Client) Close(ctx context.Context) {
	c.close.Do(func() { c.conn.close(ctx) })
}

// ProtocolVersion is the version of MCP that the two sides agreed on.
func (c *Client) ProtocolVersion() string { return c.version }

// Capabilities are the server's capabilities as it wrote them, nil if it gave none.
func (c *Client) Capabilities() json.RawMessage { return c.capabilities }

// Call calls a tool and returns the CallToolResult as the server wrote it. Arguments
// are a JSON object. A tool that reports an error has a result; err says that there
// is none, and is a *[RefusedError] if the server answered with an error.
func (c *Client) Call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return c.request(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments})
}

func (c *Client) request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	if c.meta != nil {
		params = maps.Clone(params)
		params["_meta"] = c.meta
	}
	return c.conn.request(ctx, method, params)
}
