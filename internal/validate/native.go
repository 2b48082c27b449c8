// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/inside"
)

// Native asks a server's own validate tool about target with the given arguments.
type Native func(ctx context.Context, target *call.Call, arguments json.RawMessage) (json.RawMessage, error)

// asks reports whether the server's own validation may hear of a call: a refused call and one that
// the session may not see stay here, and so does a dry run of a dry run.
func (q *admitted) asks(ctx context.Context, v toolvet.Verdict) bool {
	return q.Found.Native != nil && v.Go && !q.Call.Validation && inside.Of(q.Gate).Visible(ctx, q.Call)
}

// asksNative reports whether a request for levels includes the server's own validation, which belongs
// to the level semantic.
func asksNative(levels []check.Level) bool {
	return len(levels) == 0 || slices.Contains(levels, check.SemanticLevel)
}
