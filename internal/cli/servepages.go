// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/observe"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/schedule/server"
	pages "github.com/toolvet/toolvet/schedule/web"
)

// pages shows the scheduler's jobs to those whom the policy of the moment lets in.
func (w *web) pages() (http.Handler, error) {
	tools, err := server.Tools()
	if err != nil {
		return nil, err
	}
	return pages.New(pages.Config{
		Scheduler: w.s.scheduler.Scheduler, Authorization: w.s.resource, Apart: w.s.ownersApart, Logger: w.s.log,
		Who: func(r *http.Request) call.Session { _, s := w.who(r); return s },
		Permit: func(ctx context.Context, who call.Session, tool string, arguments any) error {
			return w.s.permit(ctx, tools, who, tool, arguments)
		},
	}), nil
}

// permit judges what a visitor of the pages does as a call of the scheduler's tool: by the rules and
// limits of the policy, and into the audit log.
func (s *serving) permit(ctx context.Context, tools *call.Catalog, who call.Session, tool string, arguments any) error {
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	c, err := call.DecodeParams(params, call.Limits{})
	if err != nil {
		return errors.New("the request cannot be read as a call of the scheduler's tools")
	}
	c.Server, c.Session = scheduleServer, &who
	c.Resolve(tools)
	gate := s.gateOf(scheduleServer)
	if gate == nil {
		return errors.New("the policy has no scheduler any more")
	}
	v, ticket := gate.Admit(ctx, c, toolvet.PointProxy)
	e := &toolvet.Event{Call: c, Point: toolvet.PointProxy, Verdict: v}
	observe.Judged(ctx, s.observer, e, s.log)
	if !e.Verdict.Go {
		ticket.Rollback()
		return fmt.Errorf("the policy does not let you %s: %s", tool, strings.Join(protocol.NewResult(tool, e.Verdict).Errors, "; "))
	}
	defer ticket.Release()
	passed := toolvet.Reviewed{Verdict: toolvet.Verdict{Go: true}}
	observe.Returned(ctx, s.observer, e, &passed, 0, false, s.log)
	if !passed.Go {
		return errors.New("what you do cannot be recorded, and so is not done: toolvet's log says why")
	}
	return nil
}
