// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"slices"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/internal/setup"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/upstream"
)

// A fleet holds the servers of a policy, each with its gate, for a scheduler without a gateway.
type fleet struct {
	*upstream.Set
	gates    map[string]*liveGate
	all      []*policy.Server
	counters access.Counters
}

// openFleet prepares the servers, and starts none. The observer, which may be nil, observes calls.
func openFleet(p *Plan, observer toolvet.Observer) (*fleet, error) {
	f := &fleet{gates: map[string]*liveGate{}}
	supervisor, err := setup.Supervisor()
	if err != nil {
		return nil, err
	}
	var servers []upstream.Server
	for _, s := range p.Policy.Servers {
		source := setup.Source{Policy: p.Source.Policy, Server: s.Name, Remote: s.World.Remote, Checks: p.Source.Checks}
		gate, err := openLiveGate(source, nil, &f.counters, nil, p.log)
		if err != nil {
			return nil, err
		}
		if s.URL == "" && len(s.Command) == 0 {
			continue // its calls can only be judged
		}
		f.gates[s.Name] = gate
		f.all = append(f.all, s)
		dialer := &setup.Dialer{Server: s, Supervisor: supervisor, Logger: p.log}
		servers = append(servers, upstream.Server{Name: s.Name, Dialer: dialer, CallTimeout: -1})
	}
	f.Set, err = upstream.NewSet(upstream.Config{
		Servers: servers, Observer: observer, Logger: p.log,
		Gate: func(server string) *toolvet.Gate { return f.gates[server].current.Load() },
	})
	return f, err
}

// end ends all connections.
func (f *fleet) end(ctx context.Context) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), ShutdownTime)
	defer cancel()
	f.Close(within)
}

// lookup implements jobServers.
func (f *fleet) lookup(server string) (*policy.Server, *toolvet.Gate) {
	i := slices.IndexFunc(f.all, func(s *policy.Server) bool { return s.Name == server })
	if i < 0 {
		return nil, nil
	}
	return f.all[i], f.gates[server].current.Load()
}

// basesOf lists the directories in which the relative paths of servers may lie.
func basesOf(servers jobServers) func(server string) []string {
	return func(server string) []string {
		entry, _ := servers.lookup(server)
		if entry == nil {
			return nil
		}
		s, err := setup.ServerOf(&policy.Policy{Servers: []*policy.Server{entry}}, server, nil)
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

// watch follows the policy file until ctx is done, and calls changed after each change.
func (f *fleet) watch(ctx context.Context, p *Plan, changed func() error) {
	first := true
	watchFiles(ctx, p.log, func() error {
		if first { // Watch begins by loading the file that has just been read
			first = false
			return nil
		}
		for _, s := range f.all {
			if err := f.gates[s.Name].reload(); err != nil {
				return err
			}
		}
		return changed()
	}, p.Source.Policy)
}
