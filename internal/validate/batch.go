// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
)

// workers is the number of calls of one batch that are judged at once. They mostly wait for files and
// networks.
const workers = 8

// answerBatch answers a call of the batch tool.
func (v *Validator) answerBatch(ctx context.Context, r *Request, t *teller) json.RawMessage {
	// Limits count each call of a batch, and not the call of the batch tool: under a limit of one call
	// at a time, it would block its own.
	own := *r.Call
	own.Tool, own.Validation, own.Unread = v.batch, true, nil
	var err error
	if own.Arguments, own.Raw, err = protocol.HollowBatch(r.Call.Raw, v.cfg.Limits); err != nil {
		return r.refusal(*r.refuse(ctx, &own, malformed(err.Error())))
	}
	if verdict, _ := inside.Of(r.Gate).DryRun(ctx, &own, engine.DryRun{}); !verdict.Go {
		return r.refusal(*r.refuse(ctx, &own, verdict))
	}
	items, err := protocol.DecodeBatch(r.Call.Raw, v.cfg.Limits)
	if err != nil {
		return r.refusal(*r.refuse(ctx, &own, malformed(err.Error())))
	}
	if len(items) > v.cfg.MaxBatch { // even if the policy turns the schema off
		return r.refusal(*r.refuse(ctx, &own, malformed("the batch has more calls than are allowed: send several")))
	}
	answer := protocol.NewBatchResult(v.batchResults(ctx, r, items, t))
	return answer.Answer(r.Modern)
}

// batchResults judges the calls of a batch. Each has an equal share of the time, so that a call that
// hangs takes nothing from the ones behind it.
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
	for i, raw := range items { // in order, so that limits admit the first ones
		q, refused := v.admit(ctx, r, raw)
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

// An admission is an admitted call of a batch.
type admission struct {
	index   int
	request *admitted
}
