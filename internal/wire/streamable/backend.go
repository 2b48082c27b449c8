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
)

// A backend joins one session of a Front to the function that serves it.
type backend struct {
	f     *Front
	ctx   context.Context
	end   context.CancelFunc
	queue chan []byte // lines to the session
	out   cutter      // lines from it

	mu   sync.Mutex
	busy int // requests under way
	idle *time.Timer
}

// maxQueue bounds the lines that wait for a session.
const maxQueue = 64

func newBackend(f *Front, fromServer func(line []byte)) *backend {
	b := &backend{f: f, queue: make(chan []byte, maxQueue)}
	b.ctx, b.end = context.WithCancel(f.ctx)
	b.out.take = func(line []byte) error { fromServer(line); return nil }
	b.idle = time.AfterFunc(f.cfg.Idle, b.end)
	return b
}

// serve runs the session until it ends, and then calls gone.
func (b *backend) serve(caller call.Session, gone func()) {
	defer b.f.ended.Done()
	defer b.f.places.Leave(caller.Principal())
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
	if b.busy--; b.busy == 0 {
		b.idle.Reset(b.f.cfg.Idle)
	}
}
