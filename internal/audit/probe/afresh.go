// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"

	"github.com/toolvet/toolvet/internal/audit"
)

// A tool may fetch only the first page of a session, or a few: because of a limit, or by mistake. Its control call works then, and
// its probes come to nothing without a guard.

// stillFetches reports whether a tool did its work to the end: each page that leads on by a redirect is on an allowed host, so it
// was asked for, whatever the guard.
func (a *auditor) stillFetches(probes []urlProbe) bool {
	for _, probe := range probes {
		if probe.asked == "" {
			continue
		}
		if _, ok := a.canary.hit(probe.asked); !ok {
			return false
		}
	}
	return true
}

// afresh makes one probe of each kind again, each as the first call of a session, and reports whether one got through.
func (a *auditor) afresh(ctx context.Context, t *tool, c audit.Cell, probes []urlProbe, calls []map[string]any) (graded bool) {
	tried := map[string]bool{}
	for i, probe := range probes {
		if probe.remark || tried[probe.kind] {
			continue
		}
		tried[probe.kind] = true
		a.spend()
		r := a.call(ctx, t, calls[i])
		seen := a.arrived(probe, r.holds(a.canary.body))
		if r.holds(a.world.outside) {
			seen = outsideRead
		}
		if seen != "" {
			graded = true
			a.ssrf(c, probe, calls[i], seen, len(probes)+len(tried))
		}
		if r.failed != "" && (!r.late && !r.gone || a.silent(t)) {
			break
		}
	}
	a.spend()
	return graded
}
