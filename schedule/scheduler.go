// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/upstream"
)

// A Caller judges calls and makes them. An *[upstream.Set] is one.
type Caller interface {
	Validate(ctx context.Context, tool string, arguments json.RawMessage, options ...upstream.CallOption) (toolvet.Validation, error)
	Call(ctx context.Context, tool string, arguments json.RawMessage, options ...upstream.CallOption) (*upstream.Outcome, error)
	Tools(ctx context.Context, server string, options ...upstream.CallOption) (*call.Catalog, error)
}

var _ Caller = (*upstream.Set)(nil)

// A Config configures a [Scheduler]. Store and Caller are required.
type Config struct {
	Store  Store
	Caller Caller
	// AllowSkip allows jobs with skip_validation.
	AllowSkip bool
	// Rehearse makes a call where it can do no harm. The error tells why the call cannot be rehearsed. Nil: there are no
	// rehearsals.
	Rehearse func(ctx context.Context, tool string, arguments json.RawMessage, who *call.Session) (*Rehearsal, error)
	// Alert delivers a change of a job's health, in one of the processes that serve the store. It is called at
	// least once for each change, has a minute, and is called again after an error. Nil delivers nothing.
	Alert func(context.Context, *Notice) error
	// Seen hears each change of a job's health, in every process that serves the store. It must return soon. It may be nil.
	Seen func(Alert)

	// Workers is the number of runs of one server at once; default 8. Each server has its own number, so a hanging
	// server delays no other.
	Workers int
	// PerOwner and PerTag bound the runs at once of one owner, and of the jobs with a tag, on all workers of the store
	// together. Zero, or a tag that is not in the map, means no bound.
	PerOwner int
	PerTag   map[string]int
	// MaxJobs bounds the jobs of one owner that run, or are paused; two made at once may exceed it by one. MinInterval is the
	// least time between two runs that a schedule asks for. Zero means no bound.
	MaxJobs     int
	MinInterval time.Duration

	// Calendars are closed times: a job that names one in Except does not run then. An entry is a local date (2026-12-25, 12-25 for
	// each year), a day of the week or weekend, a range of dates (2026-12-24..2027-01-02) with its last day, of moments
	// (2026-12-24T18:00..2026-12-27T06:00) or of hours each day (22:00..06:00) or week (sat 22:00..sun 04:00). Serve gives the
	// jobs in the store the calendars as they are now.
	Calendars map[string][]string

	Poll     time.Duration // the least time between two looks at the store for what others change, or what is late; default 500 ms
	KeepAge  time.Duration // of runs; default 90 days
	KeepRuns int           // of a job; default 1000

	// Now is the wall clock of this machine; default time.Now. A store with a clock of its own goes first.
	Now    func() time.Time
	Logger *slog.Logger // nil discards
}

const (
	defaultTimeout = 5 * time.Minute // of a run whose job sets none
	grace          = time.Minute     // how late a run may begin before it counts as missed
)

func (c Config) withDefaults() Config {
	c.Workers = cmp.Or(max(c.Workers, 0), 8)
	c.Poll = cmp.Or(max(c.Poll, 0), 500*time.Millisecond)
	c.KeepAge = cmp.Or(max(c.KeepAge, 0), 90*24*time.Hour)
	c.KeepRuns = cmp.Or(max(c.KeepRuns, 0), 1000)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Alert == nil {
		c.Alert = func(context.Context, *Notice) error { return nil }
	}
	return c
}

// A Scheduler makes, changes and lists jobs, and runs them while [Scheduler.Serve] runs. It is safe for concurrent use.
type Scheduler struct {
	cfg    Config
	tuning *jobspec.Tuning
	store  Store
	clock  *storeClock
	log    *slog.Logger
	wake   chan struct{} // something may be due
	check  chan struct{} // a validation may be due
	alert  chan struct{} // an alert may be due
	pulse  chan struct{} // the other workers are to hear of a new policy
}

// New makes a scheduler.
func New(cfg Config) (*Scheduler, error) {
	if cfg.Store == nil || cfg.Caller == nil {
		return nil, errors.New("a scheduler needs a store and a caller")
	}
	if err := checkCalendars(cfg.Calendars); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	tuning := jobspec.Tuning{}.WithDefaults()
	clock := &storeClock{store: cfg.Store, machine: cfg.Now, log: cfg.Logger}
	return &Scheduler{cfg: cfg, tuning: &tuning, store: cfg.Store, clock: clock, log: cfg.Logger, wake: make(chan struct{}, 1), check: make(chan struct{}, 1), alert: make(chan struct{}, 1), pulse: make(chan struct{}, 1)}, nil
}

// now reads the clock, to the millisecond that stores keep.
func (s *Scheduler) now() time.Time { return s.clock.now().UTC().Truncate(time.Millisecond) }

// sync makes sure that now is the store's time. Everything that stores a time calls it before.
func (s *Scheduler) sync(ctx context.Context) error { return s.clock.sync(ctx, s.tuning.Lease) }

// kick wakes a loop.
func kick(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// toolDigest is the digest of the definition of a tool that the owner of a job sees; "" if it is not known.
func (s *Scheduler) toolDigest(ctx context.Context, name string, owner Owner) string {
	server, tool, err := upstream.ParseName(name)
	if err != nil {
		return ""
	}
	tools, err := s.cfg.Caller.Tools(ctx, server, upstream.WithSession(owner.session(false)))
	if err != nil {
		return ""
	}
	t := tools.Tool(tool)
	if t == nil {
		return ""
	}
	sum := sha256.Sum256(t.Raw)
	return hex.EncodeToString(sum[:])
}

// verdict judges a job's call as a call of its owner. An error means that the call could not be judged.
func (s *Scheduler) verdict(ctx context.Context, on string, j *Job) (*Verdict, error) {
	r, err := s.cfg.Caller.Validate(ctx, j.Tool, j.Arguments, upstream.WithSession(j.session()))
	v := newVerdict(on, s.now(), r)
	v.Valid = v.Valid && err == nil
	v.ToolDigest, v.PolicyDigest = s.toolDigest(ctx, j.Tool, j.Owner), s.tuning.PolicyDigest()
	return v, err
}
