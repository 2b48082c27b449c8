// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package validate answers calls of the validate tool and of the batch tool, so that every door (proxy,
// middleware, gateway) gives the same answers. It knows no transport: a door passes a [Request] with
// hooks, and sends the result of [Validator.Answer].
//
//	request ─ its own limits ─ decode ─ verdict, kept or new ─ limits of the target ─ native ─ answer
//
// It implements docs/protocol.md: levels by request (section 4.2), batches (4.3), kept verdicts (5.5),
// progress (5.6) and tasks (5.7).
package validate

import (
	"fmt"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
)

// Config configures a Validator. A zero field means its default, and a negative one turns its feature
// off.
type Config struct {
	// MaxBatch bounds the calls of one batch. Default 100.
	MaxBatch int
	// BatchTime bounds the judgement of all calls of a batch together. Default 10 s.
	BatchTime time.Duration
	// TTL is the life of a verdict that depends only on the call and the policy. Default 1 min.
	TTL time.Duration
	// RuntimeTTL is the life of a verdict that also depends on files, networks or databases. A changed
	// file ends it earlier. Default 5 s.
	RuntimeTTL time.Duration
	// TaskAfter is the wait for an answer before a client with support for tasks gets a task. Default 1
	// s.
	TaskAfter time.Duration
	// Limits bound the input. The defaults are those of package call.
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

// A Validator answers for one door. It is safe for concurrent use.
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
			return nil, fmt.Errorf("validate: %w", err)
		}
		if *into, err = call.DecodeTool(raw, call.Limits{}); err != nil {
			return nil, fmt.Errorf("validate: %w", err)
		}
	}
	return v, nil
}

// Definitions returns the tools to list: the validate tool under this name and, if there are batches,
// the batch tool.
func (v *Validator) Definitions(method string) []protocol.Tool {
	list := []protocol.Tool{protocol.NewTool(method)}
	if v.cfg.MaxBatch > 0 {
		list = append(list, protocol.NewBatchTool(method, v.cfg.MaxBatch))
	}
	return list
}

// Answers reports whether the Validator answers calls of the tool name, if method names the validate
// tool.
func (v *Validator) Answers(name, method string) bool { return v.definition(name, method) != nil }

// definition returns the definition of the validate tool or the batch tool, or nil for another name.
func (v *Validator) definition(name, method string) *call.Tool {
	switch name {
	case method:
		return v.validate
	case protocol.BatchName(method):
		return v.batch
	}
	return nil
}

// A Door describes the abilities of the door that a Validator answers for.
type Door struct {
	Levels   []check.Level // of the checks that are on
	Progress bool          // it can send notifications for a request
	Tasks    bool          // it serves tasks
}

// Capability announces the validate tool of a door under the name method.
func (v *Validator) Capability(method string, d Door) protocol.Capability {
	c := protocol.NewCapability(method, d.Levels)
	c.ContextAware, c.Tokens = true, true
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

// ResourcesChanged removes the verdicts that depend on more than the call and the policy, after a
// server has announced changed resources.
func (v *Validator) ResourcesChanged() { v.kept.dropRuntime() }

// Close stops all tasks. Afterwards there are no new ones.
func (v *Validator) Close() { v.tasks.close() }
