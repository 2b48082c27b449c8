// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
)

// A Server is one server of a [Set], and how to reach it.
type Server struct {
	Name   string // without a colon; tools are named NAME:TOOL
	Dialer Dialer

	Stderr io.Writer // receives the server's output beside its messages; nil keeps only its end, for errors
	// Timeout bounds the start with its handshake, and a list. Default [DefaultTimeout].
	Timeout time.Duration
	// CallTimeout bounds every other request. Default 10 min. If it is negative,
	// only the caller's context bounds them.
	CallTimeout time.Duration
	// Idle is how long an unused connection stays open. Default: until Close. While it is
	// closed, no notification of a changed list can arrive.
	Idle time.Duration
	// Handler answers the server's requests that cannot be assigned to a single request of ours.
	// Its Notify is not used: see [Set.Subscribe].
	Handler      Handler
	Capabilities json.RawMessage // of the client, for the handshake: a JSON object; nil is {}. Handler.Request must support them
}

// Config configures the servers of a [Set] and the gates that judge their calls.
type Config struct {
	Servers []Server
	// Elsewhere names servers outside the Set, for suggestions when a name is unknown.
	Elsewhere []string
	// Gate returns the gate that judges the calls of a server from now on. It is called for
	// each call, so a policy can change. If it returns nil, as policyfile.File.Gate does for a server that
	// the policy does not name, every call is refused. If Gate is nil, arguments are checked against the tool's
	// schema only.
	Gate func(server string) *toolvet.Gate
	// Observer receives the outcome of calls. It may be nil.
	Observer toolvet.Observer
	// StateChanged is called each time a server's state changes. It must return soon, and must
	// not call the Set.
	StateChanged func(State)
	// Logger receives messages about connections and the steps of validations. They hold names
	// and places, never a value. Nil discards them.
	Logger *slog.Logger
}

const (
	defaultCallTimeout = 10 * time.Minute
	nativeTimeout      = 10 * time.Second // of a server's own validation
)

// messages bound each message of a server: results may hold images.
var messages = call.Limits{Bytes: 64 << 20}

// A Set holds named servers. It connects to each at its first use, and again after a loss. Its
// methods may be called concurrently.
type Set struct {
	cfg    Config
	log    *slog.Logger
	names  []string
	peers  map[string]*peer
	schema *toolvet.Gate // for servers without a gate
	ctx    context.Context
	cancel context.CancelFunc

	mu          sync.Mutex
	subscribers map[int]func(Notification)
	lastID      int
}

// NewSet makes a Set. It starts nothing.
func NewSet(cfg Config) (*Set, error) {
	schemaOnly, err := newSchemaGate()
	if err != nil {
		return nil, err
	}
	s := &Set{cfg: cfg, log: cfg.Logger, peers: map[string]*peer{}, schema: schemaOnly, subscribers: map[int]func(Notification){}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, server := range cfg.Servers {
		switch {
		case server.Name == "" || strings.Contains(server.Name, ":"):
			return nil, fmt.Errorf("a server cannot be called %q: its name must not be empty and must not hold a colon", server.Name)
		case server.Dialer == nil:
			return nil, fmt.Errorf("the server %q cannot be reached: it has no Dialer", server.Name)
		case s.peers[server.Name] != nil:
			return nil, fmt.Errorf("two servers are called %q", server.Name)
		}
		s.names = append(s.names, server.Name)
		s.peers[server.Name] = newPeer(s, server)
	}
	return s, nil
}

// Names returns the names of the servers, in the order of the Config.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// ErrClosed is the error of a [Set]'s methods after [Set.Close], and of those that Close interrupts. A
// request that was sent already has a *[GoneError], which matches ErrClosed.
var ErrClosed = errors.New("the servers are closed")

// Close ends all connections, each first politely and then by force, and waits for their end.
// Once ctx is done, Close uses force at once. Calls under way end with [ErrClosed].
func (s *Set) Close(ctx context.Context) {
	s.cancel()
	var closing sync.WaitGroup
	for _, p := range s.peers {
		closing.Go(func() { p.close(ctx) })
	}
	closing.Wait()
}

func (s *Set) peer(name string) (*peer, error) {
	if p := s.peers[name]; p != nil {
		return p, nil
	}
	known := slices.Concat(s.names, s.cfg.Elsewhere)
	return nil, &unknownServerError{Near: nearest(name, known), Known: known}
}

// Do makes any request. No gate judges it, but its result is reviewed like the result of a
// call. It is for a program's own requests: to call tools use [Set.Call]. The error is a *[RefusedError] if the
// server answered with one, an *[UnavailableError], or that of an unknown server. When ctx is done, Do cancels the request at
// the server.
//
// If the server dies while a request is in flight, the error is a *[GoneError]. Do repeats the
// request on a new connection only if it asks for a list or nothing of it was sent.
func (s *Set) Do(ctx context.Context, server string, r Request) (json.RawMessage, error) {
	if r.Method == "tools/call" {
		return nil, errors.New("tools/call must be judged: use Call")
	}
	p, err := s.peer(server)
	if err != nil {
		return nil, err
	}
	raw, err := p.do(ctx, r)
	c := &call.Call{Server: server}
	if err != nil {
		return nil, s.reviewError(ctx, c, err)
	}
	v := s.look(ctx, c, r.Method, raw)
	if !v.Go {
		return nil, withheldError(r.Method, v)
	}
	return v.Raw, nil
}

// A Notification is a notification from a server.
type Notification struct {
	Server, Method string
	Params         json.RawMessage // after the output layer; nil for none
}

// Subscribe calls f with all notifications from now on until stop is called. The notifications
// of each server arrive in order. F runs in the goroutine that reads the connection, so it
// must return soon.
func (s *Set) Subscribe(f func(Notification)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	id := s.lastID
	s.subscribers[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subscribers, id)
	}
}

func (s *Set) publish(n Notification) {
	s.mu.Lock()
	var all []func(Notification)
	for _, f := range s.subscribers {
		all = append(all, f)
	}
	s.mu.Unlock()
	if len(all) == 0 {
		return
	}
	if n.Params != nil {
		v := s.look(s.ctx, &call.Call{Server: n.Server}, n.Method, n.Params)
		if !v.Go {
			s.log.Warn("a notification is withheld", "server", n.Server, "method", n.Method)
			return
		}
		n.Params = v.Raw
	}
	for _, f := range all {
		f(n)
	}
}
