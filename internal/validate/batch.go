// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/protocol"
)

// workers is how many calls of one batch are judged at once: most of their time is spent
// waiting for files and networks.
const workers = 8

// answerBatch answers a call of the batch tool.
func (v *Validator) answerBatch(ctx context.Context, r *Request, t *teller) json.RawMessage {
	// Each call counts by itself. So that of the batch tool does not: where one call may run
	// at a time, it would keep out its own.
	own := v.hollow(r.Call)
	if verdict, _ := r.Gate.DryRun(ctx, own, toolvet.DryRun{}); !verdict.Go {
		return r.refusal(*r.refuse(ctx, own, verdict))
	}
	items, err := protocol.DecodeBatch(r.Call.Raw, v.cfg.Limits)
	if err != nil {
		return r.refusal(*r.refuse(ctx, own, malformed(err.Error())))
	}
	if len(items) > v.cfg.MaxBatch { // whatever the policy makes of the schema
		return r.refusal(*r.refuse(ctx, own, malformed("the batch has more calls than are allowed: send several")))
	}
	answer := protocol.NewBatchResult(v.batchResults(ctx, r, items, t))
	return answer.Answer(r.Modern)
}

// hollow is a call of the batch tool without what its calls say: each is judged by itself, so
// that a bad one spoils no other.
func (v *Validator) hollow(c *call.Call) *call.Call {
	own := *c
	own.Tool, own.Validation = v.batch, true
	calls, ok := c.Arguments["calls"].([]any)
	if !ok {
		return &own
	}
	empty := make([]any, len(calls))
	for i := range empty {
		empty[i] = map[string]any{}
	}
	own.Arguments = maps.Clone(c.Arguments)
	own.Arguments["calls"] = empty
	if raw, err := json.Marshal(own.Arguments); err == nil { // it was JSON before
		own.Raw = raw
	}
	return &own
}

// batchResults judges the calls of a batch. They share its time: each has as much of it as if
// all took as long, so that one that hangs takes nothing from those behind it.
func (v *Validator) batchResults(ctx context.Context, r *Request, items []json.RawMessage, t *teller) []protocol.Result {
	ctx, cancel := context.WithTimeout(ctx, max(v.cfg.BatchTime, time.Millisecond))
	defer cancel()
	atOnce := min(workers, len(items))
	rounds := (len(items) + atOnce - 1) / atOnce
	share := max(v.cfg.BatchTime, time.Millisecond) / time.Duration(rounds)

	results := make([]protocol.Result, len(items))
	queue := make(chan admission)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for a := range queue {
				ctx, cancel := context.WithTimeout(ctx, share)
				results[a.index] = v.judge(ctx, r, a.request, nil)
				cancel()
				t.item(a.index, len(items))
			}
		})
	}
	for i, raw := range items { // in their order, so that limits let the first ones through
		q, refused := v.admitItem(ctx, r, raw)
		if refused != nil {
			results[i] = protocol.NewResult("", *refused)
			t.item(i, len(items))
			continue
		}
		queue <- admission{i, q}
	}
	close(queue)
	all.Wait()
	return results
}

// An admission is a call of a batch that is judged.
type admission struct {
	index   int
	request *admitted
}

// admitItem admits a call of a batch, which may be any JSON.
func (v *Validator) admitItem(ctx context.Context, r *Request, raw json.RawMessage) (*admitted, *toolvet.Verdict) {
	arguments, err := call.DecodeArguments(raw, v.cfg.Limits)
	if err != nil {
		own := &call.Call{Server: r.Call.Server, Name: r.Method, Tool: v.validate, Session: r.Call.Session, Validation: true}
		return nil, r.refuse(ctx, own, malformed(`must be an object {"tool": …, "arguments": {…}}`))
	}
	return v.admit(ctx, r, raw, arguments)
}
