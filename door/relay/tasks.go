// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// task answers a request about a task of the proxy's own: a validation that has outlasted its
// request.
func (p *Exchange) task(m call.Envelope) {
	var meta map[string]any
	if fields, err := call.DecodeArguments(m.Params, p.limits); err == nil {
		meta, _ = fields["_meta"].(map[string]any)
	}
	result, e := p.validator.Task(m.Method, m.Params, p.caller.session(meta))
	answer := response{ID: bytes.Clone(m.ID), Result: result}
	if e != nil {
		answer.Error = &responseError{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	p.answer(answer)
}

// notify sends the client a notification of the proxy's own, unless ctx is done.
func (p *Exchange) notify(ctx context.Context, method string, params any) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err == nil && ctx.Err() == nil {
		p.link.Notify(line)
	}
}

// Bounds of the tasks of a server whose calls are remembered.
const (
	maxTasks = 10_000
	taskLife = 24 * time.Hour // since it was asked for
)

// taskCalls are the calls that have become tasks of the server: what a task comes to is the
// result of a tool, and held to what the policy and the tool's definition say of it. Of a task
// that is not remembered the server's options hold.
type taskCalls struct {
	mu   sync.Mutex
	byID map[[sha256.Size]byte]taskCall
}

type taskCall struct {
	call  *call.Call
	asked time.Time
}

// learn remembers a call if its result says that it has become a task: in "task" (2025-11-25),
// or in the result itself (SEP-2663).
func (t *taskCalls) learn(c *call.Call, result []byte, limits call.Limits) {
	if !bytes.Contains(result, []byte("task")) && !bytes.Contains(result, []byte(`\u`)) {
		return // as nearly all
	}
	id := textOf(splice.Get(result, limits, "task", "taskId"))
	if id == "" && textOf(splice.Get(result, limits, "resultType")) == "task" {
		id = textOf(splice.Get(result, limits, "taskId"))
	}
	if id == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[[sha256.Size]byte]taskCall{}
	}
	if len(t.byID) >= maxTasks {
		t.makeRoom()
	}
	t.byID[sha256.Sum256([]byte(id))] = taskCall{c, time.Now()}
}

// makeRoom forgets what has expired, or else what was asked for least lately.
func (t *taskCalls) makeRoom() {
	var oldest [sha256.Size]byte
	at := time.Now()
	for id, task := range t.byID {
		switch {
		case time.Since(task.asked) > taskLife:
			delete(t.byID, id)
		case task.asked.Before(at):
			oldest, at = id, task.asked
		}
	}
	if len(t.byID) >= maxTasks {
		delete(t.byID, oldest)
	}
}

// of returns the call that has become a task, or nil.
func (t *taskCalls) of(id string) *call.Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := sha256.Sum256([]byte(id))
	task, ok := t.byID[key]
	if !ok || time.Since(task.asked) > taskLife {
		return nil
	}
	task.asked = time.Now()
	t.byID[key] = task
	return task.call
}
