// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/access/limit/redisstore"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/policy/preset"
)

// gateFlags are the flags of commands that judge calls.
type gateFlags struct {
	policy  string
	preset  string
	server  string
	subject string
	remote  bool // the server is on another machine; no flag of its own

	counters *access.Counters // count calls together with other gates; nil: alone; no flag of its own
}

func (f *gateFlags) register(cmd *cobra.Command) {
	f.registerShared(cmd)
	cmd.Flags().StringVar(&f.server, "server", "", "`NAME` of the server in the policy; default: the only one, or the one with the same command")
}

// registerShared registers those that do not speak of one server.
func (f *gateFlags) registerShared(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.policy, "policy", "", "policy `FILE` (toolvet.yaml)")
	flags.StringVar(&f.preset, "preset", "", "what is demanded of arguments that the policy does not speak of: `observe|standard|strict|none`; default: what the policy says, else standard")
	flags.StringVar(&f.subject, "subject", "", "`WHO` makes the calls, for rules of the policy; default: what the policy says")
}

// policyFor is what holds for the server that a command starts: the policy in the file,
// if any, with this server alone, joined with the preset that the flag, else the policy
// names; without a policy it is the default one. The command may be nil.
func (f gateFlags) policyFor(command []string) (*policy.Policy, error) {
	p, word, err := f.load()
	if err != nil {
		return nil, err
	}
	return f.narrow(p, word, command)
}

// load reads the policy in the file, if any, and the name of the preset that holds.
func (f gateFlags) load() (p *policy.Policy, word string, err error) {
	switch {
	case f.preset != "" && f.preset != preset.None && !slices.Contains(preset.Names(), f.preset):
		return nil, "", fmt.Errorf("unknown preset %q: must be %s or %s", f.preset, strings.Join(preset.Names(), ", "), preset.None)
	case f.policy == "" && f.server != "":
		return nil, "", withHint(errors.New("--server names a server in a policy, and there is no policy"), "give --policy FILE")
	}
	p, word = &policy.Policy{}, preset.Default
	if f.policy != "" {
		if p, err = policy.Load(f.policy, suite.Demands()...); err != nil {
			return nil, "", err
		}
		if p.Preset != "" {
			word = p.Preset
		}
	}
	if f.preset != "" {
		word = f.preset
	}
	return p, word, nil
}

// narrow is the policy with one server alone, joined with a preset.
func (f gateFlags) narrow(all *policy.Policy, word string, command []string) (*policy.Policy, error) {
	p := *all
	server, err := serverOf(&p, f.server, command)
	if err != nil {
		return nil, err
	}
	server.World.Remote = server.World.Remote || f.remote && len(server.World.Roots) == 0
	p.Servers = []*policy.Server{server}
	if word == preset.None {
		return &p, nil
	}
	return preset.Apply(word, &p, suite.Default())
}

// serverOf chooses the server of a policy, and adds what its command says of where it
// works. A policy without servers says nothing of any.
func serverOf(p *policy.Policy, name string, command []string) (*policy.Server, error) {
	chosen, err := choose(p.Servers, name, command)
	if err != nil {
		return nil, err
	}
	server := *chosen
	if command == nil {
		command = server.Command
	}
	if world := preset.WorldIn(server.Dir, command); len(server.World.Roots) == 0 && !server.World.Remote {
		world.Base, world.Resolver = server.World.Base, server.World.Resolver
		server.World = world
	}
	return &server, nil
}

func choose(servers []*policy.Server, name string, command []string) (*policy.Server, error) {
	var names []string
	for _, s := range servers {
		if s.Name == name && name != "" {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if name != "" {
		return nil, fmt.Errorf("the policy has no server %q: its servers are %s", name, strings.Join(names, ", "))
	}
	switch len(servers) {
	case 0:
		return &policy.Server{ClientRoots: true}, nil
	case 1:
		return servers[0], nil
	}
	for _, s := range servers {
		if command != nil && slices.Equal(s.Command, command) {
			return s, nil
		}
	}
	return nil, withHint(fmt.Errorf("the policy has %d servers, and none has this command", len(servers)),
		"name one with --server: %s", strings.Join(names, ", "))
}

// allChecks are the checks that a policy can name.
func allChecks() []*check.Check { return slices.Concat(suite.Default(), access.Checks()) }

// newGate makes a gate with all checks and a policy.
func newGate(p *policy.Policy, log *slog.Logger) (*toolvet.Gate, error) {
	return gateBy(&access.Enforcer{Server: p.Servers[0].Name, Log: log}, p)
}

func gateBy(e *access.Enforcer, p *policy.Policy, more ...toolvet.Option) (*toolvet.Gate, error) {
	if p.Shared != nil {
		redisstore.LogTo(e.Log)
	}
	options, err := e.Options(p)
	if err != nil {
		return nil, err
	}
	return toolvet.New(slices.Concat(options, more, []toolvet.Option{toolvet.WithPolicy(p), toolvet.WithLogger(e.Log)})...)
}

// session is who makes the calls, where nobody is authenticated.
func (f gateFlags) session(p *policy.Policy) call.Session {
	subject := p.Session.Subject
	if f.subject != "" {
		subject = f.subject
	}
	return call.Session{Subject: subject, Transport: "stdio"}
}
