// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// A backend joins one session of a Front to the function that serves it.
type backend struct {
	f     *Front
	ctx   context.Context
	end   context.CancelFunc
	owner string      // the principal
	left  func()      // gives back the place of the session
	queue chan []byte // lines to the session
	out   cutter      // lines from it

	mu    sync.Mutex
	busy  int // requests under way
	since time.Time
	idle  *time.Timer
}

// idleSince returns the time of the last request, unless requests are under way or the session ends.
func (b *backend) idleSince() (at time.Time, idle bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.since, b.busy == 0 && b.ctx.Err() == nil
}

// maxQueue bounds the lines that wait for a session.
const maxQueue = 64

func newBackend(f *Front, owner string, fromServer func(line []byte)) *backend {
	b := &backend{f: f, owner: owner, queue: make(chan []byte, maxQueue), since: time.Now()}
	b.ctx, b.end = context.WithCancel(f.ctx)
	b.out.take = func(line []byte) error { fromServer(line); return nil }
	b.idle = time.AfterFunc(f.cfg.Idle, b.end)
	return b
}

// serve runs the session until it ends, and then calls gone.
func (b *backend) serve(caller call.Session, gone func()) {
	defer b.left()
	in, stdin := io.Pipe()
	var writing sync.WaitGroup
	writing.Go(func() { b.feed(stdin) })
	err := b.f.cfg.Serve(b.ctx, caller, in, &b.out)
	if err != nil {
		b.f.log.Error("a session failed", "err", err)
	}
	b.end()
	in.Close()
	writing.Wait()
	b.idle.Stop()
	gone()
}

// feed hands the queue to the session.
func (b *backend) feed(stdin *io.PipeWriter) {
	defer stdin.Close()
	for {
		select {
		case line := <-b.queue:
			if _, err := stdin.Write(line); err != nil {
				return
			}
		case <-b.ctx.Done():
			return
		}
	}
}

var errGone = errors.New("the server has ended: send initialize again")

// send puts a line in the queue. It gives up when ctx is done.
func (b *backend) send(ctx context.Context, line []byte) error {
	if b.ctx.Err() != nil {
		return errGone
	}
	own := make([]byte, 0, len(line)+1)
	own = append(append(own, line...), '\n')
	select {
	case b.queue <- own:
		return nil
	case <-b.ctx.Done():
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unread is the largest line, in bytes, that waits for its client without a loan.
const unread = 64 << 10

// held returns a line that can wait for its client: a large one takes a loan, which lasts as long as its
// memory. Where there is none, it returns an error in place of an answer with an id, and nil in place of
// another line.
func (b *backend) held(line, id []byte) []byte {
	if len(line) <= unread {
		return line
	}
	loan, err := budget.Held.Take(b.ctx, b.owner, len(line), budget.Brief)
	switch {
	case err == nil:
		budget.Until(loan, &line[0])
		return line
	case id == nil:
		b.f.log.Warn("dropped a message of the server", "err", err)
		return nil
	}
	b.f.log.Warn("dropped an answer of the server", "err", err)
	return mcphttp.ErrorLine(id, jsonrpc.InternalError, "the call may have run, but its result is dropped: "+err.Error()+". Read the answers that wait for you")
}

// enter and leave keep a session alive while it is used.
func (b *backend) enter() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy++
	b.idle.Stop()
}

func (b *backend) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since = time.Now()
	if b.busy--; b.busy == 0 {
		b.idle.Reset(b.f.cfg.Idle)
	}
}
