// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"

	"github.com/toolvet/toolvet/internal/audit"
)

// A tool may do its work only at the first call of a session, or the first few: because of a limit, or by mistake. Its control
// call works then, and its probes come to nothing without a guard.

// stillReaches reports whether the control call of a path works once more.
func (a *auditor) stillReaches(ctx context.Context, t *tool, p parameter, f form) bool {
	_, works, _ := a.pathControl(ctx, t, p, []form{f})
	return works
}

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
