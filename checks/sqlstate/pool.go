// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The bounds of a pool.
const (
	maxConnections = 4                // to one database
	idleFor        = 10 * time.Second // until a connection that nobody uses is closed
)

// A pool keeps a few connections to one database. It is safe for concurrent use.
type pool[C any] struct {
	open func(ctx context.Context) (C, error)
	// shut closes a connection, and returns when nothing of it is left.
	shut func(C)

	slots   chan struct{}  // one for each connection that is in use
	closing sync.WaitGroup // of connections that are being shut
	mu      sync.Mutex
	idle    []C // the last used is the last
	timer   *time.Timer
}

func newPool[C any](open func(context.Context) (C, error), shut func(C)) *pool[C] {
	return &pool[C]{open: open, shut: shut, slots: make(chan struct{}, maxConnections)}
}

// A stale error reports a useless connection that nothing has been asked on.
type stale struct{ error }

func (e stale) Unwrap() error { return e.error }

// with lets use work with a connection. It reports whether the connection can be used
// again, and an error if it could not be asked; after a stale error of a connection that
// had been idle it is called once more, with a new one.
func (p *pool[C]) with(ctx context.Context, use func(C) (again bool, err error)) error {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if c, ok := p.take(); ok {
		again, err := use(c)
		if !errors.As(err, new(stale)) || ctx.Err() != nil {
			p.done(c, again && err == nil)
			return err
		}
		p.drop(c)
	}
	c, err := p.open(ctx)
	if err != nil {
		<-p.slots
		return err
	}
	again, err := use(c)
	p.done(c, again && err == nil)
	return err
}

func (p *pool[C]) take() (c C, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return c, false
	}
	c = p.idle[last]
	p.idle = p.idle[:last]
	return c, true
}

// done gives a connection back, or closes it. Its slot is free when it is closed, so
// that there are never more than maxConnections.
func (p *pool[C]) done(c C, again bool) {
	if again {
		p.keep(c)
		<-p.slots
		return
	}
	p.closing.Go(func() {
		p.shut(c)
		<-p.slots
	})
}

// drop closes a connection whose slot is used for another.
func (p *pool[C]) drop(c C) { p.closing.Go(func() { p.shut(c) }) }

func (p *pool[C]) keep(c C) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
	if p.timer == nil {
		p.timer = time.AfterFunc(idleFor, p.sweep)
		return
	}
	p.timer.Reset(idleFor)
}

// sweep closes the connections that nobody uses.
func (p *pool[C]) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	for _, c := range p.idle {
		p.drop(c)
	}
	p.idle = nil
}

// close closes the connections once nobody uses them, and returns when nothing of them
// is left.
func (p *pool[C]) close() {
	for range maxConnections {
		p.slots <- struct{}{}
	}
	p.sweep()
	p.closing.Wait()
	for range maxConnections {
		<-p.slots
	}
}
