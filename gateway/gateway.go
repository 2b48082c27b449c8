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
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/repeats"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// A Server is one server of a [Gateway]. The Gateway sets Handler and Capabilities itself.
type Server struct {
	upstream.Server
	// Gate returns the gate that judges the calls of the server from now on, as in
	// [upstream.Config]. If it returns nil, every call is refused. If Gate is nil, the checks of toolvet.New
	// apply, without a policy.
	Gate func() *toolvet.Gate
	// DialerFor, if not nil, replaces Dialer for a server in this process that needs to know the
	// principal behind a connection. It gets the principal's Subject and Claims. Only sessions
	// with the same Subject and Claims then share a connection. [Gateway.Update] accepts such a
	// server only if the Gateway began with one.
	DialerFor func(who call.Session) upstream.Dialer
	// CountFor, if not nil, returns the Dialer for the connections of a principal, so that they can be
	// counted and bounded. Unlike DialerFor, it leaves the server one that all principals share.
	CountFor func(who call.Session, dialer upstream.Dialer) upstream.Dialer
	// Rehearse makes calls, one after the other, where they can do no harm, and returns a
	// CallToolResult with their effects. May reports whether the caller may make another call of
	// the server: Rehearse must not show the content of a file that no such call could read. If it
	// is nil, calls of the server cannot be rehearsed. The Gateway offers one tool "rehearse" if any
	// of its servers has a Rehearse.
	Rehearse func(ctx context.Context, calls []*call.Call, may func(context.Context, *call.Call) bool) (json.RawMessage, error)
	// Version stands for the way to reach the server: [Gateway.Update] keeps the connections of
	// a server if its Version stays the same.
	Version string
}

// Config configures a [Gateway]. Every field is optional.
type Config struct {
	Servers []Server // names as in [CheckServerName]
	// ValidateName is the name of the validate tool. Default protocol.ToolName.
	ValidateName string
	// patience is how long a list waits for a server before it falls back on the last known
	// entries. Default 8 s: servers that npm starts need some four, and hosts give up on a connection after ten or more.
	patience time.Duration
	// linger is how long the connections of a principal outlive the last session that uses
	// them. Default 1 min.
	linger time.Duration
	// MaxPrincipals bounds the principals with connections at the same time. Default 100.
	MaxPrincipals int
	Limits        call.Limits // of each message of a client; default as in call.Limits
	// Observer receives the outcome of calls. It may be nil.
	Observer toolvet.Observer
	// Logger receives messages about servers and refusals. They hold names and places, never a
	// value. Nil discards them.
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	c.ValidateName = cmp.Or(c.ValidateName, protocol.ToolName)
	if !protocol.ValidMethod(c.ValidateName) {
		return c, fmt.Errorf("%q cannot name the validate tool: use 1 to 128 letters, digits, underscores, hyphens and dots", c.ValidateName)
	}
	c.patience = cmp.Or(max(c.patience, 0), 8*time.Second)
	c.linger = cmp.Or(max(c.linger, 0), time.Minute)
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

// A Gateway makes many servers look like one. Its methods may be called concurrently.
type Gateway struct {
	cfg      Config
	log      *slog.Logger
	plain    *toolvet.Gate // for calls of no server, and for servers without a gate of their own
	door     door.Door     // for calls of no server
	ctx      context.Context
	cancel   context.CancelFunc
	retiring sync.WaitGroup // connections that are being closed

	validator *validate.Validator
	own       [][]byte // the definitions of the gateway's own tools
	rehearsal []byte   // the definition of the rehearse tool
	personal  bool     // some servers have a DialerFor
	warning   sync.Mutex

	mu       sync.Mutex
	servers  []Server
	pools    map[principal]*pool
	kept     map[principal]map[string]kept // lists by server
	known    map[string]features           // the features that servers last announced, by name
	warned   map[string]*repeats.Memory    // by server; under warning
	active   int                           // requests of clients in progress
	draining chan struct{}                 // closed when active is 0; nil: not draining
	drained  bool
	closed   bool
}

// New makes a Gateway. It starts nothing.
func New(cfg Config) (*Gateway, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	g := &Gateway{cfg: cfg, log: cfg.Logger, servers: cfg.Servers, pools: map[principal]*pool{}, kept: map[principal]map[string]kept{}, known: map[string]features{}, warned: map[string]*repeats.Memory{}}
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

// Update replaces the servers. Sessions stay open and are notified that their lists have
// changed, even if only gates differ. Connections to servers with the same name and Version
// stay open. The others close when their requests are done, or after half a minute.
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

// warnings returns what the log says of a server that fails, of all principals' connections.
func (g *Gateway) warnings(server string) *repeats.Memory {
	g.warning.Lock()
	defer g.warning.Unlock()
	m := g.warned[server]
	if m == nil {
		m = new(repeats.Memory)
		g.warned[server] = m
	}
	return m
}

// States returns the state of all principals' connections, by server.
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

func (g innerGateway) Names() []string {
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
	errDraining = &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "toolvet is shutting down: connect again in a moment"}
)

// enter counts a client's request as active until leave.
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

// reenter counts a request again after a rest, even during a drain.
func (g *Gateway) reenter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active++
}

// Drain refuses new requests from now on. It waits until those under way are answered or ctx
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

func (g innerGateway) Draining() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.draining != nil || g.closed
}

// Close ends all connections and waits for their end. Once ctx is done, it gives servers no
// more time to end by themselves. The sessions must have ended.
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
