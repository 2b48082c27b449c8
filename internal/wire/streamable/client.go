// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// A ClientConfig configures a [Client]. URL is required.
type ClientConfig struct {
	URL string // of the MCP endpoint, http or https, without credentials
	// Transport makes the requests, and may add credentials to them. It gets only requests to the URL's
	// origin. Default: [NewTransport].
	Transport http.RoundTripper
	// Advice tells in an error how a person gives other credentials for the server; "" leaves it out.
	Advice string
	// Limits bound each message in both directions; default call.Limits, but 64 MiB.
	Limits call.Limits
	// HeaderTimeout bounds the wait for the headers of an answer, which includes the answer itself if
	// it is JSON. It does not bound the body. Default 5 min.
	HeaderTimeout time.Duration
	// Retry is the first wait before resuming a broken stream, if the server names none; it doubles up
	// to 30 s. Default 1 s.
	Retry time.Duration
	// Logger gets faults of the server, never values. Nil discards them.
	Logger *slog.Logger
	// Told reports whether the program itself tells why a request of a method got no answer: the logger does not hear of it. Nil: of none.
	Told func(method string) bool
}

// maxMessage is the default limit of a message: results may hold images.
const maxMessage = 64 << 20

func (c ClientConfig) withDefaults() ClientConfig {
	if c.Transport == nil {
		c.Transport = NewTransport()
	}
	if c.Limits.Bytes <= 0 {
		c.Limits.Bytes = maxMessage
	}
	c.HeaderTimeout = cmp.Or(max(c.HeaderTimeout, 0), 5*time.Minute)
	c.Retry = cmp.Or(max(c.Retry, 0), time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Bounds of a Client.
const (
	maxOpen       = 1024             // requests that are not answered yet
	noteTimeout   = 30 * time.Second // for messages without an answer, and for opening a stream
	listenWait    = time.Second      // for the stream of the server's own messages, which holds up other messages
	deleteTimeout = 2 * time.Second
	lastWords     = time.Second // for answers that nobody may read
)

// A Client is a session with an MCP server over Streamable HTTP. It looks like a process that speaks
// MCP over stdio: a line written to [Client.Stdin] is a message to the server, a line of
// [Client.Stdout] one from it. Every request gets an answer, if only an error, unless it was cancelled
// or the Client is stopped.
//
// Messages go out concurrently, except that initialize, with its answer, and notifications keep their
// places.
type Client struct {
	cfg    ClientConfig
	limits call.Limits
	log    *slog.Logger
	http   *http.Client
	url    string

	stdin   stdin
	mirrors mirrorBook
	outMu   sync.Mutex // for a line at a time
	out     *io.PipeWriter
	stdout  *io.PipeReader
	running sync.WaitGroup
	ctx     context.Context // of everything that runs
	end     context.CancelFunc
	stop    sync.Once
	done    chan struct{}

	mu       sync.Mutex
	notes    int                // messages under way without an answer
	closed   bool               // no further messages
	before   chan struct{}      // closed when the next message may go
	open     map[string]*post   // requests that are not answered yet, by id key
	session  session            // since 2025-03-26, before 2026-07-28
	hello    []byte             // the client's initialize
	stateful bool               // the session has state that a new one would lose
	deaf     context.CancelFunc // stops the stream of the server's own messages
	renewing sync.Mutex         // held while a session is replaced
	privates int                // counts requests of the Client's own
}

// A session is the outcome of initialize.
type session struct {
	id      string // "" if the server keeps none
	version string // "" before initialize is answered
}

// NewClient makes a client. It does not connect before the first message. An error is a fault of the
// configuration.
func NewClient(cfg ClientConfig) (*Client, error) {
	u, err := url.Parse(cfg.URL)
	switch {
	case err != nil:
		return nil, errors.New("the server's URL cannot be read")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, errors.New("the server's URL must start with http:// or https:// and name a host")
	case u.User != nil:
		return nil, errors.New("the server's URL has credentials in it: configure them apart")
	}
	cfg = cfg.withDefaults()
	c := &Client{
		cfg: cfg, limits: cfg.Limits, log: cfg.Logger, url: cfg.URL,
		http:   &http.Client{Transport: cfg.Transport, CheckRedirect: sameOrigin},
		before: make(chan struct{}), done: make(chan struct{}),
		open: map[string]*post{}, mirrors: mirrorBook{limits: cfg.Limits, log: cfg.Logger},
	}
	close(c.before)
	c.stdin.c, c.stdin.limit, c.stdin.take = c, c.limits.Bytes, c.take
	c.stdout, c.out = io.Pipe()
	c.ctx, c.end = context.WithCancel(context.Background())
	return c, nil
}

// Remote reports true: the server may go on with calls after the client has ended.
func (c *Client) Remote() bool { return true }

// Stdin takes messages, a line each. Close it after the last.
func (c *Client) Stdin() io.WriteCloser { return &c.stdin }

// Stdout has the server's messages, a line each. The caller reads it, or closes it.
func (c *Client) Stdout() io.ReadCloser { return c.stdout }

// Done returns a channel that is closed when the Client has been stopped.
func (c *Client) Done() <-chan struct{} { return c.done }

// Stop accepts no further messages, waits for answers until ctx is done or 2 s are over, and ends the
// session with the server. Requests without an answer by then get none: Stdout ends. A Client cannot see
// how the server ended: the error is nil.
func (c *Client) Stop(ctx context.Context) error {
	_ = c.stdin.Close()
	c.drain(ctx, process.DefaultGrace)
	c.stop.Do(func() {
		c.end()
		// A Transport that ignores the context of a request must not hold up the end.
		within(deleteTimeout+lastWords, func() { c.bye(ctx) })
		within(lastWords, c.running.Wait)
		_ = c.out.Close() // releases blocked writers
		within(lastWords, c.running.Wait)
		c.http.CloseIdleConnections()
		close(c.done)
	})
	<-c.done
	return nil
}

// within runs f, and waits for its end at most so long.
func within(limit time.Duration, f func()) {
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	select {
	case <-ended:
	case <-time.After(limit):
	}
}

// drain waits a bounded time until all requests are answered and all other messages are sent.
func (c *Client) drain(ctx context.Context, limit time.Duration) {
	deadline := time.After(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		c.mu.Lock()
		left := len(c.open) + c.notes
		c.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			return
		case <-ctx.Done():
			return
		}
	}
}

// bye ends the session at the server.
func (c *Client) bye(ctx context.Context) {
	s := c.current()
	if s.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTimeout)
	defer cancel()
	if resp, err := c.send(ctx, http.MethodDelete, nil, s.headers(), deleteTimeout); err == nil {
		resp.Body.Close() // 405: the server does not support it
	}
}

func (c *Client) current() session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// write passes a line to the reader of Stdout.
func (c *Client) write(line []byte) {
	c.outMu.Lock()
	defer c.outMu.Unlock()
	const large = 1 << 20 // not worth a copy
	end := []byte("\n")
	if len(line) < large {
		line, end = append(bytes.Clone(line), '\n'), nil
	}
	// An error means that nobody reads any more.
	if _, err := c.out.Write(line); err == nil && end != nil {
		_, _ = c.out.Write(end)
	}
}

func (c *Client) answerError(id json.RawMessage, code int, err error) {
	c.write(mcphttp.FailureLine(id, code, err))
}

// run runs f in a goroutine, unless the Client has been stopped.
func (c *Client) run(f func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return io.ErrClosedPipe
	}
	c.running.Go(f)
	return nil
}

// stdin receives the client's messages.
type stdin struct {
	cutter
	c *Client
}

func (s *stdin) Close() error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.c.closed = true
	return nil
}
