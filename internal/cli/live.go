// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/policy"
)

// A liveGate is the gate of one server, which changes when the policy file does.
type liveGate struct {
	flags   gateFlags
	command []string // how to start the server
	server  *policy.Server
	session call.Session
	enforce *access.Enforcer
	calls   policy.Log
	offer   func(context.Context, []*call.Call) (json.RawMessage, error) // see mediate.Config.Rehearse; nil: it is not offered
	lock    string                                                       // the file of the lock of tools; "": none
	log     *slog.Logger
	entry   *authGate // through which clients come over HTTP; nil over stdio
	loading sync.Mutex
	current atomic.Pointer[toolvet.Gate]
}

// openLiveGate makes the gate for the server that a command starts; nil: the command in
// the policy. The door goes by the policy, too; nil: there is none.
func openLiveGate(flags gateFlags, command []string, entry *authGate, log *slog.Logger) (*liveGate, error) {
	p, err := flags.policyFor(command)
	if err != nil {
		return nil, err
	}
	if command == nil {
		command = p.Servers[0].Command
	}
	flags.server = p.Servers[0].Name // the server stays the same, whatever becomes of the file
	g := &liveGate{flags: flags, command: command, server: p.Servers[0], session: flags.session(p), log: log, entry: entry,
		enforce: &access.Enforcer{Server: flags.server, Log: log, Counters: flags.counters}, lock: p.Pinning.Lock, calls: p.Log}
	if g.offer, err = rehearser(p, command); err != nil {
		return nil, err
	}
	return g, g.set(p)
}

func (g *liveGate) set(p *policy.Policy) error {
	gate, err := rehearsingGate(g.enforce, p, g.command)
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

// reload reads the policy again. On an error the gate stays as it is.
func (g *liveGate) reload() error {
	g.loading.Lock()
	defer g.loading.Unlock()
	p, err := g.flags.policyFor(g.command)
	if err != nil {
		return err
	}
	if said := p.Servers[0].Command; said != nil && !slices.Equal(said, g.command) {
		g.log.Warn("the policy names another command for the server: it counts from the next start on", "server", g.flags.server)
	}
	if said := p.Servers[0]; said.URL != g.server.URL || !reflect.DeepEqual(said.Credentials, g.server.Credentials) {
		g.log.Warn("the policy has another url or other credentials for the server: they count from the next start on", "server", g.flags.server)
	}
	if err := g.set(p); err != nil {
		return err
	}
	g.log.Info("the policy holds", "file", g.flags.policy)
	return nil
}

// watch keeps the gate as the policy file says until ctx is done.
func (g *liveGate) watch(ctx context.Context) {
	if g.flags.policy == "" {
		return
	}
	var watching sync.WaitGroup
	for _, file := range []string{g.flags.policy, g.lock} {
		if file == "" {
			continue
		}
		watching.Go(func() {
			if err := policy.Watch(ctx, file, g.reload, g.log); err != nil {
				g.log.Warn(fmt.Sprintf("changes of %s count only from the next start on: %v", file, err))
			}
		})
	}
	watching.Wait()
}
