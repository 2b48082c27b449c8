// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/cmd/internal/prometheus"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/memstore"
	"github.com/toolvet/toolvet/schedule/sqlstore"
)

// DefaultStore is the file of the jobs if nothing names another.
const DefaultStore = "toolvet-schedule.db"

// A Plan says which jobs there are, and which policy holds for them.
type Plan struct {
	Source   enforce.Source // names the policy's file, if there is one, and has its text
	Policy   *policy.Policy // as it was when the plan was made
	schedule policy.Schedule
	metrics  *prometheus.Metrics // nil exports none of the scheduler
	rules    *rules
	log      *slog.Logger
}

// NewPlan reads the policy: toolvet.yaml if the source names none and that file exists. A store takes the place
// of the policy's.
func NewPlan(source enforce.Source, store string, log *slog.Logger) (*Plan, error) {
	if source.Policy == "" {
		if _, err := os.Stat("toolvet.yaml"); !errors.Is(err, fs.ErrNotExist) {
			source.Policy = "toolvet.yaml"
		}
	}
	all := new(policy.Policy)
	if source.Policy != "" {
		var err error
		if source, err = source.Read(); err != nil {
			return nil, err
		}
		if all, err = policy.ParseFor(policy.NoServer, os.LookupEnv, source.Policy, source.Text, source.Checks.Demands()...); err != nil {
			return nil, err
		}
	}
	p := newPlan(source, all, log)
	p.schedule.Store = cmp.Or(store, p.schedule.Store)
	return p, nil
}

func newPlan(source enforce.Source, all *policy.Policy, log *slog.Logger) *Plan {
	p := &Plan{Source: source, Policy: all, rules: new(rules), log: log}
	p.rules.hold(source.Text)
	if all.Schedule != nil {
		p.schedule = *all.Schedule
	}
	p.schedule.Store = cmp.Or(p.schedule.Store, DefaultStore)
	return p
}

// Owner owns the jobs that are made at the command line.
func (p *Plan) Owner() *call.Session {
	return &call.Session{Subject: p.Policy.Session.Subject, Transport: "stdio"}
}

// digest returns the digest of the policy file's present content.
func (p *Plan) digest() string {
	text, err := os.ReadFile(p.Source.Policy)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// rules holds a digest of the rules in force, for the other schedulers of the store. The file's present content may not be in force.
type rules struct{ digest atomic.Pointer[string] }

// hold takes the text of the policy that is in force from now on.
func (r *rules) hold(text []byte) {
	digest := ""
	if len(text) > 0 {
		digest = policy.Rules(text)
	}
	r.digest.Store(&digest)
}

func (r *rules) now() string {
	if digest := r.digest.Load(); digest != nil {
		return *digest
	}
	return ""
}

// jobServers are the servers whose tools jobs call.
type jobServers interface {
	schedule.Caller
	// lookup returns the policy's entry for a server, and its gate; nil if there is none.
	lookup(server string) (*policy.Server, *toolvet.Gate)
	// names returns the names of all servers.
	names() []string
}

// Open opens the scheduler for a command that runs no jobs. Without create, a missing file of the store stays missing, and
// there are no jobs. The caller must call end.
func (p *Plan) Open(ctx context.Context, create bool) (s *schedule.Scheduler, end func(), err error) {
	servers, err := openFleet(p, nil)
	if err != nil {
		return nil, nil, err
	}
	open := p.openStore
	if _, err := os.Stat(p.schedule.Store); !create && errors.Is(err, fs.ErrNotExist) && !strings.Contains(p.schedule.Store, "://") {
		open = func(context.Context) (schedule.Store, error) { return memstore.New(), nil }
	}
	s, store, err := p.open(ctx, open, servers, nil, nil)
	if err != nil {
		servers.end(ctx)
		return nil, nil, err
	}
	return s, func() { _ = store.Close(); servers.end(ctx) }, nil
}

func (p *Plan) openStore(ctx context.Context) (schedule.Store, error) {
	store, err := sqlstore.Open(ctx, p.schedule.Store)
	switch {
	case err == nil:
		return store, nil
	case errors.Is(err, sqlstore.ErrDamaged):
		return nil, enforce.WithHint(err, "the file is damaged, or no store: put a copy of before in its place, or name another with --store or in the policy")
	case errors.Is(err, sqlstore.ErrFull):
		return nil, enforce.WithHint(err, "make room on the disk of the file")
	default:
		return nil, enforce.WithHint(err, "name a file in a directory that exists, or a database that can be reached, with --store or in the policy")
	}
}

// open opens the store and the scheduler. Alert and seen are those of [schedule.Config].
func (p *Plan) open(ctx context.Context, openStore func(context.Context) (schedule.Store, error), servers jobServers,
	alert func(context.Context, *schedule.Notice) error, seen func(schedule.Alert)) (*schedule.Scheduler, schedule.Store, error) {
	store, err := openStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	s, err := schedule.New(schedule.Config{
		Store: store, Caller: servers, AllowSkip: p.schedule.SkipValidation, Rehearse: p.rehearser(servers), Alert: alert, Seen: seen,
		Workers: p.schedule.Workers, PerOwner: p.schedule.Limits.Owner, PerTag: p.schedule.Limits.Tags,
		MaxJobs: p.schedule.Limits.Jobs, MinInterval: p.schedule.Limits.Interval, Calendars: p.schedule.Calendars, KeepAge: p.schedule.Retention.Age, KeepRuns: p.schedule.Retention.Runs, Logger: p.log,
	})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	ran, err := p.export(s)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	inside.Of(s).Tune(jobspec.Tuning{
		Ran: ran, PolicyDigest: p.digest, Bases: basesOf(servers), Serves: func() ([]string, string) { return servers.names(), p.rules.now() },
		Ahead: p.schedule.Ahead, Recheck: p.schedule.Recheck, MaxResult: p.schedule.Retention.Result,
	})
	return s, store, nil
}

// export adds the scheduler to the metrics, if there are any.
func (p *Plan) export(s *schedule.Scheduler) (ran func(state string, lag time.Duration), err error) {
	if p.metrics == nil {
		return nil, nil
	}
	return p.metrics.Schedule(func(ctx context.Context) (*prometheus.ScheduleState, error) {
		in := inside.Of(s)
		counts, err := in.Counts(ctx, nil)
		if err != nil {
			return nil, err
		}
		workers, err := in.Workers(ctx)
		if err != nil {
			return nil, err
		}
		state := &prometheus.ScheduleState{Jobs: map[[2]string]int{}, Workers: len(workers)}
		for _, c := range counts {
			state.Jobs[[2]string{string(c.State), string(c.Health)}] = c.Jobs
		}
		state.Due, state.Running, state.Late, err = in.Backlog(ctx)
		return state, err
	})
}
