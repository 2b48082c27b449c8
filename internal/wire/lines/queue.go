// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package lines

import "sync"

// Bounds of a [Queue].
const (
	maxQueued      = 1024
	maxQueuedBytes = 1 << 20
)

// A Queue sends lines of toolvet's own to a peer that may read nothing, and holds up nobody. It is safe
// for concurrent use. Send is required.
type Queue struct {
	Send func(line []byte) // may block

	mu      sync.Mutex
	lines   [][]byte
	size    int // of lines, in bytes
	sending bool
}

// Add queues a line. It returns false if 1,024 lines or a mebibyte wait already.
func (q *Queue) Add(line []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) >= maxQueued || q.size+len(line) > maxQueuedBytes {
		return false
	}
	q.lines, q.size = append(q.lines, line), q.size+len(line)
	if !q.sending {
		q.sending = true
		go q.run()
	}
	return true
}

func (q *Queue) run() {
	for {
		q.mu.Lock()
		if len(q.lines) == 0 {
			q.lines, q.sending = nil, false
			q.mu.Unlock()
			return
		}
		line := q.lines[0]
		q.lines[0] = nil
		q.lines, q.size = q.lines[1:], q.size-len(line)
		q.mu.Unlock()
		q.Send(line)
	}
}
