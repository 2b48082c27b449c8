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

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/sse"
)

// Bounds of taking a stream up again.
const (
	maxTries = 5 // in a row, for the stream of a request
	minWait  = 10 * time.Millisecond
	maxWait  = 30 * time.Second
	// linger is how long a stream may go on after its answer, so that its connection can
	// be used again.
	linger = time.Second
	// framing is what an event may hold beside its message.
	framing = 4 << 10
)

// A feed is one stream of events, over as many connections as it takes.
type feed struct {
	c      *Client
	s      session
	lastID string        // where to take it up again; "" if that is not possible
	retry  time.Duration // what the server wants to be waited; 0: it does not say
}

// read hands out the messages of one connection until it ends. After is called after each.
func (f *feed) read(body io.Reader, after func()) error {
	// Each byte of a message can be a line of data, at worst; no peer does that.
	events := sse.NewReader(body, 2*f.c.limits.Bytes+framing)
	for {
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

// connect takes the stream up where it was left, or from the start.
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

// follow hands out what comes on the stream of a request, up to its answer. A connection
// that breaks, or that the server ends to be asked again, is followed by another
// (2025-03-26 to 2025-11-25).
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
		case p.modern || f.lastID == "":
			return errors.New("the server's stream broke off before the answer: it may have run the request")
		}
		if resp, err = c.resume(p.ctx, f); err != nil {
			return err
		}
	}
}

// waits reports whether p is not answered yet.
func (c *Client) waits(p *post) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[call.IDKey(p.ID)] == p
}

// resume takes the stream of a request up again.
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
		if err = statusError(resp); resp.StatusCode < 500 {
			break
		}
	}
	return nil, fmt.Errorf("the server's stream broke off before the answer, and could not be taken up again: %w", err)
}

func isStream(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && mcphttp.ContentType(resp.Header) == eventStream
}

// listen opens the stream of what the server says unasked, for the session of now, and
// waits a moment for it: a server drops what it has to say before.
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
	// Not run: this is called by what runs, also after the last message was taken.
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

// hear hands out what the server says unasked, until ctx is done or the server does not
// offer it.
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
				return // 405: it has nothing to say; 404: the next request finds the session gone
			}
		}
		f.pause(ctx, tries)
	}
}
