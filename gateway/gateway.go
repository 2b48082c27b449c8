// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/upstream"
)

// A Server is one server of a [Gateway]. Handler and Capabilities are the Gateway's.
type Server struct {
	upstream.Server
	// Gate returns the gate that judges the calls of the server from now on, as in
	// [upstream.Config]. Nil, and a nil gate: the checks of toolvet.New, without a policy.
	Gate func() *toolvet.Gate
	// DialerFor, if there is one, takes the place of Dialer for a server of this process, which
	// must know whose the connection is: Subject and Claims of who are set. Connections are then
	// shared by sessions alone that are alike in both. [Gateway.Update] takes no such server
	// unless there was one at the beginning.
	DialerFor func(who call.Session) upstream.Dialer
	// Rehearse makes calls, one after the other, where they can do no harm, and returns a CallToolResult that tells what
	// they did. Nil: calls of the server cannot be rehearsed. Where those of any can, there is the
	// tool "rehearse", one for all servers.
	Rehearse func(context.Context, []*call.Call) (json.RawMessage, error)
	// Version tells how the server is reached: [Gateway.Update] keeps the connections of a
	// server whose Version is as it was.
	Version string
}

// Config says what a [Gateway] offers. Nothing is required.
type Config struct {
	Servers []Server // names as in [CheckServerName]
	// ValidateName is the name of the validate tool. Default protocol.ToolName.
	ValidateName string
	// Patience is how long a list waits for a server, before it is made of what is known.
	// Default 3 s.
	Patience time.Duration
	// Linger is how long the connections of a principal outlive the last session that uses
	// them. Default 1 min.
	Linger time.Duration
	// MaxPrincipals bounds those who have connections at once. Default 100.
	MaxPrincipals int
	Limits        call.Limits // of each message of a client; default as in call.Limits
	// Observer is told what becomes of calls; nil: nobody is.
	Observer toolvet.Observer
	// Logger is told of servers and refusals: names and places, never a value. Nil discards.
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	c.ValidateName = cmp.Or(c.ValidateName, protocol.ToolName)
	if !protocol.ValidMethod(c.ValidateName) {
		return c, fmt.Errorf("%q cannot name the validate tool: use 1 to 128 letters, digits, underscores, hyphens and dots", c.ValidateName)
	}
	c.Patience = cmp.Or(max(c.Patience, 0), 3*time.Second)
	c.Linger = cmp.Or(max(c.Linger, 0), time.Minute)
	c.MaxPrincipals = cmp.Or(max(c.MaxPrincipals, 0), 100)
	c.Limits.Bytes = cmp.Or(max(c.Limits.Bytes, 0), strictjson.DefaultBytes)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, checkServers(c.Servers)
}

func checkServers(servers []Server) error {
	seen := map[string]bool{}
	for _, s := range servers {
		if err := CheckServerName(s.Name); err != nil {
			return err
		}
		switch {
		case s.Dialer == nil && s.DialerFor == nil:
			return fmt.Errorf("the server %q cannot be reached: it has no Dialer", s.Name)
		case seen[s.Name]:
			return fmt.Errorf("two servers are called %q", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}

// A Gateway is many servers that look like one. Its methods may be called concurrently.
type Gateway struct {
	cfg      Config
	log      *slog.Logger
	plain    *toolvet.Gate // for calls that are no server's, and for servers without a gate of their own
	door     door.Door     // for calls that are no server's
	ctx      context.Context
	cancel   context.CancelFunc
	retiring sync.WaitGroup // connections that are being closed

	validator *validate.Validator
	own       [][]byte // the definitions of the gateway's own tools
	rehearsal []byte   // the definition of the rehearse tool
	personal  bool     // there are servers that must know whose a connection is

	mu       sync.Mutex
	servers  []Server
	pools    map[principal]*pool
	known    map[string]features // what servers were last seen to announce, by name
	active   int                 // requests of clients that are worked on
	draining chan struct{}       // closed when active is 0; nil: not draining
	drained  bool
	closed   bool
}

// New makes a Gateway. It starts nothing.
func New(cfg Config) (*Gateway, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	g := &Gateway{cfg: cfg, log: cfg.Logger, servers: cfg.Servers, pools: map[principal]*pool{}, known: map[string]features{}}
	g.personal = slices.ContainsFunc(cfg.Servers, isPersonal)
	if g.validator, err = validate.New(validate.Config{Limits: cfg.Limits}); err != nil {
		return nil, err
	}
	for _, tool := range g.validator.Definitions(cfg.ValidateName) {
		definition, err := tool.Encode()
		if err != nil {
			return nil, err
		}
		g.own = append(g.own, definition)
	}
	if g.rehearsal, err = protocol.NewRehearseTool().Encode(); err != nil {
		return nil, err
	}
	if g.plain, err = toolvet.New(); err != nil {
		return nil, err
	}
	g.door = door.Door{Gate: func() *toolvet.Gate { return g.plain }, Point: toolvet.PointProxy, Observer: cfg.Observer, Logger: cfg.Logger, Limits: cfg.Limits}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g, nil
}

// Update puts other servers in the place of those that there are. Sessions stay, and are told
// that their lists have changed, also if only gates are others. Connections stay to servers of
// the same name and Version; the others end when what they work on has ended, or after half
// a minute.
func (g *Gateway) Update(servers []Server) error {
	if err := checkServers(servers); err != nil {
		return err
	}
	if !g.personal && slices.ContainsFunc(servers, isPersonal) {
		return errors.New("a server that must know whose a connection is must be there from the beginning")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errClosed
	}
	for _, s := range g.servers {
		if i := indexOf(servers, s.Name); i < 0 || servers[i].Version != s.Version {
			delete(g.known, s.Name)
		}
	}
	g.servers = servers
	for _, p := range g.pools {
		p.update(servers)
		for _, list := range allLists {
			p.listChanged(list)
		}
	}
	return nil
}

func isPersonal(s Server) bool { return s.DialerFor != nil }

func indexOf(servers []Server, name string) int {
	return slices.IndexFunc(servers, func(s Server) bool { return s.Name == name })
}

// States tells how the servers' connections stand: of each server, in order, those that
// some principal has.
func (g *Gateway) States() map[string][]upstream.State {
	g.mu.Lock()
	defer g.mu.Unlock()
	states := make(map[string][]upstream.State, len(g.servers))
	for _, s := range g.servers {
		states[s.Name] = nil
	}
	for _, p := range g.pools {
		for _, peer := range p.all() {
			states[peer.name] = append(states[peer.name], peer.set.States()...)
		}
	}
	return states
}

// Names are the names of the servers, in order.
func (g *Gateway) Names() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	names := make([]string, len(g.servers))
	for i, s := range g.servers {
		names[i] = s.Name
	}
	return names
}

var (
	errClosed   = errors.New("the gateway is closed")
	errDraining = &call.Error{Code: call.InternalError, Message: "toolvet is shutting down: connect again in a moment"}
)

// enter counts a request of a client; leave must follow.
func (g *Gateway) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.draining != nil || g.closed {
		return errDraining
	}
	g.active++
	return nil
}

func (g *Gateway) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	if g.active == 0 && g.draining != nil && !g.drained {
		g.drained = true
		close(g.draining)
	}
}

// reenter counts a request again that has rested, also while the others are waited for.
func (g *Gateway) reenter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active++
}

// Drain refuses new requests from now on, and waits until those under way are answered, or ctx
// is done.
func (g *Gateway) Drain(ctx context.Context) {
	g.mu.Lock()
	if g.draining == nil {
		g.draining = make(chan struct{})
		if g.drained = g.active == 0; g.drained {
			close(g.draining)
		}
	}
	drained := g.draining
	g.mu.Unlock()
	select {
	case <-drained:
	case <-ctx.Done():
	}
}

// Draining reports whether new requests are refused.
func (g *Gateway) Draining() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.draining != nil || g.closed
}

// Close ends all connections and waits for that; when ctx is done, not for politeness. The
// sessions must have ended.
func (g *Gateway) Close(ctx context.Context) {
	g.mu.Lock()
	g.closed = true
	pools := g.pools
	g.pools = map[principal]*pool{}
	g.mu.Unlock()
	g.cancel()
	g.validator.Close()
	var closing sync.WaitGroup
	for _, p := range pools {
		closing.Go(func() { p.close(ctx) })
	}
	closing.Wait()
	g.retiring.Wait()
}
