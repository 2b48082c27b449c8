// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Errors of a [Store]. Implementations may wrap them.
var (
	ErrNotFound = errors.New("there is no such job or run")
	// ErrNameTaken is the conflict of two jobs: the same owner has another job of this name, or another
	// job has this id.
	ErrNameTaken = errors.New("another job has this name")
	// ErrAmbiguous reports a name that jobs of several owners have.
	ErrAmbiguous = errors.New("jobs of several owners have this name: give the job's id")
	// ErrRunExists is the conflict of two runs: the job has a run of the same fire time and kind.
	ErrRunExists = errors.New("the job has a run of this time already")
	// ErrGone reports that the store is no longer where it was opened. A worker must not go on: nobody
	// else would see its store.
	ErrGone = errors.New("the store's file was removed or replaced while it was used: put it back, or begin anew")
	// ErrTooMany reports that too many runs of a job have not ended.
	ErrTooMany = fmt.Errorf("%d runs of the job have not ended: wait for them, or delete the job", maxOpen)
	// ErrQuota reports that the owner of a job has as many as its Quota.
	ErrQuota = errors.New("the owner has as many jobs as the policy allows")
	// ErrLost is the conflict of two workers: the lease is over, and the run may be another worker's.
	ErrLost = errors.New("the lease is over")
)

// A Store keeps jobs, their runs, the leases of workers, and alerts. Any number of goroutines and
// processes may use the same store at once.
//
// These promises hold for all methods; package storetest tests them, and those of each method:
//
//   - A method is one transaction. If it returns an error, it has changed nothing, although it may have
//     called its callback. If it returns nil, its changes are as durable as the store is.
//   - A callback sees the latest version of its job, and nobody changes the job before the transaction
//     ends. A callback must not call the store.
//   - A method that stores a job stores the job's Alerts in the same transaction.
//   - Arguments and results are copies: the store shares no memory with its callers.
//   - Times are UTC, in whole milliseconds. Callers pass them so.
//   - A limit of zero or less means no jobs, runs or alerts. (The limit of a filter has a default.)
//   - An id or a filter that no database can hold, because it has NUL or invalid UTF-8, finds nothing.
//     That is no error of the store.
//   - A context that is done is an error.
//
// Jobs: a job has a unique id, and a name that is unique among its owner's jobs. Where a method takes an id, it takes
// the name as well; a job with this id comes first. The error is ErrNotFound if there is neither, and ErrAmbiguous if
// several owners have the name.
//
// Runs: a run has a unique id, and no other run of its job has both its fire time and its kind: so a time fires once,
// whoever else fires it. A missed run is the exception: a run that happens after all takes its place. Each piece of work
// goes to one of the schedulers that serve the store.
//
// Time: all workers of a store go by one clock, which Now reads. Callers pass its times to the methods.
//
// Leases show that workers are alive, by the same clock. After its lease is over, a
// worker keeps its runs until TakeOver hands them on; then it has no lease any more.
//
// Alerts stay until they are delivered, and then until they are pruned. The store delivers the alerts of a job in the
// order of their ids, each at least once.
//
// Package sqlstore is a store in SQLite or PostgreSQL; package memstore is a short one in memory.
type Store interface {
	// Now returns the time by the clock of the store's database server. It returns the zero time if the store has no
	// server: then all workers are on one machine, and its clock counts.
	Now(ctx context.Context) (time.Time, error)

	// CreateJob stores a new job. The error is ErrNameTaken if its id or name is not free, and ErrQuota as its Quota says.
	CreateJob(ctx context.Context, j *Job) error
	// Job returns a job.
	Job(ctx context.Context, id string) (*Job, error)
	// UpdateJob stores a job as change leaves it, and returns it. If change returns an error, UpdateJob
	// stores nothing and returns that error. The error is ErrNameTaken if the new name is not free, and ErrQuota as its Quota
	// says.
	UpdateJob(ctx context.Context, id string, change func(*Job) error) (*Job, error)
	// DeleteJob deletes a job, its runs and its alerts.
	DeleteJob(ctx context.Context, id string) error
	// Jobs returns a page of the jobs that a filter chooses.
	Jobs(ctx context.Context, f JobFilter) ([]*Job, error)
	// Counts counts the jobs of an owner, nil for all, by state and health, in this order.
	Counts(ctx context.Context, owner *string) ([]Count, error)

	// Backlog counts the queued runs that are ready now, without the scheduled runs of paused jobs, and the running ones. Oldest is the ready time of the first of
	// the ready ones, zero if there is none.
	Backlog(ctx context.Context, now time.Time) (ready, running int, oldest time.Time, err error)
	// AddRun stores a new run. The error is ErrNotFound if its job does not exist, ErrTooMany if most
	// runs of the job have not ended, and ErrRunExists if the fire time and kind are not free.
	AddRun(ctx context.Context, r *Run, most int) error
	// Run returns the run with an id. The error is ErrNotFound if there is none.
	Run(ctx context.Context, id string) (*Run, error)
	// Runs returns a page of the runs that a filter chooses.
	Runs(ctx context.Context, f RunFilter) ([]*Run, error)

	// Fire calls fire for jobs whose Next has come, at most limit, the earliest first. Open is the number of the job's runs that
	// have not ended. Fired are the times from its Next on that already have scheduled runs, except for missed ones, in any
	// order; there can be some only after the clock was set back, when Next is not after Through. Fire stores each
	// job as fire leaves it, together with the runs that fire returns. It leaves out a run if the fire
	// time and kind are not free, and adds the number of stored open runs to the job's Fired. It
	// returns the number of jobs.
	Fire(ctx context.Context, now time.Time, limit int, fire func(j *Job, open int, fired []time.Time) []*Run) (int, error)
	// Claim gives queued runs that are ready to a worker. A claimed run is Running, names the worker, and counts one attempt
	// more. Claim passes over an exclusive run while another run of its job is running, over a scheduled run
	// while its job is paused, and over runs for which c leaves no room. Of the runs of a server, those of the owner with the
	// fewest running runs come first, then those that were ready first. Runs that must wait for others cost nothing,
	// however many they are. The error is ErrLost if the worker has no lease.
	Claim(ctx context.Context, worker string, now time.Time, c Capacity) ([]Claim, error)
	// Progress stores the progress of a run that its worker has claimed. It does nothing if Finish would
	// return ErrLost.
	Progress(ctx context.Context, r *Run) error
	// Finish stores how a claimed run ended, together with the job as change leaves it; open is the
	// number of the job's other runs that have not ended. A run whose state is Queued goes back into
	// the queue and is claimed again when it is ready.
	//
	// Worker and attempt fence a run: the error is ErrLost unless the store has the run as Running,
	// with the same worker and the same attempt. So a worker without its lease cannot overwrite the work
	// of its successor.
	Finish(ctx context.Context, r *Run, change func(j *Job, open int)) error
	// Cancel ends a queued run as Cancelled, with a reason, together with the job as change leaves it; open is the number of the
	// job's other runs that have not ended. It asks the worker of a running run to end it. If that run goes back into the queue
	// all the same, Finish and TakeOver end it as Cancelled. Cancel does nothing to a run that has ended. It returns the run. The
	// error is ErrNotFound if there is none.
	Cancel(ctx context.Context, id, reason string, now time.Time, change func(j *Job, open int)) (*Run, error)
	// ToCancel returns the ids of the runs that a worker is asked to end.
	ToCancel(ctx context.Context, worker string) ([]string, error)
	// NextAt returns the earliest moment after a time at which a job fires or a queued run is ready;
	// zero means never.
	NextAt(ctx context.Context, after time.Time) (time.Time, error)
	// Checks returns jobs of a server whose CheckAt has come, at most limit, the earliest first; among equals, those with the
	// earliest Next. It sets their CheckAt to again, so that nobody else validates them meanwhile.
	Checks(ctx context.Context, server string, now, again time.Time, limit int) ([]*Job, error)
	// CheckSoon sets CheckAt to now for active jobs of a server that have a Next, in the order of their Next; "" means all servers.
	// It begins behind a place in that order, and takes some of them, so that it holds no job for long. It returns the place
	// where it ended; the zero place is the beginning, and the end.
	CheckSoon(ctx context.Context, server string, now time.Time, after Place) (Place, error)

	// Heartbeat makes the lease of a worker last for so long from now, and stores what the worker says of itself. The first
	// heartbeat makes the lease. The error is ErrLost if a later one finds none, and ErrGone if the store is not where
	// it was opened.
	Heartbeat(ctx context.Context, w *Worker, lease time.Duration, first bool) error
	// Leave ends the lease of a worker. It is no error if there is none.
	Leave(ctx context.Context, worker string) error
	// Workers returns the workers whose lease is not over, in the order of their ids, with the time of their last heartbeat.
	Workers(ctx context.Context) ([]*Worker, error)
	// TakeOver hands on the runs of all workers whose lease is over, and deletes those leases. A run
	// goes back into the queue, ready at now. It ends as Lost instead if its job is AtMostOnce or the
	// run was begun so many times as attempts: lost then completes the run and changes the job; open is the
	// number of the job's other runs that have not ended.
	//
	// A lease that lasts for longer than lease was given before the store's clock was set
	// back. TakeOver shortens it to lease.
	TakeOver(ctx context.Context, now time.Time, lease time.Duration, attempts int, lost func(j *Job, r *Run, open int)) error

	// Alerts returns the alerts due now, at most limit and at most one a job, the earliest first. It
	// returns none of them again before until, and no later alert of a job before the earlier ones are
	// done.
	Alerts(ctx context.Context, now, until time.Time, limit int) ([]*Notice, error)
	// Told stores who has heard a notice and how often it was tried. If done, Alerts does not
	// return it any more; otherwise it does at next.
	Told(ctx context.Context, n *Notice, now, next time.Time, done bool) error
	// AlertsSince returns a page of the alerts, told or not, in the order of their times and ids. It
	// begins behind the alert with this time and id. If id is "", it begins with the first alert of this time. An
	// empty page is the end.
	AlertsSince(ctx context.Context, at time.Time, id string) ([]*Alert, error)

	// SetBack repairs waiting times after the clock was set back to now. A queued run that was
	// fired or begun after now is ready at once, and an alert waits for no longer than delay. Runs
	// that wait for another reason, such as jitter or a retry, keep waiting.
	SetBack(ctx context.Context, now time.Time, delay time.Duration) error
	// Servers returns the servers of the jobs that have a Next, each once.
	Servers(ctx context.Context) ([]string, error)
	// Zones returns the time zones of the jobs that have a Next, each once.
	Zones(ctx context.Context) ([]string, error)
	// Prune deletes runs and alerts from before a time: runs by their end. Of each job it also
	// deletes all runs that have ended except for the newest keep. It returns how many runs and
	// alerts it deleted. It may take several transactions.
	Prune(ctx context.Context, before time.Time, keep int) (int, error)

	// Close ends the connections. The schedulers that use the store must have ended.
	io.Closer
}

// A Place is that of a job in the order of Next.
type Place struct {
	Next time.Time
	ID   string
}

// A Worker is a scheduler that serves a store, as it describes itself to the others.
type Worker struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Seen    time.Time `json:"seen"` // its last heartbeat
	// Servers are those whose jobs it runs. Nil means any.
	Servers []string `json:"servers"`
	// Policy is a digest of the rules under which it runs jobs, and Since the time from which on a worker has had them.
	Policy string    `json:"policy,omitempty"`
	Since  time.Time `json:"since"`
	// Skew is how far the clock of its machine is ahead of the store's. It bears on nothing but reports.
	Skew Duration `json:"skew,omitzero"`
}

// Knows reports whether the worker can run jobs of a server.
func (w *Worker) Knows(server string) bool {
	return w.Servers == nil || slices.Contains(w.Servers, server)
}

// Wrong describes the clock of the worker's machine if it differs from the store's by more than NTP would leave, such as
// "30m0s ahead". Otherwise it returns "".
func (w *Worker) Wrong() string {
	switch d := time.Duration(w.Skew).Round(time.Second); {
	case d > noticed:
		return d.String() + " ahead"
	case d < -noticed:
		return (-d).String() + " behind"
	}
	return ""
}

// A Capacity bounds a claim.
type Capacity struct {
	// Room returns how many runs of a server the worker may begin. Fleet are all workers whose lease is not over, the
	// worker itself among them.
	Room func(server string, fleet []*Worker) int
	// PerOwner and PerTag bound the running runs of one owner, and of the jobs with a tag, on all workers. 0, or a tag that
	// is not in the map, means no bound.
	PerOwner int
	PerTag   map[string]int
}

// A Claim is a run that a worker has to do, with its job.
type Claim struct {
	Run *Run
	Job *Job
}

// A JobFilter chooses jobs, in the order of their ids. The zero filter means all.
type JobFilter struct {
	State   State
	Health  Status
	Tag     string
	Server  string
	Owner   *string // its subject
	Name    string
	Search  string // in name, tool, description or a tag, in any case
	After   string // the id of the last job of the page before
	Limit   int    // default 50, at most 1000
	Reminds bool   // only jobs with an AlertReminder
	// Before chooses jobs whose Next is before it, in the order of Next. It does not go together with After.
	Before time.Time
	// Brief leaves out arguments, description, tags and owner: none of them bears on when a job runs
	// and how it stands.
	Brief bool
	// Large leaves out the arguments of jobs that have more characters, as JSON; 0 leaves out none.
	Large int
}

// A Count is the number of jobs with a state and a health.
type Count struct {
	State  State
	Health Status
	Jobs   int
}

// A RunFilter chooses runs, the newest first: in the reverse order of their ids.
type RunFilter struct {
	Job    string  // its id
	Owner  *string // the subject of the job's owner
	State  RunState
	Before string // the id of the last run of the page before
	Limit  int    // default 50, at most 1000
	Brief  bool   // without results and verdicts
}
