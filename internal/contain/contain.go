// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package contain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/machine/egress"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/terminal"
)

// A Config describes a server and its walls. Command and Init are required.
type Config struct {
	Command []string // the server's program and its arguments
	Env     []string // its whole environment; nil inherits ours
	Dir     string   // its working directory; "" is ours
	// Init is a command that calls sandbox.Run in a new process. Start adds arguments to it. Its path is absolute.
	Init  []string
	Walls policy.Containment
	Roots []string // the directories that the server works in
	// Keep lists files that the server must not change, such as the policy. Start fails if one is in a writable place:
	// a mount cannot protect a file that an editor replaces.
	Keep   []string
	Remote bool // the command starts the server elsewhere
	// Name and Policy are the server's name and the file of its policy, in words of the log. Told remembers what the log has; nil: nothing yet.
	Name, Policy string
	Told         *Told
	Stderr       io.Writer
	Logger       *slog.Logger // nil discards
}

// Bounds of the files, in memory, that a server writes outside its writable places.
const (
	maxStorage = 1 << 30 // bytes
	maxFiles   = 200_000
)

// errElsewhere reports a server that walls of this machine cannot hold.
var errElsewhere = errors.New("the command starts the server in a container or on another machine, where these walls do not reach: contain the command that runs there")

// A Server is a running server in walls. It is an upstream.Transport.
type Server struct {
	*sandbox.Sandbox
	// Write and Read are places that it may change or read, beside programs and its own files.
	Write, Read []string

	close  sync.Once
	shut   func()
	stdout *listener
	stdin  *speaker
}

// Start starts a server in walls. It fails if this machine cannot build them.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Remote {
		return nil, errElsewhere
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	seen, err := viewerOf(&cfg)
	if err != nil {
		return nil, fmt.Errorf("the server cannot be contained: %w", err)
	}
	view := &seen.view
	config := sandbox.Config{
		Args: cfg.Command, Env: cfg.Env, Dir: cfg.Dir, Init: cfg.Init, View: view,
		Limits: sandbox.Limits{Storage: maxStorage, Files: maxFiles},
	}
	s := &Server{Write: view.Write, Read: view.Read, shut: func() {}}
	guard, local, err := GuardOf(cfg.Walls.Network)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the server cannot be contained: %w", err)
	case guard == nil:
		config.Env = withDefaults(config.Env, egress.Offline)
	default:
		d := newDoor(guard, cfg.Logger)
		config.Env = withDefaults(config.Env, egress.Cached)
		config.Network, config.Local, config.Accept, s.shut = sandbox.Observed, local, d.accept, d.shut
	}
	if s.Sandbox, err = sandbox.Start(ctx, config); err != nil {
		return nil, unsupported(err)
	}
	if cfg.Told == nil {
		cfg.Told = new(Told)
	}
	e := &explainer{
		viewer: *seen, server: cfg.Name, file: cmp.Or(cfg.Policy, "a policy"), log: cfg.Logger, told: cfg.Told, busy: make(chan struct{}, maxLooks),
	}
	s.stdout, s.stdin = &listener{s.Sandbox.Stdout(), messages{each: e.answer}}, &speaker{s.Sandbox.Stdin(), messages{each: e.ask}}
	if cfg.Stderr == nil {
		cfg.Stderr = io.Discard
	}
	go func() { _, _ = io.Copy(cfg.Stderr, s.Stderr()) }() // until the server ends
	go func() {
		<-s.Done()
		s.release()
	}()
	return s, nil
}

// unsupported explains that this machine cannot build the walls.
func unsupported(err error) error {
	missing, ok := errors.AsType[*sandbox.UnsupportedError](err)
	switch {
	case !ok:
		return fmt.Errorf("the server cannot be contained: %w", err)
	case missing.Fix == "":
		return fmt.Errorf("the server cannot be contained here, and is not started: %s", missing.What)
	}
	return fmt.Errorf("the server cannot be contained here, and is not started: %s; %s", missing.What, missing.Fix)
}

// Stdout returns the reader of the server's messages.
func (s *Server) Stdout() io.ReadCloser { return s.stdout }

// Stdin returns the writer of messages to the server.
func (s *Server) Stdin() io.WriteCloser { return s.stdin }

// End ends the server. See [process.Process.End].
func (s *Server) End(ctx context.Context, grace process.Grace) process.Exit {
	defer s.release()
	return s.Sandbox.End(ctx, grace)
}

// Stop ends the server with the default waits. The error is a [process.Exit], or nil for the code 0.
func (s *Server) Stop(ctx context.Context) error { return s.End(ctx, process.Grace{}).Err() }

// release ends the connections of a server that has ended.
func (s *Server) release() { s.close.Do(s.shut) }

// GuardOf makes the guard of a network, and lists the ports of this machine behind it. Nil: the network has no hosts.
func GuardOf(n policy.ContainedNetwork) (guard *egress.Guard, local []uint16, err error) {
	if len(n.Allow)+len(n.AllowPrivate) == 0 {
		return nil, nil, nil
	}
	g := &egress.Guard{}
	if g.Allow, _, err = egress.ParseHosts(n.Allow); err != nil {
		return nil, nil, err
	}
	if g.Private, local, err = egress.ParseHosts(n.AllowPrivate); err != nil {
		return nil, nil, err
	}
	return g, local, nil
}

// withDefaults adds variables to an environment, except those that it has.
func withDefaults(env, defaults []string) []string {
	env = slices.Clone(env)
	for _, variable := range defaults {
		name, _, _ := strings.Cut(variable, "=")
		if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			env = append(env, variable)
		}
	}
	return env
}

// A door is the only way out of a server's network.
type door struct {
	guard *egress.Guard
	log   *slog.Logger
	ctx   context.Context
	shut  func()

	mu   sync.Mutex
	told map[string]bool // refused targets
}

// maxTold bounds the refused targets that are told.
const maxTold = 100

func newDoor(g *egress.Guard, log *slog.Logger) *door {
	d := &door{guard: g, log: log, told: map[string]bool{}}
	d.ctx, d.shut = context.WithCancel(context.Background())
	return d
}

// accept joins a connection from inside to its target, or refuses it.
func (d *door) accept(conn net.Conn, to sandbox.Target) {
	target := egress.Target{Host: to.Host(), Port: to.Address.Port()}
	if to.Address.Addr().IsLoopback() {
		target.Host = "localhost"
	}
	err := d.guard.Join(d.ctx, conn, target)
	if err == nil {
		return
	}
	if c, ok := conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0) // the server learns it at once
	}
	d.tell(target.String(), err)
}

// tell logs the first refusal of each target.
func (d *door) tell(target string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil || d.told[target] || len(d.told) >= maxTold {
		return
	}
	d.told[target] = true
	d.log.Warn("the contained server could not connect", "to", terminal.Line(target), "because", err.Error())
}
