// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package enforce makes the gates of a policy's servers, in one way for package policyfile and for the
// program: preset, demands, rules, limits, lock and rehearsals.
package enforce

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/schema"
)

// A Source names a policy file, and overrides parts of it.
type Source struct {
	Policy  string // the file; "" for no policy
	Text    []byte // the content of that file, as it was read; nil: it is read now
	Preset  string // overrides the policy's preset; "" does not
	Server  string // selects a server of the policy; "" for the only one
	Subject string // overrides the subject in the policy's session; "" does not
	Remote  bool   // the server runs on another machine
	Here    bool   // a server without a command or URL is this program
	Each    bool   // a variable that is missing in what leads to a server makes only this server unreachable
	Checks  Checks
	Lookup  func(name string) (string, bool) // tells variables of the environment; nil: os.LookupEnv does
}

// ForServer reads the policy of one server: the file's, if there is one, reduced to the
// server and joined with the preset in force. The command starts the server; nil stands for the command
// in the policy.
func (s Source) ForServer(command []string) (*policy.Policy, error) {
	p, presetName, err := s.Load()
	if err != nil {
		return nil, err
	}
	return s.Narrow(p, presetName, command)
}

// Load reads the whole policy, which is empty without a file, and the name of the preset in force. Variables
// may be missing that only lead to other servers than Server, or without it to any: Narrow refuses the chosen one.
func (s Source) Load() (p *policy.Policy, presetName string, err error) {
	switch {
	case s.Preset != "" && s.Preset != preset.None && !slices.Contains(preset.Names(), s.Preset):
		err := fmt.Errorf("unknown preset %q: must be %s or %s", s.Preset, strings.Join(preset.Names(), ", "), preset.None)
		if near := schema.Nearest(s.Preset, append(preset.Names(), preset.None)); near != "" {
			err = WithHint(err, "did you mean %s?", near)
		}
		return nil, "", err
	case s.Policy == "" && s.Server != "":
		return nil, "", WithHint(errors.New("--server names a server in a policy, and there is no policy"), "give --policy FILE")
	}
	p, presetName = &policy.Policy{}, preset.Default
	if s.Policy != "" {
		if s, err = s.Read(); err != nil {
			return nil, "", err
		}
		only := s.Server
		if s.Each || only == "" { // Narrow chooses one
			only = policy.NoServer
		}
		lookup := s.Lookup
		if lookup == nil {
			lookup = os.LookupEnv
		}
		if p, err = policy.ParseFor(only, lookup, s.Policy, s.Text, s.Checks.Demands()...); err != nil {
			return nil, "", err
		}
		if p.Preset != "" {
			presetName = p.Preset
		}
	}
	if s.Preset != "" {
		presetName = s.Preset
	}
	return p, presetName, nil
}

// Read returns the source with the text of its file. All its readers then see the same policy.
func (s Source) Read() (Source, error) {
	if s.Policy == "" || s.Text != nil {
		return s, nil
	}
	text, err := policy.Read(s.Policy)
	s.Text = text
	return s, err
}

// Narrow reduces a policy to one server and joins it with a preset.
func (s Source) Narrow(all *policy.Policy, presetName string, command []string) (*policy.Policy, error) {
	p := *all
	server, err := ServerOf(&p, s.Server, command)
	if err != nil {
		return nil, err
	}
	if server.Lacks() && !s.Each { // it is the one that somebody needs
		_, err := server.Environ(os.LookupEnv)
		return nil, err
	}
	server.World.Remote = server.World.Remote || s.Remote && len(server.World.Roots) == 0
	if s.Here && server.World.Base == "" && !server.World.Remote && command == nil && server.Command == nil && server.URL == "" {
		if server.World.Base, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("finding the directory in which relative paths start: %w", err)
		}
	}
	p.Servers = []*policy.Server{server}
	if presetName == preset.None {
		p.Preset = preset.None
		return &p, nil
	}
	return preset.Apply(presetName, &p, s.Checks)
}

// SameLog reports that a changed policy has another log. A program opens its log once, and what the policy now says of
// records would not happen.
func SameLog(opened, said policy.Log) error {
	if !reflect.DeepEqual(opened, said) {
		return errors.New("the policy has another log, which takes effect when the program starts again: start it again, or change the section log back")
	}
	return nil
}

// Session describes the caller where nobody is authenticated.
func (s Source) Session(p *policy.Policy) call.Session {
	subject := p.Session.Subject
	if s.Subject != "" {
		subject = s.Subject
	}
	return call.Session{Subject: subject, Transport: "stdio"}
}

// ServerOf selects a server of a policy as [Choose] does. It adds the directories in the server's command, and the start of
// relative paths.
func ServerOf(p *policy.Policy, name string, command []string) (*policy.Server, error) {
	chosen, err := Choose(p, name, command)
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
	if server.World.Base == "" && !server.World.Remote {
		server.RootBase = preset.StartsInRoot(command)
		server.World.Base = preset.Base(server.Dir, command, server.World.Roots)
	}
	return &server, nil
}

// Choose selects a server by its name, or else the only one, or the one with this command. A policy
// without servers gives one without demands.
func Choose(p *policy.Policy, name string, command []string) (*policy.Server, error) {
	servers := p.Servers
	var names []string
	for _, s := range servers {
		if s.Name == name && name != "" {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if name != "" {
		err := fmt.Errorf("the policy has no server %q: its servers are %s", name, strings.Join(names, ", "))
		if near := schema.Nearest(name, names); near != "" {
			return nil, WithHint(err, "did you mean %q?", near)
		}
		return nil, err
	}
	switch len(servers) {
	case 0:
		return &policy.Server{ClientRoots: true, Withheld: p.Withheld}, nil
	case 1:
		return servers[0], nil
	}
	for _, s := range servers {
		if command != nil && slices.Equal(s.Command, command) {
			return s, nil
		}
	}
	return nil, WithHint(fmt.Errorf("the policy has %d servers, and none has this command", len(servers)),
		"name one with --server: %s", strings.Join(names, ", "))
}
