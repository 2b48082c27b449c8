// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// A Transport is an open connection to a server. It carries JSON-RPC messages, one a line, over
// any medium. Its methods may be called concurrently.
//
// If a Transport has a method Remote() bool that returns true, the server may go on with a call when
// the connection has ended. Limits then count such a call as running for a while.
type Transport interface {
	// Stdin returns the writer of messages to the server. Closing it ends the session: the server
	// answers what it has read, and ends.
	Stdin() io.WriteCloser
	// Stdout returns the reader of the server's messages. It gives io.EOF behind the last.
	Stdout() io.ReadCloser
	// Done returns a channel that is closed when the server is gone.
	Done() <-chan struct{}
	// Stop ends the server, and returns when it is gone. It gives the server some seconds to answer and to
	// clean up, and none once ctx is done. The error says how a server ended that did not end well; it
	// completes "the server ended". Each further Stop waits, and returns the same.
	Stop(ctx context.Context) error
}

// A Dialer opens the connection to a server. It copies the server's output beside its messages
// to stderr. Ctx bounds the opening, not the connection. [Command] is the Dialer for servers on
// stdio, [HTTP] the one for servers behind a URL.
//
// Dial may be called again whenever a connection is lost, and concurrently. It must return when ctx is done: calls of the
// server, and the end of its [Set], wait for it.
type Dialer interface {
	Dial(ctx context.Context, stderr io.Writer) (Transport, error)
}

// Dial starts the command. It implements [Dialer].
func (c Command) Dial(_ context.Context, stderr io.Writer) (Transport, error) {
	p, err := process.Start(process.Command{
		Args: c.Args, Env: c.Env, Dir: c.Dir, Stderr: stderr, Supervisor: c.Supervisor,
	})
	if err != nil {
		return nil, err // not p: a nil *Process would be a Transport that is not nil
	}
	return p, nil
}

// HTTP describes a server behind a URL, which speaks MCP's Streamable HTTP. It is a [Dialer]. URL is
// required.
type HTTP struct {
	// URL is that of the MCP endpoint: http or https, without credentials.
	URL string
	// Transport makes the requests, and may add credentials to them. It gets only requests to the URL's
	// origin. It must return when the context of a request is done; a goroutine waits for each that it keeps. Nil: one of the Dialer's own for each connection, with the environment's proxies, 10 s to
	// connect, and no compression.
	Transport http.RoundTripper
	// Logger receives the faults of the server, never a value. Nil discards them.
	Logger *slog.Logger
}

// Dial implements [Dialer]. It does not connect before the first message, so an error is one of the
// description. The server's log is out of reach: stderr gets nothing.
func (h HTTP) Dial(context.Context, io.Writer) (Transport, error) {
	c, err := streamable.NewClient(streamable.ClientConfig{URL: h.URL, Transport: h.Transport, Logger: h.Logger})
	if err != nil {
		return nil, err // not c: a nil *Client would be a Transport that is not nil
	}
	return c, nil
}
