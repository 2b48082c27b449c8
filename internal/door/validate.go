// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
)

// Validate judges the calls described in q, which is a call of the validate tool or the batch
// tool. It answers with a CallToolResult and records each verdict, including a refusal of the
// request itself. It returns nil if ctx is done first. Validate sets the recording hooks of q.
func (d *Door) Validate(ctx context.Context, by *validate.Validator, q *validate.Request, r Request) json.RawMessage {
	q.Modern = r.Modern
	q.Judged = func(ctx context.Context, target *call.Call, v toolvet.Verdict, took time.Duration) toolvet.Verdict {
		return d.RecordDryRun(ctx, target, r, v, took)
	}
	q.Refused = func(ctx context.Context, own *call.Call, v toolvet.Verdict) toolvet.Verdict {
		v = d.RecordDryRun(ctx, own, r, v, 0)
		words := protocol.NewResult(own.Name, v)
		d.tell(slog.LevelInfo, "refused a dry run", own, &words, inCall(own))
		return v
	}
	return by.Answer(ctx, q)
}
