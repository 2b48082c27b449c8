// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
)

// maxPending bounds the requests of the client that are not answered yet.
const maxPending = 10_000

// A Request is one request of the client that is not answered yet.
type Request struct {
	id     json.RawMessage // as the client spelt it
	method string
	call   *call.Call         // of a tools/call
	task   *call.Call         // of a request for a task: the call that has become it; nil if not known
	event  *toolvet.Event     // of a tools/call that was forwarded
	cursor string             // of a tools/list
	epoch  int                // of the catalog when a tools/list was forwarded
	ticket toolvet.Ticket     // of a tools/call that was admitted
	cancel context.CancelFunc // stops judging; nil once the server has the request

	mu      sync.Mutex
	sent    bool // the server has it, or may have it
	sending bool // whether it does is not known yet
	over    bool // it ended meanwhile, and is still to be settled
}

// A pendingTable holds the client's requests that are not answered yet, by id.
type pendingTable struct {
	mu   sync.Mutex
	byID map[string]*Request
}

// Reasons why add refuses a request.
const (
	idInUse        = `"id" belongs to a request that is not answered yet: use each id once`
	tooManyPending = "too many requests wait for an answer: wait for some of them"
)

// add enters a request and returns "", or why it cannot.
func (t *pendingTable) add(r *Request) string {
	key := call.IDKey(r.id)
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.byID[key]; ok {
		return idInUse
	}
	if len(t.byID) >= maxPending {
		return tooManyPending
	}
	if t.byID == nil {
		t.byID = map[string]*Request{}
	}
	t.byID[key] = r
	return ""
}

// take removes and returns the request with an id, or returns nil.
func (t *pendingTable) take(id json.RawMessage) *Request {
	key := call.IDKey(id)
	t.mu.Lock()
	r := t.byID[key]
	delete(t.byID, key)
	t.mu.Unlock()
	r.ended()
	return r
}

// ended settles what counts r, which has been removed from the table: at once, or as soon as it is
// known whether the server has it. A nil r is none. It is called without the table's lock: to
// count may mean to ask Redis.
func (r *Request) ended() {
	if r == nil || r.ticket == nil {
		return
	}
	r.mu.Lock()
	r.over = r.sending
	wait, sent := r.sending, r.sent
	r.mu.Unlock()
	switch {
	case wait:
	case sent:
		r.ticket.Release()
	default:
		r.ticket.Rollback()
	}
}

// delivered says that no more is to be known of whether the server has r.
func (r *Request) delivered() {
	r.mu.Lock()
	r.sending = false
	over := r.over
	r.mu.Unlock()
	if over {
		r.ended()
	}
}

// unsent says that the server did not take r after all.
func (r *Request) unsent() {
	r.mu.Lock()
	r.sent = false
	r.mu.Unlock()
}

// remove removes r. It returns false if r is gone already: cancelled, or answered by
// somebody else. Whoever removes a request answers it, so each is answered once.
func (t *pendingTable) remove(r *Request) bool {
	key := call.IDKey(r.id)
	t.mu.Lock()
	here := t.byID[key] == r
	if here {
		delete(t.byID, key)
	}
	t.mu.Unlock()
	if here {
		r.ended()
	}
	return here
}

// has reports whether r is not gone.
func (t *pendingTable) has(r *Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[call.IDKey(r.id)] == r
}

// forward marks r as the server's to answer. It returns false if r is gone.
func (t *pendingTable) forward(r *Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[call.IDKey(r.id)] != r {
		return false
	}
	r.cancel = nil
	r.mu.Lock()
	r.sent, r.sending = true, true
	r.mu.Unlock()
	return true
}

// counted remembers the event and the ticket of r, which is still to be sent. If r is gone,
// nobody will, and it returns false.
func (t *pendingTable) counted(r *Request, e *toolvet.Event, ticket toolvet.Ticket) bool {
	t.mu.Lock()
	here := t.byID[call.IDKey(r.id)] == r
	if here {
		r.event, r.ticket = e, ticket
	}
	t.mu.Unlock()
	if !here {
		ticket.Rollback()
	}
	return here
}

// afterCancel is how long a call counts as running after it was cancelled.
const afterCancel = 10 * time.Second

// cancelled removes the request that the client cancels, and returns it, or nil. It reports
// whether the server has the request, and so must be told.
func (t *pendingTable) cancelled(id json.RawMessage) (r *Request, tell bool) {
	key := call.IDKey(id)
	t.mu.Lock()
	r = t.byID[key]
	delete(t.byID, key)
	t.mu.Unlock()
	switch {
	case r == nil:
		return nil, false
	case r.cancel != nil:
		r.cancel()
		r.ended()
		return r, false
	}
	r.endsSoon()
	return r, true
}

// endsSoon counts a cancelled call as running for a while: the server need not say when it
// has ended.
func (r *Request) endsSoon() { time.AfterFunc(afterCancel, r.ended) }

// forget removes r, as if it were cancelled, unless it is gone.
func (t *pendingTable) forget(r *Request) {
	key := call.IDKey(r.id)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[key] == r {
		delete(t.byID, key)
		r.endsSoon()
	}
}

// all returns the requests that are not answered yet.
func (t *pendingTable) all() []*Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.byID))
}

func (t *pendingTable) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}
