// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

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

// mayBeTask reports whether a result may say that its call has become a task. Nearly none does.
func mayBeTask(result []byte) bool {
	return bytes.Contains(result, []byte("task")) || bytes.Contains(result, []byte(`\u`))
}

// learn remembers a call if its result says that it has become a task: in "task" (2025-11-25),
// or in the result itself (SEP-2663).
func (t *taskCalls) learn(c *call.Call, result *splice.Document) {
	id := textOf(result.Get("task", "taskId"))
	if id == "" && textOf(result.Get("resultType")) == "task" {
		id = textOf(result.Get("taskId"))
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
