// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/access/auth"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/upstream"
)

// serving is what "toolvet serve" serves, as the policy says at the moment.
type serving struct {
	flags      serveFlags
	log        *slog.Logger
	supervisor []string
	stderr     io.Writer
	observer   toolvet.Observer
	gateway    *gateway.Gateway // nil while the policy is loaded for the first time
	counters   access.Counters
	scheduler  *runner // nil: there is none
	jobs       *jobSet // the scheduler's servers

	loading sync.Mutex
	changed func() // is called when the policy is another; nil: nobody is told

	mu      sync.Mutex
	policy  *policy.Policy
	servers []*served      // in the order of the policy
	access  *auth.Resource // nil: nobody is asked
}

// A served is one server of the policy. All but the gate stays as it is.
type served struct {
	name    string
	version string // tells how it is reached
	policy  *policy.Server
	dialer  upstream.Dialer
	local   func(who call.Session) upstream.Dialer // takes the place of dialer for the scheduler
	enforce *access.Enforcer
	gate    atomic.Pointer[toolvet.Gate]
	offer   func(context.Context, []*call.Call) (json.RawMessage, error) // see mediate.Config.Rehearse; nil: it is not offered
}

// load reads the policy. On an error everything stays as it is.
func (s *serving) load() error {
	s.loading.Lock()
	defer s.loading.Unlock()
	all, word, err := s.flags.gate.load()
	if err != nil {
		return err
	}
	if len(all.Servers) == 0 {
		return withHint(errors.New("the policy names no servers"), "name them below servers, each with its command or url")
	}
	if err := s.withScheduler(all); err != nil {
		return err
	}
	var resource *auth.Resource
	if all.Authorization != nil {
		if resource, err = auth.New(all.Authorization, auth.Options{Logger: s.log}); err != nil {
			return err
		}
	}
	if s.gateway != nil && !s.flags.stdio {
		if err := auth.CheckListen(s.flags.listen, all.Authorization); err != nil {
			return err
		}
	}
	var servers []*served
	var gates []*toolvet.Gate
	for _, server := range all.Servers {
		one, gate, err := s.server(all, word, server)
		if err != nil {
			return err
		}
		servers, gates = append(servers, one), append(gates, gate)
	}
	for i, one := range servers {
		one.gate.Store(gates[i])
	}
	s.mu.Lock()
	s.policy, s.servers, s.access = all, servers, resource
	s.mu.Unlock()
	if s.gateway == nil {
		return nil
	}
	s.log.Info("the policy holds", "file", s.flags.gate.policy)
	if s.changed != nil {
		s.changed()
	}
	err = s.gateway.Update(s.upstreams())
	if s.scheduler != nil {
		err = errors.Join(err, s.jobs.follow())
		s.scheduler.recheck("")
	}
	return err
}

// server is a server of the policy: the one there is, if it is reached as before.
func (s *serving) server(all *policy.Policy, word string, server *policy.Server) (*served, *toolvet.Gate, error) {
	if err := gateway.CheckServerName(server.Name); err != nil {
		return nil, nil, err
	}
	flags := s.flags.gate
	flags.server = server.Name
	p, err := flags.narrow(all, word, nil)
	if err != nil {
		return nil, nil, err
	}
	own := server.Name == scheduleServer && all.Schedule != nil
	if server.URL == "" && len(server.Command) == 0 && !own {
		return nil, nil, withHint(fmt.Errorf("the policy does not say how to reach the server %q", server.Name), "give it a command or a url")
	}
	version, err := versionOf(server)
	if err != nil {
		return nil, nil, err
	}
	one := s.named(server.Name)
	if one == nil || one.version != version {
		one = &served{name: server.Name, version: version, policy: server,
			dialer:  &policyDialer{server: server, supervisor: s.supervisor, log: s.log},
			enforce: &access.Enforcer{Server: server.Name, Log: s.log, Counters: &s.counters}}
		if server.URL == "" { // a server that is only reached cannot be started elsewhere
			if one.offer, err = rehearser(p, nil); err != nil {
				return nil, nil, err
			}
		}
		if own {
			one.dialer, one.local = nil, s.dialScheduler
			one.enforce.View = func(ctx context.Context, c *call.Call) (*call.Call, error) { return s.scheduler.door.View(ctx, c) }
		}
	}
	gate, err := rehearsingGate(one.enforce, p, nil)
	return one, gate, err
}

// versionOf tells how a server is reached from other ways. It is a digest: there are secrets
// among what it is of.
func versionOf(server *policy.Server) (string, error) {
	environment, err := server.Environ(os.LookupEnv)
	if err != nil {
		return "", err
	}
	said, err := json.Marshal([]any{server.Command, environment, server.Dir, server.URL, server.Credentials})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:]), nil
}

// upstreams are the servers as the gateway wants them.
func (s *serving) upstreams() []gateway.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]gateway.Server, len(s.servers))
	for i, one := range s.servers {
		list[i] = gateway.Server{
			Server:    upstream.Server{Name: one.name, Dialer: one.dialer, Stderr: &prefixed{name: one.name, w: s.stderr}},
			DialerFor: one.local, Gate: one.gate.Load, Rehearse: one.offer, Version: one.version,
		}
	}
	return list
}

// dialerFor reaches the server for a session.
func (s *served) dialerFor(who call.Session) upstream.Dialer {
	if s.local != nil {
		return s.local(who)
	}
	return s.dialer
}

func (s *serving) named(name string) *served {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.servers {
		if one.name == name {
			return one
		}
	}
	return nil
}

// subject is who makes the calls, where nobody is authenticated.
func (s *serving) subject() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flags.gate.session(s.policy).Subject
}

func (s *serving) resource() *auth.Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.access
}

// watch keeps everything as the policy file says until ctx is done.
func (s *serving) watch(ctx context.Context) {
	files := []string{s.flags.gate.policy}
	s.mu.Lock()
	if lock := s.policy.Pinning.Lock; lock != "" {
		files = append(files, lock)
	}
	s.mu.Unlock()
	var watching sync.WaitGroup
	for _, file := range files {
		watching.Go(func() {
			if err := policy.Watch(ctx, file, s.load, s.log); err != nil {
				s.log.Warn(fmt.Sprintf("changes of %s count only from the next start on: %v", file, err))
			}
		})
	}
	watching.Wait()
}
