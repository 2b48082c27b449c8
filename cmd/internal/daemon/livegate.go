// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
)

// A liveGate is the gate of one server, and changes with the policy file.
type liveGate struct {
	source  enforce.Source
	command []string // starts the server
	given   bool     // the command line has the command, not the policy
	server  *policy.Server
	session call.Session
	enforce *access.Enforcer
	audit   policy.Log
	keep    []string        // files that the server must not change
	watcher *policy.Watcher // nil: there is no file, or others watch it
	log     *slog.Logger
	entry   *authGate // authenticates HTTP clients; nil over stdio
	current atomic.Pointer[toolvet.Gate]

	rehearse backend.Rehearser // nil: the policy does not offer rehearsals
}

// openLiveGate makes the gate of the server that a command starts; nil stands for the command in
// the policy. Gates with the same counters count calls together. The entry, which may be nil, follows the policy, too.
func openLiveGate(source enforce.Source, command []string, counters *access.Counters, entry *authGate, log *slog.Logger) (*liveGate, error) {
	source, err := source.Read()
	if err != nil {
		return nil, err
	}
	all, presetName, err := source.Load()
	if err != nil {
		return nil, err
	}
	p, err := source.Narrow(all, presetName, command)
	if err != nil {
		return nil, err
	}
	given := command != nil
	if !given {
		command = p.Servers[0].Command
	}
	source.Server = p.Servers[0].Name // a changed file must not select another server
	g := &liveGate{source: source, command: command, given: given, server: p.Servers[0], session: source.Session(p), log: log, entry: entry,
		enforce: &access.Enforcer{Contains: true, Shared: backend.SharedLimits, Server: source.Server, Log: log, Counters: counters}, audit: p.Log, keep: backend.Kept(source.Policy, all)}
	if g.rehearse, err = backend.NewRehearser(p, command); err != nil {
		return nil, err
	}
	if err := g.set(p); err != nil || source.Policy == "" {
		return g, err
	}
	g.watcher = &policy.Watcher{File: source.Policy, Load: g.reload, Log: log}
	g.watcher.Holds(source.Text, p.Beside()...)
	g.source.Text = nil
	return g, nil
}

// set puts a policy in force. On an error the gate stays as it was.
func (g *liveGate) set(p *policy.Policy) error {
	if err := enforce.SameLog(g.audit, p.Log); err != nil {
		return err
	}
	gate, err := g.gate(p)
	if err != nil {
		return err
	}
	if g.entry != nil {
		if err := g.entry.set(p.Authorization); err != nil {
			return err
		}
	}
	g.current.Store(gate)
	return nil
}

func (g *liveGate) gate(p *policy.Policy) (*toolvet.Gate, error) {
	return g.source.Checks.NewRehearsingGate(g.enforce, p, backend.Before(g.command))
}

// reload puts the policy with a text in force. On an error the gate stays as it was.
func (g *liveGate) reload(text []byte) (beside []string, err error) {
	p, err := g.read(text)
	if err != nil {
		return p.Beside(), err
	}
	if err := g.set(p); err != nil {
		return p.Beside(), err
	}
	g.compare(p)
	return p.Beside(), nil
}

// read reads the policy with a text, reduced to the server.
func (g *liveGate) read(text []byte) (*policy.Policy, error) {
	source := g.source
	source.Text = text
	return source.ForServer(g.command)
}

// compare warns about changes of a policy that a running server does not follow.
func (g *liveGate) compare(p *policy.Policy) {
	server := p.Servers[0]
	switch other := server.Command != nil && !slices.Equal(server.Command, g.command); {
	case other && g.given:
		g.log.Warn("the policy names another command for the server: that of the command line counts", "server", g.source.Server)
	case other:
		g.log.Warn("the policy names another command for the server: it takes effect at the next start", "server", g.source.Server)
	}
	if !reflect.DeepEqual(server.Contain, g.server.Contain) {
		g.log.Warn("the policy has other walls for the server: they take effect at the next start", "server", g.source.Server)
	}
	if server.URL != g.server.URL || !reflect.DeepEqual(server.Credentials, g.server.Credentials) {
		g.log.Warn("the policy has another url or other credentials for the server: they take effect at the next start", "server", g.source.Server)
	}
}

// watch follows the policy until ctx is done.
func (g *liveGate) watch(ctx context.Context) {
	if g.watcher != nil {
		g.watcher.Run(ctx)
	}
}
