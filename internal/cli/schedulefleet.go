// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/upstream"
)

// A fleet is the servers of a policy, each with the gate that the policy makes.
type fleet struct {
	*upstream.Set
	gates    map[string]*liveGate
	all      []*policy.Server
	counters access.Counters
}

// openFleet prepares the servers; none is started before it is needed. What becomes of calls
// is told to observer; nil: to nobody.
func openFleet(p *plan, observer toolvet.Observer) (*fleet, error) {
	f := &fleet{gates: map[string]*liveGate{}}
	supervisor, err := supervisor()
	if err != nil {
		return nil, err
	}
	var servers []upstream.Server
	for _, s := range p.policy.Servers {
		gate, err := openLiveGate(gateFlags{policy: p.flags.policy, server: s.Name, remote: s.World.Remote, counters: &f.counters}, nil, nil, p.log)
		if err != nil {
			return nil, err
		}
		if s.URL == "" && len(s.Command) == 0 {
			continue // it is only judged
		}
		f.gates[s.Name] = gate
		f.all = append(f.all, s)
		servers = append(servers, upstream.Server{Name: s.Name, Dialer: &policyDialer{server: s, supervisor: supervisor, log: p.log}, CallTimeout: -1})
	}
	f.Set, err = upstream.NewSet(upstream.Config{
		Servers: servers, Observer: observer, Logger: p.log,
		Gate: func(server string) *toolvet.Gate { return f.gates[server].current.Load() },
	})
	return f, err
}

// end ends all connections.
func (f *fleet) end(ctx context.Context) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	f.Close(within)
}

// known implements jobServers.
func (f *fleet) known(server string) (*policy.Server, *toolvet.Gate) {
	i := slices.IndexFunc(f.all, func(s *policy.Server) bool { return s.Name == server })
	if i < 0 {
		return nil, nil
	}
	return f.all[i], f.gates[server].current.Load()
}

// basesOf are the directories in which the relative paths of servers may lie.
func basesOf(servers jobServers) func(server string) []string {
	return func(server string) []string {
		known, _ := servers.known(server)
		if known == nil {
			return nil
		}
		s, err := serverOf(&policy.Policy{Servers: []*policy.Server{known}}, server, nil)
		if err != nil || s.World.Remote {
			return nil
		}
		var list []string
		if s.World.Base != "" {
			list = append(list, s.World.Base)
		}
		for _, root := range s.World.Roots {
			if !slices.Contains(list, root) {
				list = append(list, root)
			}
		}
		return list
	}
}

// watch keeps the gates as the policy file says until ctx is done, and calls changed after
// each change.
func (f *fleet) watch(ctx context.Context, p *plan, changed func() error) {
	if p.flags.policy == "" {
		return
	}
	var watching sync.WaitGroup
	first := true
	load := func() error {
		if first { // Watch begins with a load of what has been read just now
			first = false
			return nil
		}
		for _, s := range f.all {
			if err := f.gates[s.Name].reload(); err != nil {
				return err
			}
		}
		return changed()
	}
	watching.Go(func() {
		if err := policy.Watch(ctx, p.flags.policy, load, p.log); err != nil {
			p.log.Warn(fmt.Sprintf("changes of %s count only from the next start on: %v", p.flags.policy, err))
		}
	})
	watching.Wait()
}
