// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"slices"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
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
	supervisor, err := backend.Supervisor()
	if err != nil {
		return nil, err
	}
	var servers []upstream.Server
	for _, s := range p.Policy.Servers {
		source := enforce.Source{Policy: p.Source.Policy, Text: p.Source.Text, Server: s.Name, Remote: s.World.Remote, Each: true, Checks: p.Source.Checks}
		gate, err := openLiveGate(source, nil, &f.counters, nil, p.log)
		if err != nil {
			return nil, err
		}
		if s.URL == "" && len(s.Command) == 0 && !s.Lacks() {
			continue // its calls can only be judged
		}
		f.gates[s.Name] = gate
		f.all = append(f.all, s)
		dialer := &backend.Dialer{Server: s, Supervisor: supervisor, Keep: backend.Kept(p.Source.Policy, p.Policy), Logger: p.log, Told: backend.Handshake}
		servers = append(servers, upstream.Server{Name: s.Name, Dialer: dialer, Timeout: ServerTimeout, CallTimeout: -1})
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

// names implements jobServers.
func (f *fleet) names() []string {
	list := []string{} // not nil, which would mean any
	for _, s := range f.all {
		list = append(list, s.Name)
	}
	return list
}

// basesOf lists the directories in which the relative paths of servers may lie.
func basesOf(servers jobServers) func(server string) []string {
	return func(server string) []string {
		entry, _ := servers.lookup(server)
		if entry == nil {
			return nil
		}
		s, err := enforce.ServerOf(&policy.Policy{Servers: []*policy.Server{entry}}, server, nil)
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

// load makes the gates of a policy's text. Commit puts them in force.
func (f *fleet) load(text []byte) (commit func(), beside []string, err error) {
	gates := make([]*toolvet.Gate, len(f.all))
	policies := make([]*policy.Policy, len(f.all))
	for i, s := range f.all {
		g := f.gates[s.Name]
		if policies[i], err = g.read(text); err != nil {
			return nil, beside, err
		}
		beside = policies[i].Beside()
		if gates[i], err = g.gate(policies[i]); err != nil {
			return nil, beside, err
		}
	}
	return func() {
		for i, s := range f.all {
			f.gates[s.Name].current.Store(gates[i])
			f.gates[s.Name].compare(policies[i])
		}
	}, beside, nil
}
