// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"time"
)

// TasksExtension is the key of the tasks extension in capabilities.extensions (SEP-2663).
const TasksExtension = "io.modelcontextprotocol/tasks"

// DeclaresTasks reports whether a request with this _meta, which says it speaks 2026-07-28 or
// later, may be answered with a task.
func DeclaresTasks(meta map[string]any) bool {
	capabilities, _ := meta["io.modelcontextprotocol/clientCapabilities"].(map[string]any)
	extensions, _ := capabilities["extensions"].(map[string]any)
	_, declared := extensions[TasksExtension].(map[string]any)
	return declared
}

// A TaskStatus is how far a task is.
type TaskStatus string

// The statuses of a validation, which needs no input and ends with a result.
const (
	TaskWorking   TaskStatus = "working"
	TaskCompleted TaskStatus = "completed"
	TaskCancelled TaskStatus = "cancelled"
)

// A Task is a validation that outlasts its request, as the tasks extension has it.
type Task struct {
	ID            string
	Status        TaskStatus
	Created       time.Time
	Updated       time.Time
	TTL, Interval time.Duration   // its life from Created, and how often to ask
	Result        json.RawMessage // a CallToolResult; nil unless it is completed
}

// Answer returns the result that describes the task. With created it answers the original
// request, otherwise tasks/get.
func (t *Task) Answer(created bool) json.RawMessage {
	kind := "complete"
	if created {
		kind = "task"
	}
	return marshal(struct {
		ResultType string          `json:"resultType"`
		ID         string          `json:"taskId"`
		Status     TaskStatus      `json:"status"`
		Created    string          `json:"createdAt"`
		Updated    string          `json:"lastUpdatedAt"`
		TTLMS      int64           `json:"ttlMs"`
		IntervalMS int64           `json:"pollIntervalMs"`
		Result     json.RawMessage `json:"result,omitempty"`
	}{kind, t.ID, t.Status, stamp(t.Created), stamp(t.Updated), t.TTL.Milliseconds(), t.Interval.Milliseconds(), t.Result})
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
