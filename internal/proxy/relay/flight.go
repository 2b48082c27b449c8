// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
)

// A flight is one listing of the proxy's own, which all calls that wait for it share:
// its result, and its failure too, so that a server that does not list its tools costs
// them one time-out and not one each.
type flight struct {
	epoch int
	done  chan struct{} // closed when tools and err are set
	tools *call.Catalog
	err   error
	ended time.Time
}

// failureLasts is how long a failed listing stands for the next.
const failureLasts = time.Second

// joinable reports whether a call that needs the tools of an epoch may share f.
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

// join returns the listing that is under way, or has start begin one.
func (c *catalog) join(start func(*flight)) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.flight.joinable(c.epoch) {
		c.flight = &flight{epoch: c.epoch, done: make(chan struct{})}
		go start(c.flight)
	}
	return c.flight
}

// list asks the server for its tools, together with all calls that do so now.
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
