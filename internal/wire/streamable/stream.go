// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/sse"
)

// Bounds of resuming a stream.
const (
	maxTries = 5 // in a row, for the stream of a request
	minWait  = 10 * time.Millisecond
	maxWait  = 30 * time.Second
	// linger is the time for a stream to end after its answer, so that its connection can be used
	// again.
	linger = time.Second
	// framing bounds the rest of an event beside its message.
	framing = 4 << 10
)

// A feed is one stream of events, over one or more connections.
type feed struct {
	c      *Client
	s      session
	lastID string        // the event to resume after; "" if resuming is not possible
	retry  time.Duration // the wait that the server asks for; 0 for none
}

// read delivers the messages of one connection until it ends. It calls after for each.
func (f *feed) read(body io.Reader, after func()) error {
	// At worst, each byte of a message is a line of data, but no peer does that.
	loan := f.c.lend()
	defer loan.Return()
	events := f.c.events(body, 2*f.c.limits.Bytes+framing, loan)
	for {
		loan.Return()
		e, err := events.Next()
		if err != nil {
			return err
		}
		if e.HasID {
			f.lastID = e.ID
		}
		if e.HasRetry {
			f.retry = e.Retry
		}
		if len(e.Data) == 0 || e.Type != "" && e.Type != "message" {
			continue
		}
		if len(e.Data) > f.c.limits.Bytes {
			return sse.ErrTooLarge
		}
		f.c.deliver(e.Data)
		after()
	}
}

// connect resumes the stream, or starts it.
func (f *feed) connect(ctx context.Context) (*http.Response, error) {
	h := f.s.headers()
	h.Set("Accept", eventStream)
	if f.lastID != "" {
		h.Set(lastHeader, f.lastID)
	}
	return f.c.send(ctx, http.MethodGet, nil, h, f.c.cfg.HeaderTimeout)
}

// pause waits before the next connection; tries counts those that failed in a row.
func (f *feed) pause(ctx context.Context, tries int) {
	wait := f.retry
	if wait == 0 {
		wait = f.c.cfg.Retry << min(tries, 10)
	}
	timer := time.NewTimer(min(max(wait, minWait), maxWait))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// follow delivers the messages on the stream of a request, up to its answer. When a connection breaks,
// or the server ends it to be asked again, follow opens another (2025-03-26 to 2025-11-25).
func (c *Client) follow(p *post, s session, resp *http.Response) error {
	f := &feed{c: c, s: s}
	var ending *time.Timer
	defer func() {
		if ending != nil {
			ending.Stop()
		}
	}()
	for {
		err := f.read(resp.Body, func() {
			if ending == nil && !c.waits(p) {
				ending = time.AfterFunc(linger, p.cancel)
			}
		})
		resp.Body.Close()
		switch {
		case !c.waits(p):
			return nil
		case errors.Is(err, sse.ErrTooLarge):
			return errors.New("a message of the server is larger than the limit: ask for less at once")
		case errors.Is(err, budget.ErrFull):
			return fmt.Errorf("a message of the server is dropped: %w", err)
		case p.modern || f.lastID == "":
			return errors.New("the server's stream broke off before the answer: it may have run the request")
		}
		if resp, err = c.resume(p.ctx, f); err != nil {
			return err
		}
	}
}

// waits reports whether p is still open.
func (c *Client) waits(p *post) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[jsonrpc.IDKey(p.ID)] == p
}

// resume resumes the stream of a request.
func (c *Client) resume(ctx context.Context, f *feed) (*http.Response, error) {
	var err error
	for tries := 0; tries < maxTries && ctx.Err() == nil; tries++ {
		f.pause(ctx, tries)
		var resp *http.Response
		if resp, err = f.connect(ctx); err != nil {
			continue
		}
		if isStream(resp) {
			return resp, nil
		}
		resp.Body.Close()
		if err = c.statusError(resp); resp.StatusCode < 500 {
			break
		}
	}
	return nil, fmt.Errorf("the server's stream broke off before the answer, and could not be resumed: %w", err)
}

func isStream(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && mcphttp.ContentType(resp.Header) == eventStream
}

// listen opens the stream of unsolicited messages for the present session, and waits a moment for it,
// because a server drops earlier messages.
func (c *Client) listen() {
	ctx, cancel := context.WithCancel(c.ctx)
	c.mu.Lock()
	before := c.deaf
	s := c.session
	c.deaf = cancel
	c.mu.Unlock()
	if before != nil {
		before()
	}
	opened := make(chan struct{})
	// Not run: its callers are running already, even after the last message.
	c.running.Go(func() {
		defer cancel()
		c.hear(ctx, &feed{c: c, s: s}, sync.OnceFunc(func() { close(opened) }))
	})
	timer := time.NewTimer(listenWait)
	defer timer.Stop()
	select {
	case <-opened:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// hear delivers unsolicited messages until ctx is done. It returns at once if the server does not offer
// them.
func (c *Client) hear(ctx context.Context, f *feed, opened func()) {
	for tries := 0; ctx.Err() == nil; tries++ {
		resp, err := f.connect(ctx)
		opened()
		switch {
		case err != nil:
		case isStream(resp):
			tries = 0
			err = f.read(resp.Body, func() {})
			resp.Body.Close()
			if errors.Is(err, sse.ErrTooLarge) {
				c.log.Warn("the server sent a message that is larger than the limit")
			}
		default:
			resp.Body.Close()
			if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
				return // 405: the server does not offer it; 404: the next request finds the session gone
			}
		}
		f.pause(ctx, tries)
	}
}
