// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/cmd/internal/prometheus"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/repeats"
	"github.com/toolvet/toolvet/upstream"
)

// A service holds everything that [Serve] serves, and follows the policy.
type service struct {
	cfg        ServeConfig
	log        *slog.Logger
	supervisor []string
	observer   toolvet.Observer
	gateway    *gateway.Gateway // nil while the policy is loaded for the first time
	counters   access.Counters
	processes  *processes
	metrics    *prometheus.Metrics
	rules      rules
	scheduler  *runner   // nil: the policy has no section schedule
	entry      *authGate // authenticates HTTP clients

	listener net.Listener // nil: the only client is on standard input

	watcher *policy.Watcher

	loading sync.Mutex
	changed func() // called after each change of the policy; may be nil

	mu      sync.Mutex
	policy  *policy.Policy
	servers []*served // in the order of the policy
}

// A served is one server of the policy. Only its gate changes.
type served struct {
	name    string
	version string // digest of how it is reached
	policy  *policy.Server
	fault   error // why it cannot be started; nil: nothing is known
	ends    repeats.Memory
	dialer  upstream.Dialer
	local   func(call.Session) upstream.Dialer // replaces dialer for the scheduler
	enforce *access.Enforcer
	gate    atomic.Pointer[toolvet.Gate]

	rehearse backend.Rehearser // nil: the policy does not offer rehearsals
}

// open reads the policy for the first time.
func (s *service) open() error {
	s.entry = newAuthGate(nil, s.log)
	source, err := s.cfg.Source.Read()
	if err != nil {
		return err
	}
	beside, err := s.load(source.Text)
	if err == nil {
		s.watcher = &policy.Watcher{File: source.Policy, Load: s.load, Log: s.log}
		s.watcher.Holds(source.Text, beside...)
	}
	return err
}

// load puts the policy with a text in force. On an error everything stays as it was.
func (s *service) load(text []byte) (beside []string, err error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	source := s.cfg.Source
	source.Text = text
	all, presetName, err := source.Load()
	if err != nil {
		return nil, err
	}
	err = s.set(all, presetName)
	s.mu.Lock()
	inForce := s.policy == all // even if servers could not be changed
	s.mu.Unlock()
	if inForce {
		s.rules.hold(text)
		if s.scheduler != nil {
			s.scheduler.recheck("")
		}
	}
	return all.Beside(), err
}

// set puts a policy in force. On an error everything stays as it was. S.loading must be locked.
func (s *service) set(all *policy.Policy, presetName string) (err error) {
	if len(all.Servers) == 0 {
		return enforce.WithHint(errors.New("the policy names no servers"), "name them below servers, each with its command or url")
	}
	if err := s.addScheduler(all); err != nil {
		return err
	}
	var clients *authentication
	if !s.cfg.Stdio {
		if clients, err = s.entry.prepare(all.Authorization); err != nil {
			return err
		}
	}
	if s.gateway != nil && !s.cfg.Stdio {
		if err := auth.CheckListen(s.cfg.Listen, all.Authorization); err != nil {
			return err
		}
	}
	var servers []*served
	var gates []*toolvet.Gate
	for _, server := range all.Servers {
		one, gate, err := s.server(all, presetName, server)
		if err != nil {
			return err
		}
		servers, gates = append(servers, one), append(gates, gate)
	}
	for i, one := range servers {
		one.gate.Store(gates[i])
	}
	s.mu.Lock()
	s.policy, s.servers = all, servers
	s.mu.Unlock()
	if clients != nil {
		s.entry.put(clients)
	}
	if s.gateway == nil {
		return nil
	}
	if s.changed != nil {
		s.changed()
	}
	return s.gateway.Update(s.upstreams())
}

// server prepares a server of the policy. It returns the existing one if it is still reached the same way.
func (s *service) server(all *policy.Policy, presetName string, server *policy.Server) (*served, *toolvet.Gate, error) {
	if err := gateway.CheckServerName(server.Name); err != nil {
		return nil, nil, err
	}
	source := s.cfg.Source
	source.Server = server.Name
	p, err := source.Narrow(all, presetName, nil)
	if err != nil {
		return nil, nil, err
	}
	own := server.Name == SchedulerName && all.Schedule != nil
	environment, fault := server.Environ(os.LookupEnv)
	if fault == nil && server.URL == "" && len(server.Command) == 0 && !own {
		return nil, nil, backend.Unreachable(server)
	}
	version, err := versionOf(server, environment, fault)
	if err != nil {
		return nil, nil, err
	}
	one := s.named(server.Name)
	if one == nil || one.version != version {
		if fault != nil { // the others do not suffer from it, and its dialer says so again
			s.log.Warn("a server cannot be started", "server", server.Name, "err", fault)
		}
		one = &served{name: server.Name, version: version, policy: server, fault: fault,
			dialer:  &backend.Dialer{Server: server, Supervisor: s.supervisor, Keep: backend.Kept(source.Policy, all), Logger: s.log, Told: backend.Handshake},
			enforce: &access.Enforcer{Contains: true, Shared: backend.SharedLimits, Server: server.Name, Log: s.log, Counters: &s.counters}}
		if server.URL == "" { // a server behind a URL cannot be started in a sandbox
			if one.rehearse, err = backend.NewRehearser(p, nil); err != nil {
				return nil, nil, err
			}
		}
		if own {
			one.dialer, one.local = nil, s.dialScheduler
			one.enforce.View = func(ctx context.Context, c *call.Call) (*call.Call, error) { return s.scheduler.door.View(ctx, c) }
		}
	}
	gate, err := source.Checks.NewRehearsingGate(one.enforce, p, backend.Before(nil))
	return one, gate, err
}

// versionOf returns a digest of how a server is reached, or why it is not: two servers with the same one can share a
// connection. It is a digest because its input holds secrets.
func versionOf(server *policy.Server, environment []string, fault error) (string, error) {
	described, err := json.Marshal([]any{server.Command, environment, server.Withheld, fmt.Sprint(fault), server.Dir, server.URL, server.Credentials, server.Contain, server.World.Roots})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(described)
	return hex.EncodeToString(sum[:]), nil
}

// upstreams returns the servers in the form that the gateway takes.
func (s *service) upstreams() []gateway.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]gateway.Server, len(s.servers))
	for i, one := range s.servers {
		list[i] = gateway.Server{
			Server:    upstream.Server{Name: one.name, Dialer: one.dialer, Stderr: s.stderr(one.name), Timeout: cmp.Or(s.cfg.Timeout, ServerTimeout)},
			DialerFor: one.local, CountFor: s.processes.counted(one), Gate: one.gate.Load, Rehearse: one.rehearse, Version: one.version,
		}
	}
	return list
}

// stderr receives what a server writes on standard error; nil: nobody wants to read it, and its end stands in errors. Most servers
// greet there at each start.
func (s *service) stderr(server string) io.Writer {
	if !s.cfg.Verbose {
		return nil
	}
	return &prefixed{name: server, w: s.cfg.Stderr}
}

// dialerFor returns the way to reach the server for a session.
func (s *served) dialerFor(session call.Session) upstream.Dialer {
	if s.local != nil {
		return s.local(session)
	}
	return s.dialer
}

func (s *service) named(name string) *served {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.servers {
		if one.name == name {
			return one
		}
	}
	return nil
}

// subject returns the caller's name where nobody is authenticated.
func (s *service) subject() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.Source.Session(s.policy).Subject
}
