// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
)

func (p *Exchange) judged(ctx context.Context, e *toolvet.Event) {
	door.Judged(ctx, p.cfg.Observer, e, p.log)
}

func (p *Exchange) returned(e *toolvet.Event, v *toolvet.Reviewed, size int, failed bool) {
	door.Returned(p.ctx, p.cfg.Observer, e, v, size, failed, p.log)
}

// lost tells of calls that nothing came back of. A nil event is none.
func (p *Exchange) lost(events ...*toolvet.Event) {
	door.Lost(p.ctx, p.cfg.Observer, p.log, events...)
}

func (p *Exchange) listed(tools *call.Catalog) {
	if p.cfg.Observer != nil {
		p.cfg.Observer.Listed(p.ctx, p.cfg.Server, tools)
	}
}
