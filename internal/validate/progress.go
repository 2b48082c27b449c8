// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/protocol"
)

// Bounds of the progress messages for one request: a burst, and then one in each interval. Messages
// between are left out, except the last.
const (
	progressBurst    = 40
	progressInterval = 100 * time.Millisecond
)

// A teller sends progress to a client: in order, not too often, and not after stop.
type teller struct {
	send func(protocol.Progress)

	mu      sync.Mutex
	stopped bool
	items   int // of a batch that have finished
	spare   int
	last    time.Time
}

// newTeller makes a teller. Without send it does nothing.
func newTeller(send func(protocol.Progress)) *teller {
	return &teller{send: send, stopped: send == nil, spare: progressBurst}
}

// stop stops the teller. When it returns, no message is under way.
func (t *teller) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
}

// checks reports that a check of the request has finished.
func (t *teller) checks(p engine.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell(p.Done, p.Total, p.Check)
}

// item reports that a call of a batch has been judged.
func (t *teller) item(index, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.items++
	t.tell(t.items, total, fmt.Sprintf("calls/%d", index))
}

func (t *teller) tell(done, total int, message string) {
	if t.stopped {
		return
	}
	now := time.Now()
	if t.spare == 0 && (done == total || now.Sub(t.last) >= progressInterval) {
		t.spare = 1
	}
	if t.spare > 0 {
		t.spare--
		t.last = now
		t.send(protocol.Progress{Progress: done, Total: total, Message: message})
	}
}
