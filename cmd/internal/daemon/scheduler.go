// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/jobs/server"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/upstream"
)

// SchedulerName is the name of the scheduler among the servers.
const SchedulerName = "schedule"

// openScheduler makes the scheduler one of the servers if the policy has a section for it.
func (s *service) openScheduler(ctx context.Context) error {
	s.mu.Lock()
	all := s.policy
	s.mu.Unlock()
	if all.Schedule == nil {
		return nil
	}
	caller := s.gateway.NewCaller(func(n upstream.Notification) { s.scheduler.heard(n) })
	var err error
	plan := newPlan(s.cfg.Source, all, s.log)
	plan.metrics, plan.rules = s.metrics, &s.rules
	s.scheduler, err = newRunner(ctx, plan, &gatewayServers{caller, s}, s.supervisor,
		server.Config{Apart: s.ownersApart, Gate: s.plainGate, Permit: s.jobAccess().permit})
	return err
}

// plainGate makes the gate inside the scheduler. It knows no policy, because the policy's gate has judged the
// calls before.
func (s *service) plainGate(more ...toolvet.Option) (*toolvet.Gate, error) {
	return toolvet.New(append(more, toolvet.WithChecks(s.cfg.Source.Checks...), toolvet.WithLogger(s.log))...)
}

// ownersApart reports whether sessions see only their own jobs, which holds where sessions are authenticated.
func (s *service) ownersApart() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	shared := s.policy.Schedule != nil && s.policy.Schedule.Shared
	return s.policy.Authorization != nil && !s.cfg.Stdio && !shared
}

// runScheduler runs jobs until ctx is done.
func (s *service) runScheduler(ctx context.Context) error {
	if s.scheduler == nil {
		return nil
	}
	return s.scheduler.run(ctx)
}

// close ends all connections, and then closes the store of jobs.
func (s *service) close(ctx context.Context) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), ShutdownTime)
	defer cancel()
	s.gateway.Close(within)
	if s.scheduler != nil {
		s.scheduler.close()
	}
}

// addScheduler adds the scheduler to the servers of a policy with a section for it. If the policy lists a
// server of that name, the server's rules and limits apply to the scheduler.
func (s *service) addScheduler(all *policy.Policy) error {
	starting := s.gateway == nil
	i := slices.IndexFunc(all.Servers, func(one *policy.Server) bool { return one.Name == SchedulerName })
	switch {
	case !starting && (all.Schedule != nil) != (s.scheduler != nil):
		s.log.Warn("adding or removing the section schedule takes effect at the next start")
	case all.Schedule == nil:
		return nil
	}
	if err := checkJobRules(all); err != nil {
		return err
	}
	if !starting && s.scheduler == nil {
		return nil
	}
	if i < 0 {
		all.Servers = append(all.Servers, &policy.Server{Name: SchedulerName})
		return nil
	}
	if one := all.Servers[i]; one.URL != "" || len(one.Command) > 0 || one.Lacks() {
		return enforce.WithHint(fmt.Errorf("the policy has a server %q and a section schedule, whose tools have that name", SchedulerName),
			"give the server another name")
	}
	return nil
}

// dialScheduler connects a session with the scheduler.
func (s *service) dialScheduler(session call.Session) upstream.Dialer {
	return pipeDialer(func(ctx context.Context, in io.Reader, out io.Writer) error {
		return s.scheduler.door.Serve(ctx, session, in, out)
	})
}

// gatewayServers are the servers whose tools jobs call: those of the gateway, over the connections of the
// job's owner.
type gatewayServers struct {
	*gateway.Caller
	service *service
}

// lookup implements jobServers.
func (g *gatewayServers) lookup(server string) (*policy.Server, *toolvet.Gate) {
	if server == SchedulerName {
		return nil, nil
	}
	s := g.service
	s.mu.Lock()
	i := slices.IndexFunc(s.policy.Servers, func(one *policy.Server) bool { return one.Name == server })
	var found *policy.Server
	if i >= 0 {
		found = s.policy.Servers[i]
	}
	s.mu.Unlock()
	if found == nil {
		return nil, nil
	}
	return found, s.gateOf(server)
}

// names implements jobServers.
func (g *gatewayServers) names() []string {
	s := g.service
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []string{} // not nil, which would mean any
	for _, one := range s.policy.Servers {
		list = append(list, one.Name)
	}
	return list
}

// gateOf returns the gate of a server at the moment.
func (s *service) gateOf(server string) *toolvet.Gate {
	if one := s.named(server); one != nil {
		return one.gate.Load()
	}
	return nil
}
