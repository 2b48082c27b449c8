// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
)

// A flight is one of the proxy's own listings, shared by all calls that wait for the tools.
// They share a failure too: if the server does not list its tools, the calls wait for one
// time-out together rather than one each.
type flight struct {
	epoch int
	done  chan struct{} // closed when tools and err are set
	tools *call.Catalog
	err   error
	ended time.Time
}

// failureLasts is the time before a failed listing is tried again.
const failureLasts = time.Second

// joinable reports whether a call may share f to get the tools of an epoch.
func (f *flight) joinable(epoch int) bool {
	if f == nil || f.epoch != epoch {
		return false
	}
	select {
	case <-f.done:
		return f.err != nil && time.Since(f.ended) < failureLasts
	default:
		return true
	}
}

// join returns the listing under way, or begins one with start.
func (c *catalog) join(start func(*flight)) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.flight.joinable(c.epoch) {
		c.flight = &flight{epoch: c.epoch, done: make(chan struct{})}
		go start(c.flight)
	}
	return c.flight
}

// list asks the server for its tools, on behalf of all calls waiting for them.
func (x *Exchange) list(ctx context.Context) (*call.Catalog, error) {
	f := x.server.catalog.join(func(f *flight) {
		ctx, cancel := context.WithTimeout(x.ctx, x.server.cfg.ServerTimeout)
		defer cancel()
		f.tools, f.err = x.listPages(ctx, f.epoch)
		f.ended = time.Now()
		close(f.done)
	})
	select {
	case <-f.done:
		return f.tools, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
