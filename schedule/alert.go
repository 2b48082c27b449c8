// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import "time"

// An Alert is a change of a job's health.
type Alert struct {
	Event  string    `json:"event"` // job.ok, job.warned or job.failing
	Time   time.Time `json:"time"`
	Job    string    `json:"job"` // its id
	Name   string    `json:"name"`
	Tool   string    `json:"tool"`
	Was    Status    `json:"was"`
	Status Status    `json:"status"`
	Reason string    `json:"reason,omitempty"`
	Next   time.Time `json:"next,omitzero"`
}

// turn sets a job's health, and returns the alert if it is another.
func (j *Job) turn(status Status, reason string, now time.Time) *Alert {
	was := j.Health.Status
	if was == status {
		j.Health.Reason = reason
		return nil
	}
	j.Health = Health{Status: status, Since: now, Reason: reason}
	if was == "" {
		was = Healthy
	}
	return &Alert{Event: "job." + string(status), Time: now, Job: j.ID, Name: j.Name, Tool: j.Tool, Was: was, Status: status, Reason: reason, Next: j.Next}
}

// tell sends alerts of what has been stored.
func (s *Scheduler) tell(alerts ...*Alert) {
	for _, a := range alerts {
		if a == nil {
			continue
		}
		s.log.Warn("a job's health is another", "job", a.Name, "status", a.Status, "was", a.Was)
		s.cfg.Alert(*a)
	}
}
