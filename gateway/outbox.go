// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bufio"
	"context"
	"io"
	"sync"
)

// Bounds of the messages waiting for a client. Beyond them answers wait and notifications are
// dropped.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 64 << 20
)

// An outbox queues messages to a client. A client that reads slowly holds up nobody else.
type outbox struct {
	mu     sync.Mutex
	lines  [][]byte
	size   int
	closed bool
	more   chan struct{} // buffered, one signal: lines were added, or the outbox was closed
	room   chan struct{} // closed and replaced when lines are taken
}

func newOutbox() *outbox {
	return &outbox{more: make(chan struct{}, 1), room: make(chan struct{})}
}

// put adds a line. It waits for room until ctx is done.
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

// add adds a line. If there is no room, it returns a channel that is closed once there may
// be; a nil channel means that the outbox is closed.
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

// close makes run return after it has written all lines.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.wake()
}

// run writes lines until close, or until a write fails.
func (o *outbox) run(out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	for range o.more {
		o.mu.Lock()
		lines, closed := o.lines, o.closed
		o.lines, o.size = nil, 0
		close(o.room)
		o.room = make(chan struct{})
		o.mu.Unlock()
		for i, line := range lines {
			_, _ = w.Write(line) // Flush returns the error
			_ = w.WriteByte('\n')
			lines[i] = nil // a client that reads slowly does not hold what it has read
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
