// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/auth"
	"github.com/toolvet/toolvet/internal/streamable"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/upstream"
)

// A fleet is the servers of a policy, each with the gate that the policy makes.
type fleet struct {
	*upstream.Set
	gates map[string]*liveGate
	all   []*policy.Server
}

// openFleet prepares the servers; none is started before it is needed.
func openFleet(p *plan) (*fleet, error) {
	f := &fleet{gates: map[string]*liveGate{}}
	supervisor, err := supervisor()
	if err != nil {
		return nil, err
	}
	var servers []upstream.Server
	for _, s := range p.policy.Servers {
		gate, err := openLiveGate(gateFlags{policy: p.flags.policy, server: s.Name, remote: s.World.Remote}, nil, nil, p.log)
		if err != nil {
			return nil, err
		}
		dialer := dialerOf(s, supervisor)
		if dialer == nil {
			continue // it is only judged
		}
		f.gates[s.Name] = gate
		f.all = append(f.all, s)
		servers = append(servers, upstream.Server{Name: s.Name, Dialer: dialer, CallTimeout: -1})
	}
	f.Set, err = upstream.NewSet(upstream.Config{
		Servers: servers, Logger: p.log,
		Gate: func(server string) *toolvet.Gate { return f.gates[server].current.Load() },
	})
	return f, err
}

// dialerOf says how a server is reached; nil: the policy does not say.
func dialerOf(s *policy.Server, supervisor []string) upstream.Dialer {
	switch {
	case s.URL != "":
		return urlDialer{s}
	case len(s.Command) > 0:
		return commandDialer{s, supervisor}
	}
	return nil
}

// A commandDialer starts the command of a server.
type commandDialer struct {
	server     *policy.Server
	supervisor []string
}

// Dial implements [upstream.Dialer].
func (d commandDialer) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	env, err := d.server.Environ(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	if env != nil {
		env = append(os.Environ(), env...)
	}
	return upstream.Command{Args: d.server.Command, Env: env, Dir: d.server.Dir, Supervisor: d.supervisor}.Dial(ctx, stderr)
}

// A urlDialer reaches a server behind a URL.
type urlDialer struct{ server *policy.Server }

// Dial implements [upstream.Dialer].
func (d urlDialer) Dial(_ context.Context, _ io.Writer) (upstream.Transport, error) {
	cfg := streamable.ClientConfig{URL: d.server.URL}
	if d.server.Credentials != nil {
		transport, err := auth.NewTransport(d.server, streamable.NewTransport(), auth.Options{})
		if err != nil {
			return nil, err
		}
		cfg.Transport = transport
	}
	client, err := streamable.NewClient(cfg)
	if err != nil {
		return nil, err // a nil *Client is no nil Transport
	}
	return client, nil
}

// bases are the directories in which the relative paths of a server may lie.
func (f *fleet) bases(server string) []string {
	gate := f.gates[server]
	if gate == nil {
		return nil
	}
	i := slices.IndexFunc(f.all, func(s *policy.Server) bool { return s.Name == server })
	s, err := serverOf(&policy.Policy{Servers: f.all[i : i+1]}, server, nil)
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
