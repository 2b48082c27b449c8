// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"net/http"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	pages "github.com/toolvet/toolvet/schedule/web"
)

// pages shows the scheduler's jobs to those whom the policy of the moment lets in.
func (w *web) pages() http.Handler {
	return pages.New(pages.Config{
		Scheduler: w.s.scheduler.Scheduler, Authorization: w.s.resource, Apart: w.s.ownersApart, Permit: w.s.jobAccess().permit, Logger: w.s.log,
		Who: func(r *http.Request) call.Session { _, s := w.who(r); return s },
	})
}

// jobAccess judges what is done to jobs.
func (s *serving) jobAccess() *jobAccess {
	return newJobAccess(func() *toolvet.Gate { return s.gateOf(scheduleServer) }, s.observer, s.log)
}
