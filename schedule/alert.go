// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"cmp"
	"context"
	"iter"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
)

// An Alert is news about a job: a change of its health, or what its AlertOn… fields ask for.
type Alert struct {
	ID string `json:"id"` // the same in every delivery
	// Event is job.ok, job.warned, job.unavailable or job.failing for a change of health, and else job.reminder, run.succeeded,
	// run.failed, run.late or run.long.
	Event  string    `json:"event"`
	Time   time.Time `json:"time"`
	Job    string    `json:"job"` // its id
	Name   string    `json:"name"`
	Tool   string    `json:"tool"`
	Owner  string    `json:"owner,omitempty"` // the subject of the job's owner
	Was    Status    `json:"was"`
	Status Status    `json:"status"`
	Reason string    `json:"reason,omitempty"`
	Next   time.Time `json:"next,omitzero"`
	Run    string    `json:"run,omitempty"` // the id of the run that it is about, if it is about one
}

// A Notice is an alert in the course of its delivery.
type Notice struct {
	Alert
	// Told names the receivers that have heard the alert. Config.Alert chooses the names and adds to them, so that a
	// receiver does not hear an alert again because another one was out of reach.
	Told  []string
	Tries int // deliveries that were tried so far
}

// turn sets a job's health. If the status changes, it adds an alert and returns true.
func (j *Job) turn(status Status, reason string, now time.Time) bool {
	was := cmp.Or(j.Health.Status, Healthy)
	if was == status {
		j.Health.Reason = reason
		return false
	}
	j.Health = Health{Status: status, Since: now, Reason: reason}
	j.tell("job."+string(status), was, reason, "", now)
	return true
}

// tell adds an alert.
func (j *Job) tell(event string, was Status, reason, run string, now time.Time) {
	j.Alerts = append(j.Alerts, &Alert{
		ID: "msg_" + jobspec.NewID(now), Event: event, Time: now, Job: j.ID, Name: j.Name, Tool: j.Tool,
		Owner: j.Owner.Subject, Was: was, Status: j.Health.Status, Reason: reason, Next: j.Next, Run: run,
	})
}

const (
	tellers      = 4                // alerts that are told at once
	telling      = 2 * time.Minute  // after it another process may tell the alert; telling one takes less
	longestDelay = 15 * time.Minute // between two tries
	giveUp       = 24 * time.Hour   // after it an alert is dropped
	lastTell     = 10 * time.Second // for alerts at the end
)

// tellAll delivers alerts until ctx is done.
func (e *engine) tellAll(ctx context.Context) {
	for {
		n, err := e.tellSome(ctx)
		if err != nil && ctx.Err() == nil {
			e.log.Error("the store cannot list the alerts that are due", "err", err)
		}
		if n == 0 && !pause(ctx, max(e.cfg.Poll, time.Second), e.alert) || ctx.Err() != nil {
			return
		}
	}
}

// tellSome delivers alerts that are due, and returns their number.
func (e *engine) tellSome(ctx context.Context) (int, error) {
	now := e.now()
	list, err := e.store.Alerts(ctx, now, now.Add(telling), tellers)
	if err != nil {
		return 0, err
	}
	var all sync.WaitGroup
	for _, n := range list {
		all.Go(func() { e.tell(ctx, n) })
	}
	all.Wait()
	return len(list), nil
}

// tell tries to deliver one alert, and then stores the outcome. If the process dies in between, the alert is delivered
// again: at least once, not at most once.
func (e *engine) tell(ctx context.Context, n *Notice) {
	if n.Tries == 0 {
		if n.Status != n.Was {
			e.log.Warn("a job's health has changed", "job", n.Name, "status", n.Status, "was", n.Was)
		} else {
			e.log.Info("an alert that a job asks for", "job", n.Name, "event", n.Event, "run", n.Run)
		}
	}
	within, cancel := context.WithTimeout(ctx, telling/2)
	err := e.cfg.Alert(within, n)
	cancel()
	now := e.now()
	next := now.Add(min(time.Second<<min(2*n.Tries, 16), longestDelay)) // 1, 4, 16 s ...
	n.Tries++
	done := err == nil
	if err != nil {
		e.log.Error("an alert was not delivered", "job", n.Name, "status", n.Status, "tries", n.Tries, "err", err)
		if now.Sub(n.Time) > giveUp {
			e.log.Error("an alert is dropped", "job", n.Name, "status", n.Status)
			done = true
		}
	}
	if err := e.store.Told(context.WithoutCancel(ctx), n, now, next, done); err != nil {
		e.log.Error("the delivery of an alert could not be stored: it will be delivered again", "job", n.Name, "err", err)
	}
}

// lastWords delivers the alerts of the last runs before Serve returns.
func (e *engine) lastWords(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastTell)
	defer cancel()
	for ctx.Err() == nil {
		if n, err := e.tellSome(ctx); err != nil || n == 0 {
			return
		}
	}
}

// follow passes the alerts of all processes to Config.Seen until ctx is done.
func (e *engine) follow(ctx context.Context) {
	if e.cfg.Seen == nil {
		return
	}
	const back = time.Minute // clocks differ, and transactions take time
	seen := map[string]time.Time{}
	began := e.now()
	for pause(ctx, e.cfg.Poll, nil) {
		now := e.now()
		if now.Before(began) { // the clock was set back
			began = now
		}
		since := now.Add(-back)
		if since.Before(began) {
			since = began
		}
		for a := range e.alertsSince(ctx, since) {
			if _, again := seen[a.ID]; !again {
				seen[a.ID] = a.Time
				e.cfg.Seen(*a)
			}
		}
		for id, at := range seen {
			if at.Before(since) {
				delete(seen, id)
			}
		}
	}
}

// alertsSince returns the alerts made since a time. It ends early if the store fails, without a report: other loops
// report that.
func (e *engine) alertsSince(ctx context.Context, at time.Time) iter.Seq[*Alert] {
	return func(yield func(*Alert) bool) {
		for id := ""; ; {
			list, err := e.store.AlertsSince(ctx, at, id)
			if err != nil || len(list) == 0 {
				return
			}
			for _, a := range list {
				if !yield(a) {
					return
				}
			}
			last := list[len(list)-1]
			at, id = last.Time, last.ID
		}
	}
}
