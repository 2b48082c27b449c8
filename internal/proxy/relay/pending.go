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

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// maxPending bounds the requests of a client that are open, or cancelled and not answered.
const maxPending = 10_000

// A Request is an open request: the client waits for its answer.
type Request struct {
	id      json.RawMessage // as the client spelt it
	key     string          // of id; "" before pendingTable.add
	method  string
	passage *door.Passage      // of an admitted request; else nil
	waiting *call.Call         // a tools/call during the wait for the server's list of tools; else nil
	cursor  string             // of a tools/list
	epoch   int                // of the catalog when a tools/list was forwarded
	cancel  context.CancelFunc // stops judging; nil once the server has the request
	sent    bool               // the server has the request, or is about to get it
}

// A pendingTable holds the client's open requests, by id.
type pendingTable struct {
	mu   sync.Mutex
	byID map[string]*Request
	late map[string]*Request // cancelled requests that the server may still work on
}

// Reasons why add refuses a request.
const (
	idInUse        = `"id" belongs to a request that is not answered yet: use each id once`
	tooManyPending = "too many requests wait for an answer: wait for some of them"
)

// add enters a request and returns "", or returns the reason for refusing it.
func (t *pendingTable) add(r *Request) string {
	key := jsonrpc.IDKey(r.id)
	t.mu.Lock()
	defer t.mu.Unlock()
	r.key = key
	if t.byID[key] != nil || t.late[key] != nil { // the answer could be that to the cancelled request
		return idInUse
	}
	if len(t.byID)+len(t.late) >= maxPending {
		return tooManyPending
	}
	if t.byID == nil {
		t.byID = map[string]*Request{}
	}
	t.byID[key] = r
	return ""
}

// take removes and returns the request that the server answers with the id of a key. It returns nil for a
// request that the server does not have: a server that guesses its id must not answer in place of toolvet, nor
// before the request is judged.
func (t *pendingTable) take(key string) *Request {
	t.mu.Lock()
	r := t.byID[key]
	if r == nil || !r.sent {
		t.mu.Unlock()
		return nil
	}
	delete(t.byID, key)
	t.mu.Unlock()
	r.passage.Close()
	return r
}

// remove removes r. It returns false if r is gone already: cancelled, or answered by another
// goroutine. The remover of a request answers it, so each gets one answer.
func (t *pendingTable) remove(r *Request) bool {
	t.mu.Lock()
	here := t.byID[r.key] == r
	if here {
		delete(t.byID, r.key)
	}
	t.mu.Unlock()
	if here {
		r.passage.Close()
	}
	return here
}

// has reports whether r is still open.
func (t *pendingTable) has(r *Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[r.key] == r
}

// listed notes that r no longer waits for the list of tools. It returns false if r is gone;
// then its remover has recorded the call.
func (t *pendingTable) listed(r *Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	here := t.byID[r.key] == r
	if here {
		r.waiting = nil
	}
	return here
}

// forward marks r as waiting for the server's answer. It returns false if r is gone.
func (t *pendingTable) forward(r *Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[r.key] != r {
		return false
	}
	r.cancel, r.sent = nil, true
	r.passage.Sending()
	return true
}

// admitted remembers the passage of r before r is sent. It returns false if r is gone; then r
// must not be sent.
func (t *pendingTable) admitted(r *Request, p *door.Passage) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	here := t.byID[r.key] == r
	if here {
		r.passage = p
	}
	return here
}

// cancelled removes and returns the request that the client cancels, or returns nil. It reports
// whether the server has the request and needs the cancellation.
func (t *pendingTable) cancelled(id json.RawMessage) (r *Request, tell bool) {
	key := jsonrpc.IDKey(id)
	t.mu.Lock()
	r = t.byID[key]
	delete(t.byID, key)
	tell = r != nil && r.cancel == nil
	if tell {
		t.await(key, r)
	}
	t.mu.Unlock()
	switch {
	case tell:
		r.passage.Abandon()
	case r != nil:
		r.cancel()
		r.passage.Close()
	}
	return r, tell
}

// await remembers a request that the server has and nobody waits for. T must be locked.
func (t *pendingTable) await(key string, r *Request) {
	if t.late == nil {
		t.late = map[string]*Request{}
	}
	t.late[key] = r
	time.AfterFunc(door.HoldTime, func() { t.forgetLate(key, r) })
}

func (t *pendingTable) forgetLate(key string, r *Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.late[key] == r {
		delete(t.late, key)
	}
}

// answeredLate reports whether an answer belongs to a request that nobody waits for any more. A call
// among them no longer counts as running then.
func (t *pendingTable) answeredLate(id json.RawMessage) bool {
	key := jsonrpc.IDKey(id)
	t.mu.Lock()
	r := t.late[key]
	delete(t.late, key)
	t.mu.Unlock()
	if r == nil {
		return false
	}
	r.passage.Over()
	return true
}

// ended notes that the server is gone, and with it everything that it still worked on.
func (t *pendingTable) ended() {
	t.mu.Lock()
	late := t.late
	t.late = nil
	t.mu.Unlock()
	for _, r := range late {
		r.passage.Over()
	}
}

// forget removes r, as if the client had cancelled it. It returns false if r is gone already, or
// still waits for the list of tools and so was never forwarded.
func (t *pendingTable) forget(r *Request) bool {
	t.mu.Lock()
	here := t.byID[r.key] == r && r.waiting == nil
	if here {
		delete(t.byID, r.key)
		t.await(r.key, r)
	}
	t.mu.Unlock()
	if here {
		r.passage.Abandon()
	}
	return here
}

// all returns the open requests.
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
