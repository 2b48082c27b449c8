// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"syscall"
	"time"

	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/sse"
)

// The headers of sessions and streams (2025-03-26 to 2025-11-25).
const (
	sessionHeader = mcphttp.SessionID
	lastHeader    = mcphttp.LastEventID
)

const (
	jsonType    = mcphttp.JSON
	eventStream = mcphttp.Events
)

// NewTransport makes the default transport of a [Client]: that of net/http with the environment's
// proxies, 10 s to connect, and no compression.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   100,
		IdleConnTimeout:       3 * time.Second, // Node.js and uvicorn close after 5 s, which would lose a call under way
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		// A small text could unpack to a huge one.
		DisableCompression: true,
		// Bounds the headers; messages have a bound of their own.
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// sameOrigin allows redirects only to the same server and with the same method, so that no other server
// gets messages or credentials.
func sameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return errOrigin
	case req.Method != first.Method:
		return errDropping
	case len(via) >= 5:
		return errors.New("the server redirects without end")
	}
	return nil
}

var (
	errOrigin   = errors.New("the server redirects to another origin: if it has moved, correct its URL")
	errDropping = errors.New("the server's redirect drops the message: correct its URL")
	errLate     = errors.New("the server does not answer in time")
)

// send makes one HTTP request, with the line of p as its body, if any. The limit bounds the headers of
// the response. The caller closes its body.
func (c *Client) send(ctx context.Context, method string, p *post, headers http.Header, limit time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(errLate) })
	defer timer.Stop()
	var body io.Reader
	if p != nil {
		body = bytes.NewReader(p.line)
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteRequest: func(httptrace.WroteRequestInfo) { time.AfterFunc(arrival, p.sent) },
		})
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url, body)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	req.Header = headers
	resp, err := c.http.Do(req)
	if err != nil {
		defer cancel(nil)
		return nil, sendError(ctx, err)
	}
	if p != nil {
		p.sent()
	}
	resp.Body = &cancelBody{resp.Body, func() { cancel(nil) }}
	return resp, nil
}

// sendError removes the URL from err, because it may hold secrets.
func sendError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	kind := jsonrpc.WrongAddress
	var op *net.OpError
	var name *net.DNSError
	switch {
	case errors.As(err, &op) && op.Op == "dial" && errors.Is(err, syscall.ECONNREFUSED):
		err = fmt.Errorf("%w at %v: start it, or correct its URL", syscall.ECONNREFUSED, op.Addr)
	case errors.As(err, &name) && name.IsNotFound:
		err = fmt.Errorf("%w: correct its URL", name)
	case !errors.Is(err, errOrigin) && !errors.Is(err, errDropping):
		kind = jsonrpc.Unreachable
	}
	return &jsonrpc.Unanswered{Kind: kind, Err: fmt.Errorf("the server cannot be reached: %w", err)}
}

// Closing a cancelBody ends its request.
type cancelBody struct {
	io.ReadCloser
	cancel func()
}

func (b *cancelBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// headers returns the headers of a message.
func (c *Client) headers(p *post, s session) http.Header {
	h := http.Header{}
	switch {
	case p.modern:
		mcpheader.Set(h, p.Envelope, c.mirrors.of(p.Envelope), c.limits)
	case !p.begins():
		h = s.headers()
	}
	h.Set("Content-Type", jsonType)
	h.Set("Accept", jsonType+", "+eventStream)
	return h
}

func (s session) headers() http.Header {
	h := http.Header{}
	if s.id != "" {
		h.Set(sessionHeader, s.id)
	}
	if s.version != "" {
		h.Set(mcpheader.Version, s.version)
	}
	return h
}

// isOver reports whether resp means that the session has ended.
func (s session) isOver(resp *http.Response) bool {
	return s.id != "" && resp.StatusCode == http.StatusNotFound
}

// passRest reads a short rest of a body, so that its connection can be used again.
func (c *Client) passRest(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	resp.Body.Close()
}

// lend opens a loan for what the server sends.
func (c *Client) lend() *budget.Loan { return budget.Held.Open("server " + c.url) }

// events reads the events of an answer. A large event takes memory from loan, for it and its copy.
func (c *Client) events(body io.Reader, limit int, loan *budget.Loan) *sse.Reader {
	in := sse.NewReader(body, limit)
	in.Lend = func(n int) error { return loan.Grow(c.ctx, 2*n, budget.Brief) }
	return in
}

// readAll reads a body within the limit of messages. A large one takes memory from loan.
func (c *Client) readAll(resp *http.Response, loan *budget.Loan) ([]byte, error) {
	text, err := mcphttp.ReadWithin(resp, c.limits.Bytes, loan)
	switch {
	case errors.Is(err, mcphttp.ErrTooLarge):
		return nil, errors.New("the server's answer is larger than the limit: ask for less at once")
	case errors.Is(err, budget.ErrFull):
		return nil, fmt.Errorf("the server's answer is dropped: %w", err)
	case err != nil:
		return nil, fmt.Errorf("the server's answer broke off: %w", err)
	}
	return text, nil
}
