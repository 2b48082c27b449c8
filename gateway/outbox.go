// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bufio"
	"context"
	"io"
	"sync"
)

// Bounds of what a client has not taken yet. Beyond them answers wait and notifications are
// dropped.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 64 << 20
)

// An outbox holds messages to a client, so that one who reads slowly holds up nobody else.
type outbox struct {
	mu     sync.Mutex
	lines  [][]byte
	size   int
	closed bool
	more   chan struct{} // has room for one: there are lines, or the end
	room   chan struct{} // closed when lines are taken, and made anew
}

func newOutbox() *outbox {
	return &outbox{more: make(chan struct{}, 1), room: make(chan struct{})}
}

// put adds a line. If there is no room it waits for some until ctx is done.
func (o *outbox) put(ctx context.Context, line []byte) bool {
	for {
		added, room := o.add(line)
		if added || room == nil {
			return added
		}
		select {
		case <-room:
		case <-ctx.Done():
			return false
		}
	}
}

// offer adds a line if there is room for it.
func (o *outbox) offer(line []byte) {
	o.add(line)
}

// add adds a line, or returns what is closed when there may be room; nil: there never will.
func (o *outbox) add(line []byte) (added bool, room <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return false, nil
	case len(o.lines) >= maxWaiting, o.size > 0 && o.size+len(line) > maxWaitingBytes:
		return false, o.room
	}
	o.lines, o.size = append(o.lines, line), o.size+len(line)
	o.wake()
	return true, nil
}

func (o *outbox) wake() {
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// close lets run end when all lines are written.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.wake()
}

// run writes the lines until close, or until the client takes no more.
func (o *outbox) run(out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	for range o.more {
		o.mu.Lock()
		lines, closed := o.lines, o.closed
		o.lines, o.size = nil, 0
		close(o.room)
		o.room = make(chan struct{})
		o.mu.Unlock()
		for _, line := range lines {
			_, _ = w.Write(line) // Flush has the error
			_ = w.WriteByte('\n')
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if closed {
			return nil
		}
	}
	return nil
}
