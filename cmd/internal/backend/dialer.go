// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package backend reaches what a policy describes: servers, and the helpers that toolvet's own program is.
package backend

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/supervise"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/contain"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	"github.com/toolvet/toolvet/upstream"
)

// A Dialer starts a server of a policy, or connects to its URL.
type Dialer struct {
	Server     *policy.Server
	Supervisor []string
	Keep       []string // files that a contained server must not change
	Logger     *slog.Logger
	Told       func(method string) bool // whether the program itself reports a failed request, such as [Handshake]; nil: none

	told contain.Told
}

// Dial implements [upstream.Dialer].
func (d *Dialer) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	switch {
	case d.Server.URL != "":
		return d.connect()
	case d.Server.Command == nil:
		return nil, Unreachable(d.Server)
	}
	if d.Server.Contain != nil {
		server, err := Contain(ctx, d.Server, d.Server.Command, d.Keep, &d.told, stderr, d.Logger)
		if err != nil {
			return nil, err // a nil *contain.Server is no nil Transport
		}
		return server, nil
	}
	env, err := Environment(d.Server)
	if err != nil {
		return nil, err
	}
	return upstream.Command{Args: d.Server.Command, Env: env, Dir: d.Server.Dir, Supervisor: d.Supervisor}.Dial(ctx, stderr)
}

// Unreachable says why nobody can start a server of a policy, or connect to it.
func Unreachable(s *policy.Server) error {
	_, fault := s.Environ(os.LookupEnv)
	switch {
	case fault != nil:
		return fault
	case s.Drafted != nil:
		return enforce.WithHint(fmt.Errorf("the policy has the command of the server %q with %s, which stands for the server's directory", s.Name, policy.Root),
			"write the directory in the place of %s in the policy", policy.Root)
	case s.Agent:
		return enforce.WithHint(fmt.Errorf("the server %q is an agent's host, which calls its tools itself", s.Name), "'toolvet hook install' has the host ask toolvet about each call")
	}
	return enforce.WithHint(fmt.Errorf("the policy does not say how to reach the server %q", s.Name), "give it a command or a url")
}

// connect opens a connection to a URL, with the policy's credentials for it.
func (d *Dialer) connect() (upstream.Transport, error) {
	server := streamable.ClientConfig{URL: d.Server.URL, Advice: Advice(d.Server), Logger: d.Logger, Told: d.Told}
	if d.Server.Credentials != nil {
		options := auth.Options{Logger: d.Logger}
		if d.Told != nil && d.Told("") { // the request says so, too
			options.Logger = nil
		}
		transport, err := auth.NewTransport(d.Server, streamable.NewTransport(), options)
		if err != nil {
			return nil, err
		}
		server.Transport = transport
	}
	client, err := streamable.NewClient(server)
	if err != nil {
		return nil, err // a nil *streamable.Client is no nil Transport
	}
	return client, nil
}

// Advice tells how a person gives other credentials for a server of the policy.
func Advice(s *policy.Server) string {
	key := "servers." + s.Name + ".credentials"
	if s.Credentials == nil {
		return "the policy has none: add " + key + ", such as {header: {Authorization: \"Bearer ${TOKEN}\"}}"
	}
	names := slices.Sorted(maps.Keys(s.Credentials.Headers))
	names = slices.AppendSeq(names, maps.Keys(s.Credentials.HeaderFiles))
	if len(names) == 0 {
		return "correct " + key + " in the policy"
	}
	slices.Sort(names)
	return "correct " + key + " in the policy, which gives " + strings.Join(names, ", ")
}

// Environment returns the environment for starting a server: toolvet's own without the credentials of
// others and with the policy's additions, or nil if it is toolvet's own.
func Environment(s *policy.Server) ([]string, error) {
	added, err := s.Environ(os.LookupEnv)
	if err != nil || len(added) == 0 && len(s.Withheld) == 0 {
		return nil, err
	}
	own := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.ContainsFunc(s.Withheld, func(held string) bool { return strings.EqualFold(name, held) }) // Windows folds case
	})
	return append(own, added...), nil
}

// Supervisor returns the command that supervises a server process (see package supervise).
func Supervisor() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding toolvet's own program, which supervises servers: %w", err)
	}
	return supervise.Command(self), nil
}

// SandboxInit returns the command that builds a sandbox (see rehearsal.Run).
func SandboxInit() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding toolvet's own program, which builds the sandbox: %w", err)
	}
	return []string{self, "sandbox"}, nil
}
