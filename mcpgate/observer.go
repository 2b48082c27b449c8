// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"context"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
)

// WithObserver tells o what becomes of calls. The default is nobody. Package recorder makes
// one of a log of calls, metrics and traces.
func WithObserver(o toolvet.Observer) Option {
	return optionFunc(func(g *guard) { g.observer = o })
}

// judged tells the observer of a verdict. If it cannot be recorded, it refuses.
func (g *guard) judged(ctx context.Context, c *call.Call, at toolvet.Point, v *toolvet.Verdict, began time.Time) *toolvet.Event {
	if g.observer == nil {
		return nil
	}
	e := &toolvet.Event{Call: c, Point: at, Verdict: *v, Took: time.Since(began)}
	door.Judged(ctx, g.observer, e, g.logger)
	*v = e.Verdict
	return e
}

// returned tells the observer of a result, and withholds one that cannot be recorded. A nil e
// is no call.
func (g *guard) returned(ctx context.Context, e *toolvet.Event, v *toolvet.Reviewed, size int, failed bool) {
	door.Returned(ctx, g.observer, e, v, size, failed, g.logger)
}
