// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package validate answers calls of the validate tool and of the batch tool, so that every
// door (proxy, middleware, gateway) gives the same answers. It knows no transport: a door
// hands it a [Request] with hooks, and sends what [Validator.Answer] returns.
//
//	request ─ its own limits ─ decode ─ verdict, kept or new ─ limits of the target ─ native ─ answer
//
// docs/protocol.md is the text that it implements: levels by request (section 4.2), batches
// (4.3), kept verdicts (5.5), progress (5.6) and tasks (5.7).
package validate

import (
	"fmt"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/protocol"
)

// Config says what a Validator may do. A field that is zero means its default, and one that
// is negative turns off what it bounds.
type Config struct {
	// MaxBatch is the most calls of one batch. Default 100.
	MaxBatch int
	// BatchTime is what all calls of a batch together may take to be judged. Default 10 s.
	BatchTime time.Duration
	// TTL is how long a verdict is kept that rests on the call and the policy alone. Default
	// 1 min.
	TTL time.Duration
	// RuntimeTTL is how long one is kept that rests on files, networks or databases, too; it
	// is dropped earlier when a file has changed. Default 5 s.
	RuntimeTTL time.Duration
	// TaskAfter is how long a client that knows tasks waits for an answer before it is given
	// a task. Default 1 s.
	TaskAfter time.Duration
	// Limits bound what is read. The defaults are those of package call.
	Limits call.Limits
}

func (c Config) withDefaults() Config {
	setDefault(&c.MaxBatch, 100)
	setDefault(&c.BatchTime, 10*time.Second)
	setDefault(&c.TTL, time.Minute)
	setDefault(&c.RuntimeTTL, 5*time.Second)
	setDefault(&c.TaskAfter, time.Second)
	return c
}

func setDefault[T int | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// A Validator answers for one door. It may be used concurrently.
type Validator struct {
	cfg             Config
	validate, batch *call.Tool // their definitions; batch is nil without batches
	kept            *cache
	tasks           *tasks
}

// New makes a Validator.
func New(cfg Config) (*Validator, error) {
	cfg = cfg.withDefaults()
	v := &Validator{cfg: cfg, kept: newCache(cfg), tasks: newTasks()}
	definitions := v.Definitions(protocol.ToolName)
	for i, into := range []**call.Tool{&v.validate, &v.batch}[:len(definitions)] {
		raw, err := definitions[i].Encode()
		if err != nil {
			return nil, fmt.Errorf("dryrun: %w", err)
		}
		if *into, err = call.DecodeTool(raw, call.Limits{}); err != nil {
			return nil, fmt.Errorf("dryrun: %w", err)
		}
	}
	return v, nil
}

// Definitions are the tools to list under the name of the validate tool: that one, and, where
// there are batches, the batch tool.
func (v *Validator) Definitions(method string) []protocol.Tool {
	list := []protocol.Tool{protocol.NewTool(method)}
	if v.cfg.MaxBatch > 0 {
		list = append(list, protocol.NewBatchTool(method, v.cfg.MaxBatch))
	}
	return list
}

// Answers reports whether the tool called name is the Validator's to answer for, if the
// validate tool is called method.
func (v *Validator) Answers(name, method string) bool { return v.definition(name, method) != nil }

// definition is that of the validate tool or the batch tool, or nil for another name.
func (v *Validator) definition(name, method string) *call.Tool {
	switch name {
	case method:
		return v.validate
	case protocol.BatchName(method):
		return v.batch
	}
	return nil
}

// A Door is what the place can do where a Validator answers.
type Door struct {
	Levels   []check.Level // of the checks that are on
	Progress bool          // it can send notifications for a request
	Tasks    bool          // it can answer with tasks, and serves them
}

// Capability announces the validate tool called method at a door.
func (v *Validator) Capability(method string, d Door) protocol.Capability {
	c := protocol.NewCapability(method, d.Levels)
	c.ContextAware = true
	c.Streaming = d.Progress
	c.Async = d.Tasks && v.cfg.TaskAfter > 0
	if v.cfg.MaxBatch > 0 {
		c.BatchValidation, c.MaxBatchSize = true, v.cfg.MaxBatch
	}
	if v.cfg.TTL > 0 {
		c.Cacheable = true
		c.Caching = protocol.Caching{TTL: v.cfg.TTL, InvalidateOn: []string{protocol.ToolUpdate, protocol.ResourceChange}}
	}
	return c
}

// ResourcesChanged drops the verdicts that rest on more than the call and the policy: a
// server has said that its resources have changed.
func (v *Validator) ResourcesChanged() { v.kept.dropRuntime() }

// Close stops the tasks that still run. From then on there are no others.
func (v *Validator) Close() { v.tasks.close() }
