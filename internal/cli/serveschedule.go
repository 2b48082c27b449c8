// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/schedule/server"
	"github.com/toolvet/toolvet/upstream"
)

// scheduleServer is the name of the scheduler among the servers of "toolvet serve".
const scheduleServer = "schedule"

// openScheduler makes the scheduler one of the servers, if the policy has a section for it.
func (s *serving) openScheduler(ctx context.Context) error {
	s.mu.Lock()
	said := s.policy.Schedule
	s.mu.Unlock()
	if said == nil {
		return nil
	}
	p := &plan{flags: &scheduleFlags{policy: s.flags.gate.policy}, policy: s.policy, said: *said, log: s.log}
	if p.said.Store == "" {
		p.said.Store = defaultStore
	}
	s.jobs = &jobSet{serving: s}
	if err := s.jobs.follow(); err != nil {
		return err
	}
	var err error
	s.scheduler, err = newRunner(ctx, p, s.jobs, s.supervisor, server.Config{Apart: s.ownersApart, Gate: plainGate(s.log), Permit: s.jobAccess().permit})
	if err != nil {
		return err
	}
	s.jobs.heard = s.scheduler.heard
	return nil
}

// ownersApart reports whether sessions see their own jobs alone: where they are authenticated.
func (s *serving) ownersApart() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	shared := s.policy.Schedule != nil && s.policy.Schedule.Shared
	return s.policy.Authorization != nil && !s.flags.stdio && !shared
}

// runScheduler runs jobs until ctx is done.
func (s *serving) runScheduler(ctx context.Context) error {
	if s.scheduler == nil {
		return nil
	}
	return s.scheduler.run(ctx)
}

func (s *serving) closeScheduler(ctx context.Context) {
	if s.scheduler == nil {
		return
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	s.jobs.close(within)
	s.scheduler.close()
}

// withScheduler adds the scheduler to the servers of a policy that has a section for it. What
// the policy says of a server of that name, rules and limits, holds for it.
func (s *serving) withScheduler(all *policy.Policy) error {
	starting := s.gateway == nil
	i := slices.IndexFunc(all.Servers, func(one *policy.Server) bool { return one.Name == scheduleServer })
	switch {
	case !starting && (all.Schedule != nil) != (s.scheduler != nil):
		s.log.Warn("that the section schedule comes or goes counts only from the next start on")
	case all.Schedule == nil:
		return nil
	}
	if err := aboutNames(all); err != nil {
		return err
	}
	if !starting && s.scheduler == nil {
		return nil
	}
	if i < 0 {
		all.Servers = append(all.Servers, &policy.Server{Name: scheduleServer})
		return nil
	}
	if one := all.Servers[i]; one.URL != "" || len(one.Command) > 0 {
		return withHint(fmt.Errorf("the policy has a server %q and a section schedule, whose tools have that name", scheduleServer), "give the server another name")
	}
	return nil
}

// dialScheduler connects a session with the scheduler.
func (s *serving) dialScheduler(who call.Session) upstream.Dialer {
	return localDialer(func(ctx context.Context, in io.Reader, out io.Writer) error {
		return s.scheduler.door.Serve(ctx, who, in, out)
	})
}

// A jobSet is the servers whose tools jobs call, as the policy says at the moment. Their
// connections are the scheduler's own.
type jobSet struct {
	serving *serving
	heard   func(upstream.Notification)

	mu      sync.Mutex
	version string // tells which servers they are
	now     *jobServersOf
	closing sync.WaitGroup
	closed  bool
}

// jobServersOf are the servers of one policy.
type jobServersOf struct {
	*upstream.Set
	using sync.WaitGroup
}

// follow follows the policy: servers that are reached otherwise are another set. Calls under
// way end with the set that they began with.
func (j *jobSet) follow() error {
	var version strings.Builder
	var servers []upstream.Server
	for _, one := range j.serving.others() {
		fmt.Fprintf(&version, "%s %s\n", one.name, one.version)
		servers = append(servers, upstream.Server{Name: one.name, Dialer: one.dialer, Stderr: &prefixed{name: one.name, w: j.serving.stderr}, CallTimeout: -1})
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || j.now != nil && j.version == version.String() {
		return nil
	}
	set, err := upstream.NewSet(upstream.Config{Servers: servers, Observer: j.serving.observer, Logger: j.serving.log, Gate: j.serving.gateOf})
	if err != nil {
		return err
	}
	set.Subscribe(func(n upstream.Notification) { j.heard(n) })
	j.retire()
	j.now, j.version = &jobServersOf{Set: set}, version.String()
	return nil
}

// retire closes the set of the moment when nobody uses it. J must be locked.
func (j *jobSet) retire() {
	if old := j.now; old != nil {
		j.closing.Go(func() {
			old.using.Wait()
			old.Close(context.Background())
		})
	}
}

// close ends all connections.
func (j *jobSet) close(ctx context.Context) {
	j.mu.Lock()
	j.closed = true
	now := j.now
	j.mu.Unlock()
	if now != nil {
		now.Close(ctx)
	}
	j.closing.Wait()
}

// use is the set of the moment; done must follow.
func (j *jobSet) use() (set *upstream.Set, done func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now.using.Add(1)
	return j.now.Set, j.now.using.Done
}

// Validate implements schedule.Caller.
func (j *jobSet) Validate(ctx context.Context, tool string, arguments json.RawMessage, options ...upstream.CallOption) (protocol.Result, error) {
	set, done := j.use()
	defer done()
	return set.Validate(ctx, tool, arguments, options...)
}

// Call implements schedule.Caller.
func (j *jobSet) Call(ctx context.Context, tool string, arguments json.RawMessage, options ...upstream.CallOption) (*upstream.Outcome, error) {
	set, done := j.use()
	defer done()
	return set.Call(ctx, tool, arguments, options...)
}

// Tools implements schedule.Caller.
func (j *jobSet) Tools(ctx context.Context, server string, options ...upstream.CallOption) (*call.Catalog, error) {
	set, done := j.use()
	defer done()
	return set.Tools(ctx, server, options...)
}

// known implements jobServers.
func (j *jobSet) known(server string) (*policy.Server, *toolvet.Gate) {
	s := j.serving
	s.mu.Lock()
	i := slices.IndexFunc(s.policy.Servers, func(one *policy.Server) bool { return one.Name == server })
	var said *policy.Server
	if i >= 0 {
		said = s.policy.Servers[i]
	}
	s.mu.Unlock()
	if said == nil || server == scheduleServer {
		return nil, nil
	}
	return said, s.gateOf(server)
}

// others are the servers but the scheduler.
func (s *serving) others() []*served {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.servers), func(one *served) bool { return one.local != nil })
}

// gateOf is the gate of a server at the moment.
func (s *serving) gateOf(server string) *toolvet.Gate {
	if one := s.named(server); one != nil {
		return one.gate.Load()
	}
	return nil
}
