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

// Bounds of the memory for tasks of a server.
const (
	maxTasks = 10_000
	taskLife = 24 * time.Hour // since its last use
)

// taskCalls remembers the calls behind a server's tasks. The outcome of a task is a tool's
// result, so the policy and the output schema of that tool apply to it. The outcome of a
// forgotten task gets only the server's options.
type taskCalls struct {
	mu   sync.Mutex
	byID map[[sha256.Size]byte]taskCall
}

type taskCall struct {
	call  *call.Call
	asked time.Time
}

// mayBeTask cheaply rules out results that cannot announce a task, which are nearly all.
func mayBeTask(result []byte) bool {
	return bytes.Contains(result, []byte("task")) || bytes.Contains(result, []byte(`\u`))
}

// learn remembers a call if its result announces a task: in "task" (2025-11-25), or in the
// result itself (SEP-2663).
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

// makeRoom forgets expired tasks, or else the least recently used one.
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

// of returns the call behind a task, or nil.
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
