// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mediate

import (
	"context"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/observe"
)

// An Observer is told what becomes of calls, for logs and metrics.
type Observer = observe.Observer

// An Event is a call on its way.
type Event = observe.Event

func (p *Exchange) judged(ctx context.Context, e *Event) {
	observe.Judged(ctx, p.cfg.Observer, e, p.log)
}

func (p *Exchange) returned(e *Event, v *toolvet.Reviewed, size int, failed bool) {
	observe.Returned(p.ctx, p.cfg.Observer, e, v, size, failed, p.log)
}

func (p *Exchange) listed(tools *call.Catalog) {
	if p.cfg.Observer != nil {
		p.cfg.Observer.Listed(p.ctx, p.cfg.Server, tools)
	}
}
