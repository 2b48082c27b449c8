// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/when"
)

// unjudgedSince returns since when a job's call cannot be judged, if it cannot be now. Verdicts further apart than limit are no
// proof for the time between them: nothing may have served meanwhile.
func (j *Job) unjudgedSince(now time.Time, limit time.Duration) time.Time {
	v := j.Verdict
	if v == nil || v.Unjudged.IsZero() || v.Unjudged.After(now) || now.Sub(v.At) > limit {
		return now
	}
	return v.Unjudged
}

// checkAway sets the time of the next validation of a job whose call cannot be judged. The validation does not wait until
// the run is near: the job's health must change in time, and change back.
func (j *Job) checkAway(now time.Time, t *jobspec.Tuning) {
	if j.State != Active || j.Next.IsZero() {
		return
	}
	at := now.Add(t.Recheck)
	if limit := j.Verdict.Unjudged.Add(t.Away); limit.After(now) && limit.Before(at) {
		at = limit
	}
	if at.Before(j.Next) {
		j.CheckAt = at
	}
}

// away describes why a call cannot be judged.
func (j *Job) away(v *Verdict) string {
	zone, err := when.LoadZone(j.Zone)
	if err != nil {
		zone = time.UTC
	}
	return fmt.Sprintf("its call cannot be judged since %s: %s", v.Unjudged.In(zone).Format("2006-01-02 15:04:05 MST"), clip(strings.Join(v.Errors, "; "), 1024))
}
