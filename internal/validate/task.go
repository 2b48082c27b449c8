// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// Bounds of tasks.
const (
	maxTasks     = 256             // running, or with results to be fetched
	maxTaskBytes = 64 << 20        // of waiting results
	taskLife     = 5 * time.Minute // from their creation
	taskInterval = 500 * time.Millisecond
)

// tasks holds validations that outlast their requests. It is safe for concurrent use.
type tasks struct {
	prefix string // of all ids; other ids belong to the server

	mu     sync.Mutex
	byID   map[string]*task
	bytes  int
	closed bool
}

// A task is one of them. Its fields are guarded by the mutex of tasks.
type task struct {
	protocol.Task
	owner  binding.Sum // the principal that may ask for it
	cancel context.CancelFunc
}

func newTasks() *tasks {
	return &tasks{prefix: "toolvet-" + rand.Text()[:8] + "-", byID: map[string]*task{}}
}

// ownerOf identifies the owner of a task. Without an identity, only the id protects the task, which
// cannot be guessed.
func ownerOf(s *call.Session) binding.Sum {
	if s == nil {
		return binding.Sum{}
	}
	issuer, _ := s.Claims["iss"].(string)
	return binding.Hash([]byte(s.Subject), []byte(issuer))
}

// run waits for an answer. After patience it returns a task instead, and the work goes on. If ctx is
// done before, it returns nil.
func (ts *tasks) run(ctx context.Context, owner binding.Sum, patience time.Duration, t *teller, work func(context.Context) json.RawMessage) json.RawMessage {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, cancel)
	answer := make(chan json.RawMessage, 1)
	go func() {
		defer cancel()
		answer <- work(own)
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case a := <-answer:
		return a
	case <-ctx.Done():
		return nil
	case <-late.C:
	}
	if created, seed := ts.create(owner, cancel); created != nil {
		detach()
		t.stop() // a task sends no progress
		go func() { ts.finish(created, <-answer) }()
		return seed
	}
	select { // too many tasks: this one waits
	case a := <-answer:
		return a
	case <-ctx.Done():
		return nil
	}
}

// create registers a task and returns its description, or nil if there is no room.
func (ts *tasks) create(owner binding.Sum, cancel context.CancelFunc) (*task, json.RawMessage) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := time.Now()
	for _, t := range ts.byID {
		if now.After(t.Created.Add(t.TTL)) {
			ts.remove(t)
		}
	}
	if ts.closed || len(ts.byID) >= maxTasks || ts.bytes >= maxTaskBytes {
		return nil, nil
	}
	t := &task{owner: owner, cancel: cancel, Task: protocol.Task{
		ID: ts.prefix + rand.Text(), Status: protocol.TaskWorking,
		Created: now, Updated: now, TTL: taskLife, Interval: taskInterval,
	}}
	ts.byID[t.ID] = t
	return t, t.Answer(true)
}

func (ts *tasks) remove(t *task) {
	t.cancel()
	delete(ts.byID, t.ID)
	ts.bytes -= len(t.Result)
}

// finish keeps the answer of a task until it is fetched.
func (ts *tasks) finish(t *task, answer json.RawMessage) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.byID[t.ID] == t && t.Status == protocol.TaskWorking {
		t.Status, t.Result, t.Updated = protocol.TaskCompleted, answer, time.Now()
		ts.bytes += len(answer)
	}
}

// owned returns the task of an owner, or nil.
func (ts *tasks) owned(id string, owner binding.Sum) *task {
	t := ts.byID[id]
	if t == nil || t.owner != owner || time.Now().After(t.Created.Add(t.TTL)) {
		return nil
	}
	return t
}

// close stops all tasks.
func (ts *tasks) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.closed = true
	for _, t := range ts.byID {
		ts.remove(t)
	}
}

// OwnsTask reports whether a request is about a task of the Validator, by its method and params. All
// other requests belong to the server.
func (v *Validator) OwnsTask(method string, params json.RawMessage) bool {
	if method != "tasks/get" && method != "tasks/cancel" && method != "tasks/update" {
		return false
	}
	id, _ := v.taskParams(params)
	return strings.HasPrefix(id, v.tasks.prefix)
}

// maxTaskParams bounds the params of a request about one of our own tasks, in bytes. They are read before
// memory is lent for them, and hold an id and a _meta. Larger ones are the server's, and judged.
const maxTaskParams = 64 << 10

// taskParams reads the id of a task and the _meta of a request.
func (v *Validator) taskParams(params json.RawMessage) (id string, meta map[string]any) {
	if len(params) > maxTaskParams {
		return "", nil
	}
	fields, err := call.DecodeArguments(params, v.cfg.Limits)
	if err != nil {
		return "", nil
	}
	id, _ = fields["taskId"].(string)
	meta, _ = fields["_meta"].(map[string]any)
	return id, meta
}

// A TaskError is a JSON-RPC error in answer to a request about a task.
type TaskError struct {
	Code    int
	Message string
	Data    json.RawMessage // nil for none
}

// codeMissingCapability is the error code for a client without a required capability (MCP 2026-07-28,
// basic, Error Codes).
const codeMissingCapability = -32021

// Task answers a request about a task of the Validator (see [Validator.OwnsTask]): tasks/get,
// tasks/cancel, or tasks/update, which does nothing to a validation. One of the results is nil.
func (v *Validator) Task(method string, params json.RawMessage, session *call.Session) (json.RawMessage, *TaskError) {
	id, meta := v.taskParams(params)
	if !protocol.DeclaresTasks(meta) {
		return nil, &TaskError{codeMissingCapability, "missing required client capability",
			json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + protocol.TasksExtension + `":{}}}}`)}
	}
	ts := v.tasks
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.owned(id, ownerOf(session))
	if t == nil {
		return nil, &TaskError{Code: jsonrpc.InvalidParams, Message: "no task has this id: it may have expired; validate again"}
	}
	switch method {
	case "tasks/get":
		return t.Answer(false), nil
	case "tasks/cancel":
		if t.Status == protocol.TaskWorking {
			t.cancel()
			t.Status, t.Updated = protocol.TaskCancelled, time.Now()
		}
	}
	return json.RawMessage(`{"resultType":"complete"}`), nil
}
