// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/setup"
	"github.com/toolvet/toolvet/policy"
)

// A liveGate is the gate of one server, and changes with the policy file.
type liveGate struct {
	source  setup.Source
	command []string // starts the server
	server  *policy.Server
	session call.Session
	enforce *access.Enforcer
	audit   policy.Log
	lock    string // the file of the lock of tools; "" for none
	log     *slog.Logger
	entry   *authGate // authenticates HTTP clients; nil over stdio
	loading sync.Mutex
	current atomic.Pointer[toolvet.Gate]

	rehearse setup.Rehearser // nil: the policy does not offer rehearsals
}

// openLiveGate makes the gate of the server that a command starts; nil stands for the command in
// the policy. Gates with the same counters count calls together. The entry, which may be nil, follows the policy, too.
func openLiveGate(source setup.Source, command []string, counters *access.Counters, entry *authGate, log *slog.Logger) (*liveGate, error) {
	p, err := source.ForServer(command)
	if err != nil {
		return nil, err
	}
	if command == nil {
		command = p.Servers[0].Command
	}
	source.Server = p.Servers[0].Name // a changed file must not select another server
	g := &liveGate{source: source, command: command, server: p.Servers[0], session: source.Session(p), log: log, entry: entry,
		enforce: &access.Enforcer{Server: source.Server, Log: log, Counters: counters}, lock: p.Pinning.Lock, audit: p.Log}
	if g.rehearse, err = setup.NewRehearser(p, command); err != nil {
		return nil, err
	}
	return g, g.set(p)
}

func (g *liveGate) set(p *policy.Policy) error {
	gate, err := g.source.Checks.NewRehearsingGate(g.enforce, p, g.command)
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

// reload reads the policy again. On an error the gate stays as it was.
func (g *liveGate) reload() error {
	g.loading.Lock()
	defer g.loading.Unlock()
	p, err := g.source.ForServer(g.command)
	if err != nil {
		return err
	}
	if command := p.Servers[0].Command; command != nil && !slices.Equal(command, g.command) {
		g.log.Warn("the policy names another command for the server: it takes effect at the next start", "server", g.source.Server)
	}
	if server := p.Servers[0]; server.URL != g.server.URL || !reflect.DeepEqual(server.Credentials, g.server.Credentials) {
		g.log.Warn("the policy has another url or other credentials for the server: they take effect at the next start", "server", g.source.Server)
	}
	if err := g.set(p); err != nil {
		return err
	}
	g.log.Info("the policy holds", "file", g.source.Policy)
	return nil
}

// watch follows the policy file, and the lock that it names, until ctx is done.
func (g *liveGate) watch(ctx context.Context) {
	if g.source.Policy != "" {
		watchFiles(ctx, g.log, g.reload, g.source.Policy, g.lock)
	}
}

// watchFiles calls load after each change of one of the files until ctx is done. A file "" is none.
func watchFiles(ctx context.Context, log *slog.Logger, load func() error, files ...string) {
	var watching sync.WaitGroup
	for _, file := range files {
		if file == "" {
			continue
		}
		watching.Go(func() {
			if err := policy.Watch(ctx, file, load, log); err != nil {
				log.Warn(fmt.Sprintf("changes of %s take effect at the next start: %v", file, err))
			}
		})
	}
	watching.Wait()
}
